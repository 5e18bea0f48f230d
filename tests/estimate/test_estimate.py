"""Errors without a reference: the estimate follows the true error, and says when an answer does not hold."""

import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.estimate import estimate
from qres.estimate._verdict import Findings, warnings_of
from qres.fields import Model
from qres.residuals import create_model
from qres.results import Verdict
from qres.solution import Solution


def solution_of(problem, function):
    """A Solution whose fields are a function of the coordinates, instead of a network's."""
    return Solution(problem, Model(function, {}, ((0.0, 1.0),) * len(problem.fields)))


def heat(**more):
    return qres.Problem(
        "u_t = u_xx/10",
        {"t": (0, 1), "x": (0, 1)},
        ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"],
        exact={"u": "exp(-pi^2*t/10)*sin(pi*x)"},
        **more,
    )


def exact_heat(z):
    return jnp.exp(-(jnp.pi**2) * z[0] / 10) * jnp.sin(jnp.pi * z[1])


@pytest.mark.parametrize("size", [1e-1, 1e-4, 1e-8])
def test_a_known_error_is_found_over_many_orders(size):
    def wrong(z):
        return (exact_heat(z) + size * jnp.sin(3 * z[0] + 5 * z[1]))[None]

    solution = solution_of(heat(), wrong)
    found = solution.estimate(effort=0.2)
    assert found.errors["u"] == pytest.approx(solution.errors["u"], rel=0.05)
    assert found.unexplained < 0.1
    assert ("does not hold" in found.verdict) == (size == 1e-1)


def test_a_nonlinear_problem_far_from_its_solution():
    problem = qres.Problem(
        "u_t = 5*u*(1 - u)",
        {"t": (0, 1)},
        ["u(0) = 0.1"],
        exact={"u": "0.1*exp(5*t)/(0.9 + 0.1*exp(5*t))"},
        hard=False,
    )
    trivial = solution_of(problem, lambda z: 0.1 * jnp.exp(-z[:1]))
    assert trivial.estimate().errors["u"] == pytest.approx(trivial.errors["u"], rel=0.1)


def test_several_fields_definitions_and_a_field_that_is_zero():
    problem = qres.Problem(
        ["u_t = -v", "v_t = u", "w_t = -w"],
        {"t": (0, 2)},
        ["u(0) = 1", "v(0) = 0", "w(0) = 0"],
        definitions={"h": "u^2 + v^2"},
        exact={"u": "cos(t)", "v": "sin(t)", "h": "1", "w": "0"},
        hard=False,
    )

    def wrong(z):
        t = z[0]
        return jnp.stack([jnp.cos(t) + 1e-3 * t, jnp.sin(t), 1e-5 * jnp.sin(t)])

    solution = solution_of(problem, wrong)
    found = solution.estimate().errors
    for name in ("u", "v", "h", "w"):
        assert found[name] == pytest.approx(solution.errors[name], rel=0.1, abs=1e-9), name


def test_periodic_coordinates_and_conditions_at_two_places():
    ring = {
        "equations": "u_t + u_x = 0",
        "domain": {"t": (0, 1), "x": (0, "2*pi")},
        "exact": {"u": "sin(x - t)"},
    }
    problems = [
        qres.Problem(**ring, conditions=["u(0, x) = sin(x)"], periodic=["x"]),
        qres.Problem(**ring, conditions=["u(0, x) = sin(x)", "u(t, 0) = u(t, 2*pi)"]),
    ]
    for problem in problems:
        solution = solution_of(
            problem, lambda z: (jnp.sin(z[1] - z[0]) + 1e-3 * z[0] * jnp.cos(z[1] - 0.3))[None]
        )
        assert solution.estimate(0.2).errors["u"] == pytest.approx(solution.errors["u"], rel=0.1)


def test_three_coordinates():
    problem = qres.Problem(
        "u_t = u_xx + u_yy",
        {"t": (0, 0.1), "x": (0, 1), "y": (0, 1)},
        [
            "u(0, x, y) = sin(pi*x)*sin(pi*y)",
            "u(t, 0, y) = 0",
            "u(t, 1, y) = 0",
            "u(t, x, 0) = 0",
            "u(t, x, 1) = 0",
        ],
        exact={"u": "exp(-2*pi^2*t)*sin(pi*x)*sin(pi*y)"},
    )

    def wrong(z):
        t, x, y = z
        right = jnp.exp(-2 * jnp.pi**2 * t) * jnp.sin(jnp.pi * x) * jnp.sin(jnp.pi * y)
        return (right + 1e-3 * x * (1 - x) * jnp.sin(jnp.pi * y) * jnp.cos(9 * t))[None]

    solution = solution_of(problem, wrong)
    assert solution.estimate(0.5).errors["u"] == pytest.approx(solution.errors["u"], rel=0.1)


