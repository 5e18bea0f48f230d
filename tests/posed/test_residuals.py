"""One evaluator: the same residuals from any source of fields, at any places, in JAX and in NumPy."""

import jax.numpy as jnp
import numpy as np
import pytest

from qres.data import Data
from qres.jets import Recording, sin
from qres.posed.evaluator import (
    FieldSource,
    Outputs,
    Residuals,
    Tabulated,
    Term,
    Transformed,
    condition_residual,
    coordinate_jets,
    recorded_coordinates,
)
from qres.problems import Problem

TX = {"t": (0, 1), "x": (0, 2)}
MEASURED = Data({"t": np.array([0.1, 0.4]), "x": np.array([0.3, 1.2]), "w": np.array([1.0, 2.0])})


def posed(**more):
    return Problem(
        ["u_t = k*v_x + a*w", "v_t = k*u_xx"],
        TX,
        ["u(0, x) = a*sin(x)", "v_x(t, 0) = v_x(t, 2) + t", "w(0.5, 1) = a", "v(0, x) = 3*x"],
        unknowns={"k": 0.5},
        constants={"a": 0.3},
        definitions={"w": "u*v + x*u_x"},
        fields=("u", "v"),
        **more,
    )


def fields(coordinates):
    """u = t sin(x), v = t² x."""
    t, x = coordinates["t"], coordinates["x"]
    return {"u": t * sin(x), "v": t * t * x}


def expected(t, x, k=0.5, a=0.3):
    w = t * np.sin(x) * t**2 * x + x * t * np.cos(x)
    at_half = 0.5 * np.sin(1) * 0.25 + 0.5 * np.cos(1)
    return {
        "equation_1": np.sin(x) - k * t**2 - a * w,
        "equation_2": 2 * t * x + k * t * np.sin(x),
        "initial_1": -a * np.sin(x),
        "periodic": -t,
        "interior": at_half - a + 0 * t,
        "initial_2": -3 * x,
    }


def everything(problem):
    return Residuals.of(problem, conditions=problem.conditions)


@pytest.mark.parametrize("arrays", [np, jnp])
def test_residuals_of_functions(arrays):
    problem = posed()
    residuals = everything(problem)
    t, x = points = np.random.default_rng(0).uniform(0, 1, (2, 7))
    found = residuals.at(fields, [arrays.asarray(points)] * len(residuals.groups), {"k": 0.5})
    assert list(found) == ["equation_1", "equation_2", "initial_1", "initial_2", "periodic", "interior"]
    for name, values in expected(t, x).items():
        assert isinstance(found[name], np.ndarray) == (arrays is np)
        np.testing.assert_allclose(found[name], values[None], atol=1e-14, err_msg=name)


def test_residuals_at_the_same_place_share_its_points():
    problem = posed()
    groups = [tuple(one.name for one in group) for group in everything(problem).groups]
    assert groups == [("equation_1", "equation_2"), ("initial_1", "initial_2"), ("periodic",), ("interior",)]


def test_a_place_knows_what_is_free_and_what_is_fixed():
    problem = posed()
    places = {c.name: condition_residual(problem, c).place for c in problem.conditions}
    for condition in problem.conditions:
        place = places[condition.name]
        assert (place.free, place.fixed) == (condition.free, condition.fixed)
        assert not place.is_inside
    assert places["periodic"].fixed == {}
    np.testing.assert_array_equal(
        places["periodic"].placed(np.array([[0.1, 0.2], [9.0, 9.0]])),
        [[[0.1, 0.2], [0, 0]], [[0.1, 0.2], [2, 2]]],
    )


def test_the_truncation_is_found_by_recording_and_an_ansatz_may_ask_for_more():
    residuals = everything(posed())
    assert set(residuals.truncation.indices) == {(0, 0), (1, 0), (0, 1), (0, 2)}
    problem = posed(transform={"v": "u_x + v"})
    source = Transformed(problem, problem.transform, Outputs.recorded(problem), problem.start)
    assert set(everything(problem).needed(source).indices) > set(residuals.truncation.indices)
    assert all(isinstance(f, Recording) for f in source(recorded_coordinates(problem.coordinates)).values())


def test_definitions_that_the_jets_do_not_carry_are_left_out():
    problem = posed()
    nothing = Residuals(problem, []).truncation
    assert nothing.indices == ((0, 0),)
    names = Residuals(problem, []).names(fields, nothing, np.zeros((2, 3)), {"k": 0.5})
    assert "w" not in names
    assert {"u", "v", "t", "x", "k", "a"} <= set(names)
    wanted = Residuals(problem, [], wanted=("w",))
    assert "w" in wanted.names(fields, wanted.truncation, np.zeros((2, 3)), {"k": 0.5})


