import numpy as np
import pytest

from qres.reference import Box, cole_hopf
from qres.reference.spectral import solve

TIMES = np.array([0.0, 0.3, 0.35, 1.0])
CIRCLE = Box((0.0,), (2 * np.pi,), (64,))


def nothing(u, d):
    return 0.0


@pytest.mark.parametrize("method", ["etdrk4", "lawson4"])
def test_linear_equations_are_exact_in_one_step(method):
    """u_t = 0.1 u_xx - 2 u_x, between the grid's points, with snapshots at any times."""
    x = np.linspace(0, 6, 13)
    found = solve(
        CIRCLE, lambda k: -0.1 * k**2 - 2j * k, nothing, lambda x: np.sin(3 * x), TIMES, 10.0, method=method
    )
    expected = np.exp(-0.9 * TIMES[:, None]) * np.sin(3 * (x - 2 * TIMES[:, None]))
    np.testing.assert_allclose(found.at(x)[:, 0], expected, atol=1e-13)
    np.testing.assert_allclose(found.at(*CIRCLE.points()), found.values(), atol=1e-13)


def test_soliton_of_korteweg_and_de_vries():
    """u_t + 6 u u_x + u_xxx = 0, u = 2 sech²(x - 4t): the period is so long that the tails are rounding."""
    box, x = Box((-20.0,), (20.0,), (512,)), np.linspace(-10, 15, 51)
    found = solve(
        box, lambda k: 1j * k**3, lambda u, d: -6 * u * d(u, 1), lambda x: 2 / np.cosh(x) ** 2, TIMES, 1e-3
    )
    np.testing.assert_allclose(found.at(x)[:, 0], 2 / np.cosh(x - 4 * TIMES[:, None]) ** 2, atol=1e-8)


@pytest.mark.parametrize("method", ["etdrk4", "lawson4"])
def test_soliton_of_schrodinger(method):
    """i h_t + ½ h_xx + |h|² h = 0, h = sech(x - vt) e^{i(vx + (1 - v²) t/2)}: a complex field."""
    v = 2 * np.pi / 10  # one turn of the phase in the box, so that it closes

    def exact(t, x):
        return np.exp(1j * (v * x + (1 - v**2) * t / 2)) / np.cosh(x - v * t)

    box, x = Box((-40.0,), (40.0,), (512,)), np.linspace(-10, 10, 41)
    found = solve(
        box,
        lambda k: -0.5j * k**2,
        lambda h, d: 1j * abs(h) ** 2 * h,
        lambda x: exact(0, x),
        TIMES,
        2e-3,
        method=method,
    )
    np.testing.assert_allclose(found.at(x)[:, 0], exact(TIMES[:, None], x), atol=1e-8)


def test_burgers_agrees_with_cole_hopf():
    box, x = Box((-1.0,), (1.0,), (128,)), np.linspace(-1, 1, 33)
    found = solve(
        box, lambda k: -0.05 * k**2, lambda u, d: -d(u**2, 1) / 2, lambda x: -np.sin(np.pi * x), TIMES, 2e-3
    )
    np.testing.assert_allclose(found.at(x)[:, 0], cole_hopf(TIMES, x, 0.05), atol=1e-9)


def test_two_dimensions_agree_with_cole_hopf_along_the_diagonal():
    """u_t + ½ u (u_x + u_y) = ½ ν (u_xx + u_yy) has the solution of Burgers' equation in s = x + y."""
    box = Box((-1.0, -1.0), (1.0, 1.0), (48, 48))
    found = solve(
        box,
        lambda kx, ky: -0.05 * (kx**2 + ky**2),
        lambda u, d: -u * (d(u, 1, 0) + d(u, 0, 1)) / 2,
        lambda x, y: -np.sin(np.pi * (x + y)),
        TIMES[:3],
        1e-2,
    )
    x, y = np.array([-0.5, 0.1, 0.9]), np.array([0.3, -0.77])
    expected = cole_hopf(TIMES[:3], np.add.outer(x, y).ravel(), 0.1).reshape(3, 3, 2)
    np.testing.assert_allclose(found.at(x, y)[:, 0], expected, atol=1e-6)
    finite = (found.at(x + 1e-4, y) - found.at(x - 1e-4, y)) / 2e-4
    np.testing.assert_allclose(found.at(x, y, order=(1, 0)), finite, atol=1e-5)


