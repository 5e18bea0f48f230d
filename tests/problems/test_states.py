"""Eigenvalue problems with several states: eigenvalues, normalised states, files, and mistakes."""

from typing import Any

import numpy as np
import pytest

import qres

BOX: dict[str, Any] = {
    "equations": "-psi_xx = k*psi", "domain": {"x": (0, 2)}, "unknowns": {"k": 1},
    "conditions": ["psi(0) = 0", "psi(2) = 0", "integral(psi^2, x) = 1"],
}  # fmt: skip


def test_particle_in_a_box_in_si_units_and_its_file(tmp_path):
    hbar, mass, length = 1.054571817e-34, 9.1093837e-31, 1e-9
    exact = (hbar * np.pi * np.arange(1, 4) / length) ** 2 / (2 * mass)
    problem = qres.Problem(
        "-hbar^2/(2*m)*psi_xx = E*psi", {"x": (0, length)},
        ["psi(0) = 0", "psi(1e-9) = 0", "integral(psi^2, x) = 1"],
        constants={"hbar": hbar, "m": mass}, unknowns={"E": {"start": 1, "true": list(exact)}}, states=3,
    )  # fmt: skip
    assert problem.fields == ("psi_1", "psi_2", "psi_3")
    solution = qres.solve(
        problem, network=qres.Architecture(width=4, depth=1), iterations=5, sampling=qres.Sampling(points=60)
    )
    assert np.allclose(solution.unknowns["E"].value, exact, rtol=1e-8)
    x = np.linspace(0, length, 11)
    for k in (1, 2, 3):
        right = np.sqrt(2 / length) * np.sin(k * np.pi * x / length)
        assert np.allclose(solution(f"psi_{k}", x=x), right, atol=1e-6 * np.sqrt(2 / length))
    again = qres.load(solution.save(tmp_path / "box.qres"))
    assert np.array_equal(again("psi_2", x=x), solution("psi_2", x=x))
    assert again.problem.to_dict() == problem.to_dict()
    assert problem.to_dict()["states"] == 3


def test_conditions_on_slopes_and_a_single_state():
    neumann: dict[str, Any] = BOX | {"conditions": ["psi_x(0) = 0", "psi(2) = 0", "integral(psi^2, x) = 1"]}
    problem = qres.Problem(**neumann, states=1)
    assert problem.fields == ("psi",)
    assert problem.unknowns["k"].start == pytest.approx((np.pi / 4) ** 2, rel=1e-9)


def test_a_nonlinear_state():
    """The chemical potential of a condensate, against Newton's method on finite differences of two sizes."""
    problem = qres.Problem(
        "-psi_xx/2 + x^2/2*psi + 2*psi^3 = mu*psi", {"x": (-6, 6)},
        ["psi(-6) = 0", "psi(6) = 0", "integral(psi^2, x) = 1"], unknowns={"mu": 1}, states=1,
    )  # fmt: skip
    found = [_by_differences(n) for n in (400, 800)]
    richardson = (4 * found[1] - found[0]) / 3
    assert problem.unknowns["mu"].start == pytest.approx(richardson, abs=1e-7)


def _by_differences(n: int) -> float:
    x = np.linspace(-6, 6, n + 1)[1:-1]
    h = 12 / n
    kinetic = (np.eye(n - 1) - (np.eye(n - 1, k=1) + np.eye(n - 1, k=-1)) / 2) / h**2
    u, mu = np.exp(-(x**2) / 2) / np.pi**0.25, 1.0
    for _ in range(30):
        r = np.append(kinetic @ u + x**2 / 2 * u + 2 * u**3 - mu * u, (h * u @ u - 1) / 2)
        J = np.block([
            [kinetic + np.diag(x**2 / 2 + 6 * u**2 - mu), -u[:, None]], [h * u[None], np.zeros((1, 1))]
        ])  # fmt: skip
        move = np.linalg.solve(J, r)
        u, mu = u - move[:-1], mu - move[-1]
    return float(mu)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"states": 0}, "states must be a whole number"),
    ({"states": 2, "conditions": ["psi(0) = 0"]}, "how states are normalised"),
    ({"states": 2, "unknowns": {"k": 1, "c": 2}}, "has one unknown, the eigenvalue"),
    ({"states": 2, "hard": True}, "has no hard"),
    ({"states": 2, "domain": {"x": (0, 2), "y": (0, 1)}, "conditions": ["integral(psi, x) = 1"]}, "one coordinate"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "said"), WRONG)
def test_mistakes_are_said_in_one_line(more, said):
    with pytest.raises(qres.InputError, match=said):
        qres.Problem(**(BOX | more))
