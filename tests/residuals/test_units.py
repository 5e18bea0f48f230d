"""Units: the same problem in other units, powers of ten apart, trains the same, to rounding.

Each problem is a function of the factors by which its quantities, named in its list, become larger numbers.
"""

import numpy as np
import pytest

import qres

SMALL = qres.Architecture(width=6, depth=2)
SAMPLING = qres.Sampling(points=80, condition_points=12, resample_every=15)


def heat(x, t, u):
    """A bar in kelvins, or in anything: diffusivity in x²/t."""
    return qres.Problem(
        "u_t = k*u_xx + s", {"t": (0, 2 * t), "x": (0, 3 * x)},
        ["u(0, x) = A*sin(pi*x/L)", "u(t, 0) = 0", "u_x(t, L) = q"],
        constants={"k": 0.3 * x**2 / t, "s": 0.2 * u / t, "A": 1.3 * u, "L": 3 * x, "q": 0.4 * u / x},
    )  # fmt: skip


def coupled(t, a, b):
    """Two fields of different units, of which the second follows the first."""
    return qres.Problem(
        ["a_t = -k*a + c*b", "b_t = d*a - m*b^2"], {"t": (0, 4 * t)}, ["a(0) = A", "b(0) = 0"], hard=False,
        constants={"k": 0.7 / t, "c": 0.1 / t * a / b, "d": 30 / t * b / a, "m": 2e4 / (t * b), "A": 1.4 * a},
    )  # fmt: skip


def plate(x, y, E):
    """A quarter of a plate with a hole under tension: only a traction says how large anything is."""
    return qres.Problem(
        ["sxx_x + sxy_y = 0", "sxy_x + syy_y = 0"], {"x": (0, 2 * x), "y": (0, 2 * x)},
        ["sxx(L, y) = S", "sxy(L, y) = 0", "u(0, y) = 0", "sxy(0, y) = 0", "v(x, 0) = 0", "sxy(x, 0) = 0",
         "syy(x, L) = 0", "sxy(x, L) = 0"],
        inside=f"x^2 + y^2 > {0.25 * x * x!r}", fields=["u", "v"],
        constants={"E": 2.1 * E, "nu": 0.3, "S": 1e-3 * E * y, "L": 2 * x},
        definitions={
            "sxx": "E/(1 - nu^2)*(u_x + nu*v_y)", "syy": "E/(1 - nu^2)*(v_y + nu*u_x)",
            "sxy": "E/(2*(1 + nu))*(u_y + v_x)",
        },
    )  # fmt: skip


def charge(x, u, eps):
    """A potential between walls, hard, with a flux given on one side and a charge inside."""
    return qres.Problem(
        "eps*u_xx = -rho", {"x": (0, 4 * x)}, ["u(0) = V", "u_x(L) = 0"],
        constants={"eps": 8.8 * eps, "rho": 3 * eps * u / x**2, "V": 1.5 * u, "L": 4 * x},
    )  # fmt: skip


def decay(t, u, c):
    """Unknowns with a start and without, from measurements."""
    times = np.linspace(0, 3, 20)
    return qres.Problem(
        "u_t = -k*u + s*c", {"t": (0, 3 * t)}, fields=["u"], constants={"c": 1.0 * c},
        unknowns={"k": qres.Free(0.5 / t), "s": qres.Free(0.0)},
        data=qres.Data({"t": times * t, "u": (1 + np.exp(-0.8 * times)) * u}),
    )  # fmt: skip


def stokes(x, u, mu):
    """Velocities on the walls, and a pressure that nothing but they determine."""
    return qres.Problem(
        ["mu*(u_xx + u_yy) = p_x", "mu*(v_xx + v_yy) = p_y", "u_x + v_y = 0"],
        {"x": (0, 1.5 * x), "y": (0, x)},
        ["u(x, 0) = 0", "u(x, h) = U", "u(0, y) = U*y/h", "v(x, 0) = 0", "v(x, h) = 0", "v(0, y) = 0", "p(0, 0) = 0"],
        constants={"mu": 0.8 * mu, "U": 1.1 * u, "h": 1.0 * x},
    )  # fmt: skip


PROBLEMS = (heat, coupled, plate, charge, decay, stokes)


def trained(problem):
    """The history of the loss, and the fields, each as a share of its size."""
    solution = qres.solve(
        qres.Specification(problem, SMALL, sampling=SAMPLING, tolerance=0.0), iterations=30, progress=False
    )
    share = 0.4 + 0.6 * np.random.default_rng(0).random((len(problem.bounds), 50))  # not in the hole
    points = {
        name: low + (high - low) * row
        for (name, (low, high)), row in zip(problem.bounds.items(), share, strict=True)
    }
    fields = {name: np.asarray(solution(name, **points)) for name in solution.names}
    sizes = {name: np.max(np.abs(values)) for name, values in fields.items()}
    return solution.result.loss, {name: values / sizes[name] for name, values in fields.items()}, sizes


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.__name__)
def test_units_do_not_matter(problem):
    random = np.random.default_rng(sum(map(ord, problem.__name__)))
    loss, fields, _ = trained(problem(1.0, 1.0, 1.0))
    for _ in range(2):
        factors = [float(f"1e{k}") for k in random.integers(-9, 10, 3)]
        other, there, _ = trained(problem(*factors))
        assert other == pytest.approx(loss, rel=1e-6), factors
        for name, values in fields.items():
            np.testing.assert_allclose(there[name], values, atol=1e-5, err_msg=f"{name} {factors}")
