"""Time windows by least squares: accuracy, seams, files, resuming, and errors in words."""

import numpy as np
import pytest

import qres
from qres.fields import Chain, Windows
from qres.results import Stop, Verdict
from qres.runtime.errors import InputError
from qres.windows import evolution

DECAY = qres.Problem(
    ["u_t = -2*u + cos(t)"],
    {"t": [0, 3]},
    ["u(0) = 1"],
    exact={"u": "0.6*exp(-2*t) + 0.4*cos(t) + 0.2*sin(t)"},
)
HEAT = qres.Problem(
    ["u_t = 0.1*u_xx"],
    {"t": [0, 1], "x": [0, 1]},
    ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"],
    exact={"u": "exp(-0.1*pi^2*t)*sin(pi*x)"},
)


def solved(problem, windows, **options):
    return qres.solve(problem, windows=windows, progress=False, **options)


def edges(solution):
    assert solution.chain is not None
    return solution.chain.edges


@pytest.fixture(scope="module")
def decay():
    return solved(DECAY, 3)


@pytest.fixture(scope="module")
def heat():
    return solved(HEAT, Windows(2, features=60))


def test_an_ordinary_equation_in_three_windows(decay):
    assert decay.chain.edges == (0.0, 1.0, 2.0, 3.0)
    assert decay.result.errors["u"] < 1e-9
    assert decay.result.stopped.reason is Stop.CONVERGED


def test_values_and_derivatives_agree_at_the_seams(decay):
    for seam in decay.chain.edges[1:-1]:
        before, after = np.nextafter(seam, 0.0), seam
        for name, close in (("u", 1e-9), ("u_t", 1e-6)):
            assert abs(decay(name, t=before) - decay(name, t=after)) < close


def test_the_formula_of_the_equation_holds_over_all_windows(decay):
    t = np.linspace(0, 3, 301)
    assert np.max(np.abs(decay("u_t + 2*u - cos(t)", t=t))) < 1e-6
    assert decay.integral("u") == pytest.approx(
        0.3 * (1 - np.exp(-6)) + 0.4 * np.sin(3) + 0.2 * (1 - np.cos(3))
    )


def test_points_in_any_order_and_shape(decay):
    t = np.array([[2.9, 0.1], [1.5, 1.0]])
    assert np.array_equal(decay(t=t), np.array([[decay(t=v) for v in row] for row in t]))


def test_a_partial_differential_equation_in_two_windows(heat):
    assert heat.result.errors["u"] < 1e-5
    assert heat.chain.count == 2
    assert set(heat.to_xarray((5, 7)).dims) == {"t", "x"}


def test_conditions_of_space_may_be_built_in():
    problem = qres.Problem(
        ["u_tt = u_xx"],
        {"t": [0, 2], "x": [0, 1]},
        ["u(0, x) = sin(pi*x)", "u_t(0, x) = 0", "u(t, 0) = 0", "u(t, 1) = 0"],
        hard=True,
        exact={"u": "cos(pi*t)*sin(pi*x)"},
    )
    found = solved(problem, Windows(2, features=60))
    assert found.result.errors["u"] < 1e-4
    assert np.max(np.abs(found(t=np.linspace(0, 2, 9), x=0.0))) == 0


def test_one_file_holds_all_windows(decay, tmp_path):
    t = np.linspace(0, 3, 50)
    file = decay.save(tmp_path / "decay.qres")
    again = qres.load(file)
    assert again.chain == decay.chain
    assert np.array_equal(again(t=t), decay(t=t))
    assert np.array_equal(again("u_t", t=t), decay("u_t", t=t))


def test_a_run_that_was_cut_between_windows_resumes_to_the_bit(tmp_path):
    whole = solved(DECAY, 3, run=tmp_path / "whole", estimate=False)
    part = solved(DECAY, 3, run=tmp_path / "part", estimate=False, iterations=1)
    assert edges(part) == (0.0, 1.0)
    assert part.result.stopped.reason is Stop.BUDGET
    rest = qres.resume(tmp_path / "part", iterations=10, estimate=False, progress=False)
    assert rest.chain == whole.chain
    t = np.linspace(0, 3, 100)
    assert np.array_equal(rest(t=t), whole(t=t))


