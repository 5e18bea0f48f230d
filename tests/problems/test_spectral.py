"""A spectral reference of a user's own equation: right where the answer is known, and refused where it cannot be."""

import numpy as np
import pytest

from qres import Architecture, solve
from qres.problems import Problem, _spectral, reference_of, spectral_reference
from qres.reference import Gridded
from qres.runtime.errors import InputError

DOMAIN = {"t": [0, 1], "x": [0, "2*pi"]}


def test_an_advected_and_damped_wave():
    """`u_t + 2 u_x = 0.1 u_xx - 0.3 u`, whose modes are known."""
    problem = Problem("0 = u_t + 2*u_x - 0.1*u_xx + 0.3*u", DOMAIN, ["cos(x) = u(0, x)"], periodic=["x"])
    found = spectral_reference(problem).to_xarray()
    exact = np.exp(-0.4 * found.t) * np.cos(found.x - 2 * found.t)
    assert float(abs(found.u - exact).max()) < 1e-11
    assert found.attrs["error"] < 1e-9


def test_a_system_with_a_definition_and_a_nonlinear_exchange():
    """Uniform states: `u_t = u v`, `v_t = -u v` is a logistic equation."""
    problem = Problem(
        ["u_t = u*v + d*u_xx", "v_t + u*v = v_xx"], DOMAIN, ["u(0, x) = 0.5", "v(0, x) = 0.5"], periodic=["x"],
        definitions={"total": "u + v"}, unknowns={"d": {"start": 0.0, "true": 0.5}},
    )  # fmt: skip
    found = spectral_reference(problem).to_xarray()
    assert float(abs(found.u - 1 / (1 + np.exp(-found.t))).max()) < 1e-9
    assert float(abs(found.total - 1).max()) < 1e-9


def test_it_is_the_reference_called_spectral(monkeypatch, tmp_path):
    monkeypatch.setenv("QRES_CACHE", str(tmp_path))
    problem = Problem("u_t = u_xx", DOMAIN, ["u(0, x) = sin(x)"], periodic=["x"], reference="spectral")
    found = reference_of(problem)
    assert isinstance(found, Gridded)
    assert np.abs(found.fields["u"][-1] - np.exp(-1) * np.sin(found.axes["x"])).max() < 1e-10


@pytest.mark.parametrize(
    ("equation", "more", "message"),
    [
        ("u_t = u_xx", {"periodic": []}, "needs periodic coordinates of space, and x is not"),
        ("u_t = u_xx + t", {}, "t does not stand by itself"),
        ("u_t = u_xx + f", {"definitions": {"g": "cos(t)", "f": "2*g"}}, "t does not stand by itself"),
        ("u_t = -2*u*u_x", {}, "does not converge"),
        ("u_t = a*u_xx", {"unknowns": {"a": 1.0}}, "needs the true value of a"),
        ("u_tt = u_xx", {}, "of the form u_t"),
        ("u_t = u_xx", {"conditions": []}, "needs initial conditions"),
    ],
)
def test_what_is_wrong_is_said(equation, more, message):
    given = {"conditions": ["u(0, x) = sin(x)"], "periodic": ["x"], **more}
    with pytest.raises(InputError, match=message):
        spectral_reference(Problem(equation, DOMAIN, **given))


def test_unknowns_in_initial_data_have_their_true_values():
    problem = Problem(
        "u_t = u_xx", DOMAIN, ["u(0, x) = a*sin(x)"], periodic=["x"], unknowns={"a": {"start": 1, "true": 3}}
    )
    found = spectral_reference(problem)
    assert np.abs(found.fields["u"][0] - 3 * np.sin(found.axes["x"])).max() < 1e-10


def test_a_reference_that_does_not_converge_does_not_end_the_run(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("QRES_CACHE", str(tmp_path))
    monkeypatch.setattr(_spectral, "_LEVELS", {1: 2})
    problem = Problem("u_t = -2*u*u_x", DOMAIN, ["u(0, x) = sin(x)"], periodic=["x"], reference="spectral")
    found = solve(problem, Architecture(width=4, depth=1), iterations=2)
    assert found.result.iterations == 2
    assert found.errors == {}
    assert found.reference is None
    said = " ".join(capsys.readouterr().err.split())
    assert "warning: no reference, and no errors against it" in said
