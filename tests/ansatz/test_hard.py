"""Hard conditions: they hold to rounding for any network, and the rest stays soft with a reason."""

import numpy as np
import pytest

from qres.jets import Truncation, cos, exp
from qres.posed.evaluator import Residuals
from qres.problems import Problem
from qres.runtime.errors import InputError

SQUARE = {"x": (0, 1), "y": (-1, 2)}
STRIP = {"t": (0, 2), "x": (-1, 3)}


def network(at, seed):
    """A smooth function that satisfies nothing."""
    weights = np.random.default_rng(seed).normal(size=len(at) + 1).tolist()
    phase = weights[0]
    for weight, jet in zip(weights[1:], at.values(), strict=True):
        phase = jet * weight + phase
    return exp(cos(phase))


def residuals(problem, condition, seed, **unknowns):
    """A condition's residual at random points, for a random network in place of each field."""
    random = np.random.default_rng(seed)
    truncation = Truncation.closure(problem.coordinates, [(2,) * len(problem.coordinates)])
    points = np.stack([random.uniform(low, high, 5) for low, high in problem.bounds.values()])

    def source(at):
        raw = {name: network(at, seed + i) for i, name in enumerate(problem.fields)}
        return problem.ansatz(raw, at, problem.known({}, unknowns), problem.definitions)

    evaluated = Residuals.of(problem, equations=False, conditions=[condition])
    return evaluated.at(source, [points], unknowns, truncation=truncation)[condition.name]


HARD = {
    "initial value": ("u_t = u_xx", STRIP, ["u(0, x) = exp(x)"]),
    "one face": ("u_t = u_x", STRIP, ["u(t, 3) = t^2"]),
    "initial and both faces": (
        "u_t = u_xx", STRIP, ["u(0, x) = x^2", "u(t, -1) = 1 + t", "u(t, 3) = 9*cos(t)"]
    ),
    "value and speed": (
        "u_tt = u_xx", STRIP, ["u(0, x) = cos(x)", "u_t(0, x) = sin(x)", "u(t, -1) = cos(1) - sin(1)*t",
        "u(t, 3) = cos(3 - t)"]
    ),
    "four faces": (
        "u_xx + u_yy = 0", SQUARE, ["u(0, y) = y", "u(1, y) = y^3 + 1 - y", "u(x, -1) = -1 + 2*x",
        "u(x, 2) = 2 + 5*x"]
    ),
    "clamped at both ends": (
        "u_xxxx = 1", {"x": (1, 4)}, ["u(1) = 2", "u_x(1) = -1", "u(4) = 0.5", "u_x(4) = 3"]
    ),
    "start, speed and acceleration": ("u_ttt = u", {"t": (1, 2)}, ["u(1) = 2", "u_t(1) = 3", "u_tt(1) = 4"]),
    "tiny units": (
        "u_t = u_xx", {"t": (0, 1), "x": (0, 1)}, ["u(0, x) = 1.6e-19*(1 + x)", "u(t, 0) = 1.6e-19",
        "u(t, 1) = 3.2e-19"]
    ),
    "value and slope here, value there": ("u_xxx = 1", {"x": (0, 2)}, ["u(0) = 2", "u(2) = 5", "u_x(2) = 1"]),
    "two fields": (
        ["u_t = v_xx", "v_t = u_xx"], STRIP, ["u(0, x) = x", "v(0, x) = 1", "u(t, -1) = -1", "v(t, 3) = 1"]
    ),
    "three coordinates": (
        "u_t = u_xx + u_yy",
        {"t": (0, 1), "x": (0, 2), "y": (0, 3)},
        ["u(0, x, y) = x*y", "u(t, 0, y) = t*y", "u(t, 2, y) = 2*y + t", "u(t, x, 0) = t*x/2"],
    ),
    "constants and the fixed coordinate": ("u_t = k*u_x", STRIP, ["u(0, x) = k*x + t", "u(t, -1) = k*x"]),
}  # fmt: skip


@pytest.mark.parametrize("case", HARD)
def test_conditions_hold_for_any_network(case):
    equations, domain, conditions = HARD[case]
    problem = Problem(equations, domain, conditions, hard=True, constants={"k": 0.3})
    assert problem.soft_conditions == ()
    assert problem.soft_reasons == {}
    for condition in problem.conditions:
        for seed in (1, 2):
            assert np.max(np.abs(residuals(problem, condition, seed))) < 1e-12


def test_the_transform_of_burgers_reads_as_one_would_write_it():
    conditions = ["u(0, x) = -sin(pi*x)", "u(t, -1) = 0", "u(t, 1) = 0"]
    problem = Problem("u_t + u*u_x = u_xx", {"t": (0, 1), "x": (-1, 1)}, conditions, hard=True)
    assert problem.transform["u"].text == "-sin(pi*x) + t*(x + 1)*(1 - x)*u"


def test_the_network_is_free_inside():
    problem = Problem("u_t = u_xx", STRIP, ["u(0, x) = x", "u(t, -1) = -1", "u(t, 3) = 3"], hard=True)
    at = {"t": 2.0, "x": 1.0}
    low, high = (problem.ansatz({"u": raw}, at, {}, {})["u"] for raw in (0.0, 1.0))
    assert high - low == pytest.approx(1.0)  # the distance to the faces is at most one, and is one here