def test_a_stiff_system_of_two_time_scales(tmp_path):
    k, m = 1.0, 1e4
    problem = qres.Problem(
        ["a_t = -k*a", "b_t = k*a - m*b"],
        {"t": [0, 10]},
        ["a(0) = 1", "b(0) = 0"],
        constants={"k": k, "m": m},
        exact={"a": "exp(-k*t)", "b": "k/(m - k)*(exp(-k*t) - exp(-m*t))"},
    )
    found = solved(problem, "auto", run=tmp_path / "run")
    assert max(found.result.errors.values()) < 1e-6
    assert np.diff(edges(found))[0] < 1e-2 < np.diff(edges(found))[-2]
    estimate = found.result.estimate
    assert estimate is not None and estimate.status is Verdict.HOLDS
    assert all(1e-12 < error < 1e-6 for error in estimate.errors.values())


def test_second_order_equations_hand_over_their_velocity():
    problem = qres.Problem(["u_tt = -u"], {"t": [0, 6]}, ["u(0) = 1", "u_t(0) = 0"], exact={"u": "cos(t)"})
    assert evolution(problem).state == (("u", 0), ("u", 1))
    assert solved(problem, 4).result.errors["u"] < 1e-8


def test_complex_fields():
    problem = qres.Problem(["h_t = i*h"], {"t": [0, 2]}, ["h(0) = 1"], complex=["h"], exact={"h": "exp(i*t)"})
    found = solved(problem, 2)
    assert abs(found(t=1.5) - np.exp(1.5j)) < 1e-8


@pytest.mark.parametrize(
    ("equations", "options", "said"),
    [
        (["u_t = -k*u"], {"unknowns": {"k": 1.0}, "conditions": ["u(0) = 1"]}, "unknowns"),
        (["u_t = -u"], {"conditions": ["u(1) = 1"]}, "neither at t = 0 nor at all times"),
        (["u_t = -u"], {"conditions": []}, "u has no value at t = 0"),
        (["u_tt = -u"], {"conditions": ["u(0) = 1"]}, "u_t has no value"),
        (["u_t = -u"], {"conditions": ["u(0)^2 = 1"]}, "does not give the value"),
        (["u = cos(t)"], {"conditions": [], "fields": ["u"]}, "no equation"),
    ],
)
def test_problems_that_windows_cannot_solve(equations, options, said):
    problem = qres.Problem(equations, {"t": [0, 1]}, **options)
    with pytest.raises(InputError, match=said):
        solved(problem, 2)


def test_a_problem_without_time():
    problem = qres.Problem(["u_xx + u_yy = 0"], {"x": [0, 1], "y": [0, 1]}, ["u(x, 0) = x"])
    with pytest.raises(InputError, match="no coordinate t"):
        solved(problem, 2)


@pytest.mark.parametrize(
    ("stated", "said"),
    [(0, "windows"), ("many", "auto"), (2.5, "windows"), (200_000, "at most")],
)
def test_numbers_of_windows_that_are_none(stated, said):
    with pytest.raises(InputError, match=said):
        Windows(stated)


def test_windows_and_discrete_time_exclude_each_other():
    with pytest.raises(InputError, match="exclude"):
        qres.solve(HEAT, windows=2, time=qres.Time(4), progress=False)


def test_the_window_of_a_time():
    chain = Chain((0.0, 1.0, 4.0), frozenset())
    assert chain.window_of(np.array([-1.0, 0.0, 0.99, 1.0, 4.0, 9.0])).tolist() == [0, 0, 0, 1, 1, 1]
    assert Chain.from_dict(chain.to_dict()) == chain