def test_a_field_whose_ansatz_differentiates_loses_derivatives_and_the_others_do_not():
    problem = Problem(
        "u_t = c + d",
        TX,
        fields=("u", "v"),
        transform={"v": "v_x"},
        definitions={"c": "u_xx", "d": "v_x", "e": "v_xx"},
    )
    residuals = Residuals.of(problem)
    source = Transformed(problem, problem.transform, fields, {})
    recorded = Transformed(problem, problem.transform, Outputs.recorded(problem), {})
    truncation = residuals.needed(recorded)
    points = np.random.default_rng(0).uniform(0, 1, (2, 5))
    found = residuals.at(source, [points], {}, truncation=truncation)["equation"][0]
    np.testing.assert_allclose(found, np.sin(points[1]) + points[0] * np.sin(points[1]), atol=1e-14)
    assert "e" not in residuals.names(source, truncation, points, {})


def test_a_source_may_have_definitions_itself():
    found = Residuals.of(posed()).at(
        lambda coordinates: {**fields(coordinates), "w": 0.0 * coordinates["t"] + 7.0},
        [np.full((2, 1), 0.5)],
        {"k": 0.5},
    )
    np.testing.assert_allclose(found["equation_1"], np.sin(0.5) - 0.5 * 0.25 - 0.3 * 7)


def test_measurements_are_compared_with_their_targets():
    problem = posed(data=MEASURED)
    residuals = Residuals.of(problem, equations=False, data=problem.data)
    (residual,) = residuals.residuals
    assert residual.measured is not None
    assert (residual.name, residual.kind, residual.measured.field) == ("data", "data", "w")
    points = MEASURED.points(problem.coordinates)
    plain = residuals.at(fields, [points], {"k": 0.5})["data"]
    less = residuals.at(fields, [points], {"k": 0.5}, targets=[MEASURED.values(["w"])])["data"]
    np.testing.assert_allclose(plain - less, [[1.0, 2.0]])
    t, x = points
    np.testing.assert_allclose(plain[0], t**3 * x * np.sin(x) + x * t * np.cos(x))


def test_tabulated_derivatives_give_the_same_as_functions_and_slopes_are_exact():
    problem = posed(data=MEASURED)
    residuals = Residuals.of(problem, conditions=problem.conditions, data=problem.data)
    points = [np.random.default_rng(k).uniform(0.1, 1, (2, 4)) for k in range(4)]
    points.append(MEASURED.points(problem.coordinates))
    placed = [x for group, p in zip(residuals.groups, points, strict=True) for x in group[0].place.placed(p)]
    jets = fields(coordinate_jets(problem.coordinates, residuals.truncation, np.concatenate(placed, axis=1)))
    table = np.stack([[jets[f].coefficient(k) for k in residuals.truncation.indices] for f in problem.fields])
    source = Tabulated(problem.fields, residuals.truncation.indices, table[:, :, 0])
    found = residuals.slopes(source, points, {"k": np.asarray(0.5)})
    direct = residuals.at(fields, points, {"k": 0.5}, targets=[None] * 4 + [MEASURED.values(["w"])])
    for name, slopes in found.items():
        np.testing.assert_allclose(slopes.residual, direct[name][0], atol=1e-13, err_msg=name)
    index = residuals.truncation.position
    t, x = points[0]
    one = found["equation_1"]
    np.testing.assert_allclose(one.fields[0][0, index[(1, 0)]], 1.0)
    np.testing.assert_allclose(one.fields[0][1, index[(0, 1)]], -0.5)
    np.testing.assert_allclose(one.fields[0][0, index[(0, 1)]], -0.3 * x)
    np.testing.assert_allclose(found["equation_2"].fields[0][0, index[(0, 2)]], -0.5)
    np.testing.assert_allclose(found["equation_2"].unknowns, [t * np.sin(x)], atol=1e-14)
    assert [float(there[1, index[(0, 1)]][0]) for there in found["periodic"].fields] == [1.0, -1.0]


class Mean:
    """A term of a user's own: u_x is the unknown, at the middle."""

    def points(self, key):
        return np.array([[0.5], [1.0]])

    def residual(self, fields, points, unknowns):
        return fields["u"].x * points["x"] - unknowns["k"] * fields["w"]


def test_a_term_of_the_users_own():
    assert isinstance(Mean(), Term)
    assert isinstance(fields, FieldSource)
    problem = posed()
    residuals = Residuals.of(problem, equations=False, terms={"mean": Mean()})
    assert set(residuals.truncation.indices) == {(0, 0), (0, 1)}
    found = residuals.at(fields, [Mean().points(None)], {"k": 2.0})["mean"]
    w = 0.125 * np.sin(1.0) + 0.5 * np.cos(1.0)
    np.testing.assert_allclose(found, [[0.5 * np.cos(1.0) - 2 * w]])