def test_a_constant_that_is_free_counts_for_nothing():
    problem = qres.Problem(
        ["p_x = cos(x)", "p_y = 0"],
        {"x": (0, 1), "y": (0, 1)},
        fields=["p"],
        up_to_constant=["p"],
        exact={"p": "sin(x)"},
    )
    solution = solution_of(problem, lambda z: (7.0 + jnp.sin(z[0]) + 1e-3 * z[1])[None])
    assert solution.estimate(0.2).errors["p"] == pytest.approx(solution.errors["p"], rel=0.1)


def test_an_answer_that_only_fits_its_points_is_called_out():
    points = qres.Sampling(points=9, condition_points=3, resample_every=0)
    net = qres.Architecture("mlp", width=12, depth=2)
    found = qres.solve(heat(), net, sampling=points, iterations=150, progress=False)
    judged = found.estimate(0.2)
    assert judged.residuals["equation"]["fresh"] > 10 * judged.residuals["equation"]["training"]
    assert any("small loss, but the answer does not hold" in warning for warning in judged.warnings)
    assert judged.errors["u"] == pytest.approx(found.errors["u"], rel=0.2)


def test_a_small_residual_of_a_wrong_answer_is_called_out():
    swing = qres.Problem(
        "u_tt + 1600*u = 0",
        {"t": (0, 2)},
        ["u(0) = 1", "u_t(0) = 0"],
        exact={"u": "cos(40*t)"},
        hard=False,
    )
    damped = solution_of(swing, lambda z: jnp.exp(-z[:1] / 2) * jnp.cos(40 * z[:1]))
    judged = damped.estimate()
    assert judged.residuals["equation"]["fresh"] < 0.02
    assert judged.errors["u"] == pytest.approx(damped.errors["u"], rel=0.1)
    assert judged.verdict.startswith("does not hold")
    assert judged.warnings[0].startswith("small loss, but the answer does not hold")


def test_unknowns_move_with_the_field():
    t = np.linspace(0, 2, 30)
    problem = qres.Problem(
        "u_t = -k*u",
        {"t": (0, 2)},
        ["u(0) = 1"],
        unknowns={"k": qres.Positive(0.9, true=1.0)},
        data=qres.Data({"t": t, "u": np.exp(-t)}),
        exact={"u": "exp(-t)"},
        hard=False,
    )
    wrong = Solution(problem, create_model(problem, lambda z: jnp.exp(-0.9 * z[:1]), [(0.0, 1.0)]))
    found = wrong.estimate()
    assert found.unknowns["k"] == pytest.approx(0.1, rel=0.1)
    assert found.errors["u"] == pytest.approx(wrong.errors["u"], rel=0.05)


def test_what_cannot_be_estimated_says_why():
    free = qres.Problem("u_t = -k*u", {"t": (0, 1)}, ["u(0) = 1"], unknowns={"k": 1.0})
    judged = Solution(free, create_model(free, lambda z: jnp.exp(-z[:1]))).estimate()
    assert judged.errors == {}
    assert judged.verdict.startswith("not known: the measurements")
    with pytest.raises(ValueError, match="effort"):
        solution_of(heat(), lambda z: exact_heat(z)[None]).estimate(0)


def test_seeds_that_agree_and_one_that_does_not():
    problem = heat()

    def near(size, shift):
        return solution_of(problem, lambda z: (exact_heat(z) + size * jnp.sin(9 * z[1] + shift))[None])

    same = [near(1e-4, shift) for shift in (0.0, 2.0, 4.0)]
    assert estimate(same).errors["u"] == pytest.approx(same[0].errors["u"], rel=0.5)
    assert not estimate(same).warnings
    assert "solution 4 stands off" in estimate([*same, near(0.1, 1.0)]).warnings[0]
    with pytest.raises(ValueError, match="two solutions"):
        estimate(same[:1])
    with pytest.raises(ValueError, match="same problem"):
        estimate([same[0], solution_of(qres.Problem("v_t = -v", {"t": (0, 1)}, ["v(0) = 1"]), jnp.exp)])