def test_several_fields():
    """A Schrödinger equation as one complex field, and as two real ones whose coupling is in N."""
    box, x = Box((-np.pi,), (np.pi,), (32,)), np.linspace(0, 1, 5)
    one = solve(
        box,
        lambda k: -0.5j * k**2,
        lambda h, d: 1j * abs(h) ** 2 * h,
        lambda x: np.exp(1j * np.cos(x)),
        TIMES,
        1e-3,
    ).at(x)[:, 0]

    def coupled(fields, d):
        u, v = fields
        return -d(v, 2) / 2 - (u**2 + v**2) * v, d(u, 2) / 2 + (u**2 + v**2) * u

    two = solve(
        box, lambda k: (0.0, 0.0), coupled, lambda x: (np.cos(np.cos(x)), np.sin(np.cos(x))), TIMES, 1e-3
    ).at(x)
    assert two.dtype == float
    np.testing.assert_allclose(two[:, 0] + 1j * two[:, 1], one, atol=1e-8)


def test_several_fields_have_a_linear_part_each():
    found = solve(
        CIRCLE,
        lambda k: (-(k**2), -1j * k),
        lambda f, d: (0.0, 0.0),
        lambda x: (np.sin(x), np.sin(x)),
        TIMES,
        1.0,
    ).values()
    x = CIRCLE.points()[0]
    np.testing.assert_allclose(found[-1], [np.exp(-1) * np.sin(x), np.sin(x - 1)], atol=1e-14)


@pytest.mark.parametrize("method", ["etdrk4", "lawson4"])
def test_order_four(method):
    """Kuramoto–Sivashinsky, u_t = -u_xx - u_xxxx - u u_x: half the step, a sixteenth of the error."""
    box = Box((0.0,), (16 * np.pi,), (64,))

    def end(step: float) -> np.ndarray:
        found = solve(
            box,
            lambda k: k**2 - k**4,
            lambda u, d: -u * d(u, 1),
            lambda x: np.cos(x / 8),
            times,
            step,
            method=method,
        )
        return found.values()[-1]

    times = np.array([0.0, 2.0])
    exact = end(1 / 320)
    errors = [np.abs(end(step) - exact).max() for step in (1 / 10, 1 / 20)]
    assert 3.5 < np.log2(errors[0] / errors[1]) < 4.6


def test_projection_of_kinks():
    """Oversampled, the coefficients of |x| are those of its Fourier series (from the lower bound)."""
    box = Box((-np.pi,), (np.pi,), (32,))
    modes = solve(box, lambda k: 0.0, nothing, np.abs, np.array([0.0]), 1.0, oversample=512).modes[0, 0]
    np.testing.assert_allclose(modes[[1, 3, 5]], 2 / np.pi / np.array([1, 9, 25]), rtol=1e-5)


def test_blow_up_is_said():
    with pytest.raises(FloatingPointError, match=r"not finite at t = 2: try a smaller step_size"):
        solve(CIRCLE, lambda k: 0.0, lambda u, d: u**2, lambda x: 2 + 0 * x, np.array([0.0, 2.0]), 0.01)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"times": np.array([0.0, 1.0, 0.5])}, "times must be a list that ascends"),
        ({"step_size": 0.0}, "step_size must be positive, not 0.0"),
        (
            {"method": "etdrk"},
            "method 'etdrk' is not known; did you mean 'etdrk4'?",
        ),
        ({"initial": lambda x: x[1:]}, r"initial must give arrays of shape \(64,\), but one has \(63,\)"),
        ({"nonlinear": lambda u, d: (u, u)}, "nonlinear must give 1 fields, not 2"),
        ({"nonlinear": lambda u, d: d(u, 1, 1)}, "order must be 1 numbers"),
        ({"linear": lambda k: (k, k)}, "linear must give 1 fields, not 2"),
    ],
)
def test_bad_input(change, message):
    good = {
        "linear": lambda k: -(k**2),
        "nonlinear": nothing,
        "initial": np.sin,
        "times": TIMES,
        "step_size": 0.1,
    }
    with pytest.raises(ValueError, match=message):
        solve(CIRCLE, **(good | change))