def test_data_may_have_unknowns():
    problem = Problem(
        "u_t = u_x", STRIP, ["u(0, x) = a*x", "u(t, -1) = -a*exp(t)"], hard=True, unknowns={"a": 1.0}
    )
    assert problem.soft_conditions == ()
    for condition in problem.conditions:
        assert np.max(np.abs(residuals(problem, condition, 1, a=2.5))) < 1e-12


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("u_x(t, 3) = 0", "gives a derivative, but not all the lower ones"),
        ("u_x(t, 3) + u(t, 3) = 0", "is not a field's value"),
        ("u(t, 3)^2 = 1", "is not a field's value"),
        ("u(t, -1) = u(t, 3)", "is not a field's value"),
        ("u(t, 3) = 7", "does not agree with the conditions before it"),
        ("u(t, 1) = 1", "is not at a bound of x"),
        ("u(0, 3) = 3", "fixes several coordinates"),
        ("u_t(t, 3) = 0", "has a derivative along its face"),
    ],
)
def test_what_cannot_be_hard_stays_soft_and_says_why(condition, reason):
    problem = Problem("u_t = u_xx", STRIP, ["u(0, x) = x^2", condition], hard=True)
    (soft,) = problem.soft_reasons
    assert reason in problem.soft_reasons[soft]
    assert problem.notes == (f"{soft} {condition!r} stays soft: it {problem.soft_reasons[soft]}",)
    assert problem.conditions[0] not in problem.soft_conditions
    if condition != "u(0, 3) = 3" and "agree" not in reason:
        assert [c.name for c in problem.soft_conditions] == [soft]


def test_a_stated_transform_is_tried_on_each_condition():
    conditions = ["u(0, x) = 1", "u(t, -1) = 1", "u(t, 3) = 2", "u_t(0, x) = 0"]
    problem = Problem("u_tt = u_xx", STRIP, conditions, transform={"u": "1 + t^2*(x + 1)*u"})
    assert [condition.text for condition in problem.soft_conditions] == ["u(t, 3) = 2"]
    for condition in problem.conditions:
        if condition not in problem.soft_conditions:
            assert np.max(np.abs(residuals(problem, condition, 3))) < 1e-12


def test_a_transform_of_a_definition_is_seen_through():
    problem = Problem(
        "u_x + psi_yy = 0",
        SQUARE,
        ["u(x, -1) = 0"],
        definitions={"u": "psi_y"},
        transform={"psi": "(y + 1)^2*psi"},
    )
    assert problem.soft_conditions == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"conditions": ["u_x(t, 3) = 0"], "hard": True},
            r"no condition can be built.*boundary gives a derivative",
        ),
        ({"conditions": [], "hard": True}, r"no condition can be built into the network: there are none"),
        ({"hard": True, "transform": {"u": "u"}}, r"not both"),
        ({"transform": {"v": "u"}}, r"'v' is not a field; those are u"),
        ({"transform": {"u": "z*u"}}, r"unknown name 'z'"),
    ],
)
def test_a_wrong_transform_is_one_clear_line(changes, message):
    with pytest.raises(InputError, match=message):
        Problem(**{"equations": "u_t = u_xx", "domain": STRIP, "conditions": ["u(0, x) = 1"], **changes})


@pytest.mark.parametrize("unit", [1e-19, 1e-10, 1.0, 1e12])
def test_data_that_do_not_agree_are_found_in_any_units(unit):
    conditions = [f"u(0, x) = {unit}", "u(t, -1) = 0", "u(t, 3) = 0"]
    problem = Problem("u_t = u_xx", STRIP, conditions, hard=True)
    assert len(problem.soft_conditions) == 2
    assert sum("disagree where they meet" in warning for warning in problem.warnings) == 2


@pytest.mark.parametrize("unit", [1e-19, 1.0, 1e12])
def test_a_transform_that_leaves_the_network_free_is_found_in_any_units(unit):
    conditions = [f"u(0, x) = {unit}", f"u(t, 3) = {unit}"]
    problem = Problem("u_t = u_xx", STRIP, conditions, transform={"u": f"{unit} + t*u"})
    assert [condition.text for condition in problem.soft_conditions] == conditions[1:]


def test_data_that_vanish_at_even_distances_have_a_size():
    given = {"equations": "u_t = u_xx", "domain": {"t": (0, 1), "x": (0, "2*pi")}}
    conditions = ["u(0, x) = sin(16*x)", "u(t, 2*pi) = 0"]
    assert Problem(**given, conditions=conditions, hard=True).warnings == (
        "'u' has derivatives up to order 2 in x, but 1 condition(s) fix x: the solution may not be unique",
    )
    left = Problem(**given, conditions=conditions[:1], transform={"u": "sin(16*x) + u"}).soft_conditions
    assert [condition.text for condition in left] == conditions[:1]


def test_data_without_a_value_at_an_edge_stay_soft():
    conditions = ["u(0, x) = sin(pi*x)/x", "u(t, 0) = pi", "u(t, 1) = 0"]
    problem = Problem("u_t = u_xx", {"t": (0, 1), "x": (0, 1)}, conditions, hard=True)
    assert [condition.text for condition in problem.soft_conditions] == conditions[1:2]
    assert "has no value" in problem.notes[0]
    assert "'u(0, x) = sin(pi*x)/x' has no finite value at x = 0, and is asked there" in problem.warnings[0]