def test_a_run_keeps_its_estimate_and_a_file_gives_it_again(tmp_path):
    found = qres.solve(
        qres.Problem("u_t = -u", {"t": (0, 2)}, ["u(0) = 1"], exact={"u": "exp(-t)"}),
        qres.Architecture(width=4, depth=2),
        sampling=qres.Sampling(points=100),
        iterations=8,
        run=tmp_path / "run",
        progress=False,
    )
    kept = found.result.estimate
    assert kept is not None
    assert kept.errors["u"] == pytest.approx(found.errors["u"], rel=0.3)
    loaded = qres.load(tmp_path / "run" / "solution.qres")
    assert loaded.result.estimate == kept
    again = loaded.estimate()
    assert again.errors["u"] == pytest.approx(kept.errors["u"], rel=1e-6)
    assert again.residuals["equation"] == pytest.approx(kept.residuals["equation"], rel=1e-6)
    assert "Estimate without a reference" in (tmp_path / "run" / "report.html").read_text()


def test_a_small_field_is_compared_with_its_own_size():
    problem = qres.Problem(
        ["a_t = -a", "b_t = a - m*b"],
        {"t": (0, 10)},
        ["a(0) = 1", "b(0) = 0"],
        constants={"m": 1e4},
        exact={"a": "exp(-t)", "b": "(exp(-t) - exp(-m*t))/(m - 1)"},
    )
    solution = solution_of(problem, lambda z: jnp.concatenate([jnp.exp(-z), 5e-4 * jnp.tanh(9 * z)]))
    found = solution.estimate()
    assert found.errors["b"] == pytest.approx(solution.errors["b"], rel=0.1)
    assert found.status is Verdict.DOES_NOT_HOLD
    assert "train longer" in " ".join(found.warnings)


@pytest.mark.parametrize("size", [1e-2, 1e-7])
def test_errors_of_a_beam_are_not_lost_in_rounding(size):
    problem = qres.Problem(
        "w_xxxx = 1",
        {"x": (0, 1)},
        ["w(0) = 0", "w(1) = 0", "w_xx(0) = 0", "w_xx(1) = 0"],
        exact={"w": "(x^4 - 2*x^3 + x)/24"},
        hard=False,
    )
    solution = solution_of(
        problem, lambda z: (z**4 - 2 * z**3 + z) / 24 * (1 + size * jnp.cos(2 * z)) + size * z
    )
    assert solution.estimate().errors["w"] == pytest.approx(solution.errors["w"], rel=0.01)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("equation", "conditions", "function"),
    [
        ("u_xx + pi^2*u = 0", ["u(0) = 0", "u(1) = 0"], lambda z: jnp.sin(jnp.pi * z)),
        ("u_xx = -1", ["u(0) = 0"], lambda z: z * (1 - z) / 2),
        ("u_xx = -cos(pi*x)", ["u_x(0) = 0", "u_x(1) = 0"], lambda z: jnp.cos(jnp.pi * z) / jnp.pi**2),
    ],
)
def test_what_the_problem_does_not_determine_does_not_hold(equation, conditions, function):
    found = solution_of(qres.Problem(equation, {"x": (0, 1)}, conditions, hard=False), function).estimate()
    assert found.status is Verdict.CANNOT_TELL
    assert found.verdict.startswith("cannot tell: the problem does not determine u")
    assert "missing condition" in found.warnings[-1]


def root(t):
    """A solution of u' = 2·√|u|, u(0) = 0, one of many."""
    return jnp.where(t > 0.5, (t - 0.5) ** 2, 0.0)


@pytest.mark.parametrize("function", [lambda z: 0 * z, lambda z: 1e-6 * z, lambda z: z**2, root])
def test_a_slope_that_is_not_finite_lets_many_solutions_begin(function):
    problem = qres.Problem("u_t = 2*sqrt(abs(u))", {"t": (0, 1)}, ["u(0) = 0"], hard=False)
    found = solution_of(problem, function).estimate()
    assert found.status in (Verdict.CANNOT_TELL, Verdict.DOES_NOT_HOLD), found.verdict


