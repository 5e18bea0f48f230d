"""Conditions: where they hold, of what kind they are, what their residual is; and those that are none."""

import numpy as np
import pytest

from qres.jets import sin
from qres.posed import Condition
from qres.posed.evaluator import Residuals
from qres.problems import Problem
from qres.runtime.errors import InputError

FREE = np.array([0.25, 0.5])


def heat(*conditions, **changes):
    stated = {
        "equations": "u_t = k*u_xx",
        "domain": {"t": (0, 2), "x": (-1, 1)},
        "conditions": list(conditions),
        "constants": {"k": 0.1},
    }
    return Problem(**{**stated, **changes})


def residual_of(problem, **unknowns):
    """That of the only condition at `FREE`, of `u = sin(3 t + 2 x)`."""
    (condition,) = problem.conditions

    def wave(at):
        return {"u": sin(at["t"] * 3.0 + at["x"] * 2.0)}

    residuals = Residuals.of(problem, equations=False, conditions=[condition])
    return residuals.at(wave, [np.stack([FREE, FREE])], unknowns)[condition.name][0]


@pytest.mark.parametrize(
    ("text", "kind", "locations", "free"),
    [
        ("u(0, x) = sin(pi*x)", "initial", ((0.0, None),), ("x",)),
        ("u_t(0, x) = 0", "initial", ((0.0, None),), ("x",)),
        ("u(t, -1) = 0", "boundary", ((None, -1.0),), ("t",)),
        ("0 = u_x(t, 1) - k", "boundary", ((None, 1.0),), ("t",)),
        ("u(2, x) = 0", "boundary", ((2.0, None),), ("x",)),
        ("u(t, 0.5)", "interior", ((None, 0.5),), ("t",)),
        ("u(t, 5*k) = 1", "interior", ((None, 0.5),), ("t",)),
        ("u(0, 0) = 1", "interior", ((0.0, 0.0),), ()),
        ("u(t, -1) = u(t, 1)", "periodic", ((None, -1.0), (None, 1.0)), ("t",)),
        ("u(t, -cos(0)) = 0", "boundary", ((None, -1.0),), ("t",)),
    ],
)
def test_kind_and_place(text, kind, locations, free):
    (condition,) = heat(text).conditions
    assert (condition.kind, condition.name, condition.free) == (kind, kind, free)
    np.testing.assert_allclose(np.array(condition.locations, float), np.array(locations, float))
    assert condition.text == text


def test_conditions_of_a_kind_are_numbered():
    problem = heat("u(0, x) = 0", "u(t, -1) = 0", "u(t, 1) = 0")
    assert [condition.name for condition in problem.conditions] == ["initial", "boundary_1", "boundary_2"]


def test_the_residual_of_a_robin_condition():
    residual = residual_of(heat("u_x(t, 1) + 2*u(t, 1) = t*k"))
    phase = 3 * FREE + 2
    np.testing.assert_allclose(residual, 2 * np.cos(phase) + 2 * np.sin(phase) - 0.1 * FREE, rtol=1e-12)


def test_the_residual_at_two_places():
    residual = residual_of(heat("u(t, -1) = u(t, 1)"))
    np.testing.assert_allclose(residual, np.sin(3 * FREE - 2) - np.sin(3 * FREE + 2), rtol=1e-12)


def test_a_fixed_coordinate_may_be_used_by_name():
    residual = residual_of(heat("u(t, 0.5) = x"))
    np.testing.assert_allclose(residual, np.sin(3 * FREE + 1) - 0.5, rtol=1e-12)


def test_unknowns_stand_in_conditions():
    problem = heat("u(t, 1) = h*t", unknowns={"h": 2.0})
    residual = residual_of(problem, h=3.0)
    np.testing.assert_allclose(residual, np.sin(3 * FREE + 2) - 3 * FREE, rtol=1e-12)


def test_a_condition_in_python():
    problem = heat(Condition.at({"t": 0.0}, lambda u, x, k: u.x - k * x))
    (condition,) = problem.conditions
    assert (condition.kind, condition.locations, condition.free) == ("initial", ((0.0, None),), ("x",))
    residual = residual_of(problem)
    np.testing.assert_allclose(residual, 2 * np.cos(2 * FREE) - 0.1 * FREE, rtol=1e-12)
    assert condition.text == "u_x(0, x) = k*x"


def test_a_function_may_differentiate_a_product_with_a_coordinate_that_is_fixed():
    residual = residual_of(heat(Condition.at({"x": 1.0}, lambda u, x, t: (t * x * u).x)))
    phase = 3 * FREE + 2
    np.testing.assert_allclose(residual, FREE * (np.sin(phase) + 2 * np.cos(phase)), rtol=1e-12)


def test_an_ordinary_differential_equation_starts_at_its_lower_bound():
    problem = Problem("u_ss + u = 0", {"s": (1, 2)}, ["u(1) = 0", "u_s(1) = 1"])
    assert [condition.name for condition in problem.conditions] == ["initial_1", "initial_2"]
    assert problem.conditions[0].free == ()


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("u(t, 3) = 0", r"x = 3 is outside the domain, \[-1, 1\]"),
        ("u(-0.1, x) = 0", r"t = -0.1 is outside the domain, \[0, 2\]"),
        ("u(0) = 0", r"u takes 2 argument\(s\), t, x, not 1"),
        (
            "u(x, 0) = 0",
            r"the argument for 't' must be 't' or a fixed number, not one with 'x'; the order is t, x",
        ),
        ("u(t, x + 1) = 0", r"the argument for 'x'"),
        ("u(t, x) = 0", r"no coordinate is fixed"),
        ("u = 0", r"say where 'u' is meant in a condition, such as u\(0, x\)"),
        ("u(0, x) = u_x", r"say where 'u_x' is meant"),
        ("1 = 0", r"a field at a place"),
        ("u(t, 1) = u(0, x)", r"leave the same coordinates free"),
        ("u(t, -1) - u(t, 1) = x", r"'x' has several values"),
        ("u(0, x) = 1/t", r"division by zero in '1/t'"),
        ("u(0, x) = sinn(x)", r"unknown function 'sinn'; did you mean 'sin'\?"),
        ("w(0, x) = 0", r"unknown function 'w'; known are fields u"),
        ("u_z(0, x) = 0", r"derivative in 'z'.*coordinates are t, x"),
        ("u(0, __import__('os')) = 0", r"unknown function '__import__'"),
        ("u(0, x)(1) = 0", r"not allowed"),
        (7, r"must be text"),
        (lambda u: u, r"Condition\.at"),
        (Condition.at({"z": 0}, lambda u: u), r"'z' is not a coordinate; those are t, x"),
        (Condition.at({"t": 9}, lambda u: u), r"t = 9 is outside the domain"),
        (Condition.at({"t": 0}, lambda u, q: u), r"unknown name 'q'"),
    ],
)
def test_a_wrong_condition_is_one_clear_line(condition, message):
    with pytest.raises(InputError, match=message) as caught:
        heat(condition)
    assert "\n" not in str(caught.value)
