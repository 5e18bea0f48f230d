"""Problems whose solution is known, solved by least squares: true errors."""

import numpy as np
import pytest

import qres
from qres.fields import known_solution
from qres.least_squares import Features, FeatureSolver
from qres.solution import Solution


def solved(problem, **options):
    found, truth = FeatureSolver(problem, **options).solve(most=1100), known_solution(problem, None)
    assert found is not None
    assert truth is not None
    errors = Solution(problem, found.model, scheme=None).errors_against(truth)
    return found, max(errors.values())


PROBLEMS = {
    "oscillator": qres.Problem(
        "u_tt + u_t + 16*u = 0", {"t": [0, 4]}, ["u(0) = 1", "u_t(0) = 0"],
        exact={"u": "exp(-t/2)*(cos(sqrt(15.75)*t) + 0.5/sqrt(15.75)*sin(sqrt(15.75)*t))"},
    ),
    "convection, nine times around": qres.Problem(
        "u_t + 50*u_x = 0", {"t": [0, 1], "x": [0, "2*pi"]}, ["u(0, x) = sin(x)"], periodic=["x"],
        exact={"u": "sin(x - 50*t)"},
    ),
    "Helmholtz": qres.Problem(
        "u_xx + u_yy + u = (1 - 17*pi^2)*sin(pi*x)*sin(4*pi*y)", {"x": [-1, 1], "y": [-1, 1]},
        ["u = 0 on boundary"], exact={"u": "sin(pi*x)*sin(4*pi*y)"},
    ),
    "steel rod with convection at one end, in SI units": qres.Problem(
        "T_t = a*T_xx", {"t": [0, 3600], "x": [0, 0.2]},
        ["T(0, x) = 293 + 80*cos(m*x)", "T_x(t, 0) = 0", "T_x(t, 0.2) = -h*(T(t, 0.2) - 293)"],
        constants={"a": 1.2e-5, "m": 5.0, "h": "5*tan(1)"},
        exact={"T": "293 + 80*exp(-a*m^2*t)*cos(m*x)"},
    ),
    "Stokes' second problem, a plate that swings in water": qres.Problem(
        "u_t = nu*u_yy", {"t": [0, 2.0], "y": [0, 2e-3]},
        ["u(0, y) = 0.1*exp(-k*y)*cos(-k*y)", "u(t, 0) = 0.1*cos(w*t)",
         "u(t, 2e-3) = 0.1*exp(-k*2e-3)*cos(w*t - k*2e-3)"],
        constants={"nu": 1e-6, "w": "pi", "k": "sqrt(w/(2*nu))"},
        exact={"u": "0.1*exp(-k*y)*cos(w*t - k*y)"},
    ),
    "Cauchy and Riemann, two fields": qres.Problem(
        ["u_x = v_y", "u_y = -v_x"], {"x": [0, 1], "y": [0, 1]},
        ["u = exp(x)*cos(y) on boundary", "v(0, 0) = 0"],
        exact={"u": "exp(x)*cos(y)", "v": "exp(x)*sin(y)"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROBLEMS)
def test_true_errors(name):
    found, error = solved(PROBLEMS[name])
    assert error < 1e-9
    assert found.residual < 1e-8


@pytest.mark.parametrize("hard", [True, False])
def test_the_ansatz_may_hold_the_conditions(hard):
    conditions = ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"]
    problem = qres.Problem(
        "u_t = u_xx/10", {"t": [0, 1], "x": [0, 1]}, conditions, hard=hard,
        exact={"u": "exp(-pi^2*t/10)*sin(pi*x)"},
    )  # fmt: skip
    assert solved(problem)[1] < 1e-10


def test_an_unknown_source_from_measurements():
    x = np.array([0.3, 0.6])
    problem = qres.Problem(
        "u_xx = -q*sin(pi*x)", {"x": [0, 1]}, ["u(0) = 0", "u(1) = 0"],
        unknowns={"q": {"start": 1.0, "positive": True}}, exact={"u": "3*sin(pi*x)/pi^2"},
        data=qres.Data({"x": x, "u": 3 * np.sin(np.pi * x) / np.pi**2}),
    )  # fmt: skip
    found, error = solved(problem)
    assert error < 1e-10
    assert abs(float(found.model.parameters(problem)["q"]) - 3) < 1e-9


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    problem = PROBLEMS["Helmholtz"]
    features = Features("mlp", "sin", (8.0, 18.0))
    trials = [FeatureSolver(problem, seed=seed).trial(features, 100) for seed in (0, 0, 1)]
    one, two, three = (np.asarray(trial.model.network.layers[-1].W) for trial in trials if trial is not None)
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, three)


def test_no_time_is_no_solution():
    assert FeatureSolver(PROBLEMS["Helmholtz"], is_over=lambda seconds: True).solve() is None


def test_an_unresolved_solution_is_told_by_its_residual():
    problem = qres.Problem(
        "u_xx + 1e4*u = 0", {"x": [0, 100]}, ["u(0) = 0", "u_x(0) = 100"], exact={"u": "sin(100*x)"}
    )
    found, error = solved(problem)
    assert error > 0.1
    assert found.residual > 1e-5  # of a solution that is accepted it is below that