@pytest.mark.parametrize("size", [0.0, 1e-11])
def test_errors_near_rounding_are_told_or_said_to_be_limited_by_it(size):
    k = 1.1 * np.pi
    problem = qres.Problem(
        "u_xx + (1.1*pi)^2*u = 0",
        {"x": (0, 1)},
        ["u(0) = 0", "u(1) = 1"],
        exact={"u": "sin(1.1*pi*x)/sin(1.1*pi)"},
        hard=False,
    )
    solution = solution_of(problem, lambda z: jnp.sin(k * z) / np.sin(k) + size * jnp.cos(3 * z))
    found = solution.estimate()
    assert found.status is Verdict.HOLDS
    assert (
        "limited by rounding" in found.verdict if not size else found.errors["u"] > 0.1 * solution.errors["u"]
    )
    assert found.errors["u"] < 1e-10


def test_a_layer_that_was_missed_is_seen():
    problem = qres.Problem(
        ["a_t = -a", "b_t = a - m*b"],
        {"t": (0, 10)},
        ["a(0) = 1", "b(0) = 0"],
        constants={"m": 1e4},
        hard=False,
    )
    missed = solution_of(problem, lambda z: jnp.concatenate([jnp.exp(-z), jnp.exp(-z) / 9999]))
    found = missed.estimate()
    assert found.errors["b"] == pytest.approx(1e-2, rel=0.05)  # 1/sqrt(m): the layer is 1/m wide
    assert found.errors["a"] < 1e-6


def test_a_shock_that_nearly_any_place_suits_is_not_said_to_hold():
    eps = 0.05
    problem = qres.Problem(f"{eps}*u_xx = u*u_x", {"x": (-1, 1)}, ["u(-1) = 1", "u(1) = -1"], hard=False)
    found = solution_of(problem, lambda z: -jnp.tanh((z - 0.15) / (2 * eps))).estimate()
    assert found.status is Verdict.CANNOT_TELL
    assert "the problem hardly determines u" in found.verdict


def test_more_than_half_unexplained_is_never_said_to_hold():
    for error in (1e-6, 0.03, 3.0):
        said = Findings({"u": error}, {"u": error}, {}, unexplained=0.6)
        assert said.verdict is Verdict.CANNOT_TELL
        assert "60 % of the residuals are not explained" in said.text(warned=False)
        assert "train longer" in warnings_of(said)[-1]


def test_fields_of_very_different_sizes_are_each_judged_by_their_own():
    problem = qres.Problem(
        ["210e9*u_xx = -210e9*1e-5*pi^2*sin(pi*x)", "210e9*v_xx = 210e9*0.3*u_xx*1e-4"],
        {"x": (0, 1)},
        ["u(0) = 0", "u(1) = 0", "v(0) = 0", "v(1) = 0"],
        exact={"u": "1e-5*sin(pi*x)", "v": "3e-10*sin(pi*x)"},
        hard=False,
    )
    solution = solution_of(
        problem,
        lambda z: jnp.concatenate([1e-5 * jnp.sin(jnp.pi * z), 0.7e-10 * jnp.sin(jnp.pi * z)]),
    )
    found = solution.estimate()
    assert found.errors["v"] == pytest.approx(solution.errors["v"], rel=0.01)
    assert found.status is Verdict.DOES_NOT_HOLD


def test_what_noise_does_to_a_field_is_part_of_its_error():
    t = np.linspace(0, 3, 40)
    noise = 0.02 * np.random.default_rng(0).standard_normal(40)
    problem = qres.Problem(
        "u_t = -k*u",
        {"t": (0, 3)},
        ["u(0) = 1"],
        unknowns={"k": qres.Positive(1.0, true=1.0)},
        data=qres.Data({"t": t, "u": np.exp(-t) + noise}),
        exact={"u": "exp(-t)"},
        hard=False,
    )
    rate = float(np.sum(-t * np.exp(-t) * noise) / np.sum((t * np.exp(-t)) ** 2)) + 1  # the fit to the noise
    fitted = Solution(problem, create_model(problem, lambda z: jnp.exp(-rate * z[:1]), [(0.0, 1.0)]))
    found = fitted.estimate()
    assert found.status is Verdict.HOLDS
    assert 0.2 * fitted.errors["u"] < found.errors["u"] < 0.03
