"""Problems as a whole: names, definitions, unknowns, functions, warnings, and the way to text and back."""

import json

import jax.numpy as jnp
import numpy as np
import pytest

from qres.jets import Jet, Truncation, exp, sin
from qres.posed import Between, Free, Positive
from qres.problems import Problem
from qres.runtime.errors import InputError

DOMAIN = {"t": (0, 1), "x": (-1, 1)}
BURGERS = {
    "name": "burgers",
    "equations": ["u_t + u*u_x = nu*u_xx"],
    "domain": {"t": [0, 1], "x": [-1, "pi/pi"]},
    "conditions": ["u(0, x) = -sin(pi*x)", "u(t, -1) = 0", "u(t, 1) = 0"],
    "constants": {"nu": "0.01/pi"},
}


def coordinates(names, indices, count=3, seed=0):
    truncation = Truncation.closure(names, indices)
    values = np.random.default_rng(seed).uniform(0.2, 0.9, (len(names), count))
    return {
        name: Jet.coordinate(truncation, name, jnp.asarray(v)) for name, v in zip(names, values, strict=True)
    }


def test_what_a_problem_says():
    problem = Problem(**BURGERS)
    assert (problem.coordinates, problem.lower, problem.upper) == (("t", "x"), (0.0, -1.0), (1.0, 1.0))
    assert (problem.fields, problem.periodic, problem.warnings) == (("u",), (), ())
    assert problem.constants == {"nu": 0.01 / np.pi}
    assert [equation.name for equation in problem.equations] == ["equation"]
    assert problem.soft_conditions == problem.conditions
    assert repr(problem) == "Problem('burgers', u of t, x)"
    with pytest.raises(AttributeError):
        problem.name = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_text_and_python_give_the_same_residual():
    def residual(u, nu):
        return u.t + u * u.x - nu * u.xx

    at = coordinates(("t", "x"), [(1, 0), (0, 2)])
    u = exp(at["t"]) * sin(at["x"])
    values = [
        problem.equations[0].formula({**problem.constants, "u": u}).value
        for problem in (Problem(**BURGERS), Problem(**{**BURGERS, "equations": residual}))
    ]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-14)


def test_definitions_have_derivatives_in_any_order_of_statement():
    problem = Problem(
        "w_x - v_yy = p_x",
        {"x": (0, 1), "y": (0, 1)},
        definitions={"w": "2*v_x", "u": "psi_y", "v": "-psi_x"},
    )
    assert problem.fields == ("p", "psi")
    assert list(problem.definitions).index("v") < list(problem.definitions).index("w")
    at = coordinates(("x", "y"), [(3, 0), (1, 2)])
    x, y = at["x"].value, at["y"].value
    raw = {"psi": sin(at["x"]) * exp(at["y"] * 2.0), "p": at["x"] * at["y"]}
    fields = problem.defined(raw, at, {})
    np.testing.assert_allclose(fields["u"].value, 2 * jnp.sin(x) * jnp.exp(2 * y), rtol=1e-12)
    np.testing.assert_allclose(fields["v"].value, -jnp.cos(x) * jnp.exp(2 * y), rtol=1e-12)
    residual = problem.equations[0].formula(fields).value
    expected = 2 * jnp.cos(x) * jnp.exp(2 * y) + 4 * jnp.cos(x) * jnp.exp(2 * y) - y
    np.testing.assert_allclose(residual, expected, rtol=1e-12)


def test_a_definition_beyond_what_the_jets_carry_is_left_out():
    problem = Problem("u_x = psi", {"x": (0, 1)}, definitions={"u": "psi_x"})
    at = coordinates(("x",), [(0,)])
    assert set(problem.defined({"psi": sin(at["x"])}, at, {})) == {"psi"}


def test_a_definition_or_solution_that_is_constant_has_derivatives():
    problem = Problem("u_x + c_x = 0", DOMAIN, definitions={"c": "k"}, constants={"k": 2}, exact={"u": "1"})
    at = coordinates(("t", "x"), [(0, 1)])
    fields = {**problem.defined({"u": at["x"]}, at, {}), **problem.exact_fields(at)}
    np.testing.assert_allclose(problem.equations[0].formula(fields).value, 0.0)


def test_fields_are_those_with_derivatives_or_conditions():
    problem = Problem(["v_t = w - q", "q = v", "w_x = 0"], DOMAIN, ["q(0, x) = 1"])
    assert problem.fields == ("v", "w", "q")
    assert Problem(["v_t = w", "w = v"], DOMAIN, fields=["w", "v"]).fields == ("w", "v")


def test_parameters_of_functions_are_fields():
    def residual(u, v, lambda_1, x):
        return u.t - lambda_1 * v.x * x

    problem = Problem([residual, "v = u"], DOMAIN, unknowns={"lambda_1": 0.5})
    assert problem.fields == ("u", "v")
    assert [equation.name for equation in problem.equations] == ["equation_1", "equation_2"]
    assert problem.is_text
    assert problem.to_dict()["equations"] == ["u_t - lambda_1*v_x*x", "v = u"]


def test_functions_that_cannot_be_used_say_why():
    with pytest.raises(InputError, match=r"'lambda1' is not declared; did you mean 'lambda_1'\?"):
        Problem(lambda u, lambda1: u.x * lambda1, DOMAIN, unknowns={"lambda_1": 1.0})
    with pytest.raises(InputError, match=r"parameter \*rest must be a plain name"):
        Problem(lambda *rest: rest, DOMAIN)
    with pytest.raises(InputError, match=r"unknown name 'q'"):
        Problem(lambda u, q: u.x * q, DOMAIN, fields=["u"])
    with pytest.raises(InputError, match=r"calling .* failed: AttributeError: 'z' is not a derivative"):
        Problem(lambda u: u.z, DOMAIN)


def test_to_text_and_back():
    stated = {
        **BURGERS,
        "constants": {"nu": np.float32(0.5)},
        "fields": ["u"],
        "unknowns": {"a": Positive(0.5, true=1.0), "b": Between(1, 0, 10), "c": 2, "d": Free((1.0, 2.0))},
        "definitions": {"flux": "u^2/2 - a*u_x"},
        "periodic": ["x"],
        "exact": {"u": "0*t"},
        "reference": "burgers",
    }
    problem = Problem(**stated)
    assert {name: np.shape(value) for name, value in problem.start.items()} == {
        "a": (),
        "b": (),
        "c": (),
        "d": (2,),
    }
    saved = json.loads(json.dumps(problem.to_dict()))
    again = Problem.from_dict(saved)
    assert again.to_dict() == saved
    assert again.unknowns == problem.unknowns
    assert [e.formula for e in again.equations] == [e.formula for e in problem.equations]
    assert again.conditions == problem.conditions


def test_unknowns_stay_where_they_belong():
    for unknown, low, high in [
        (Free(-2.0), -1e9, 1e9),
        (Positive(0.01), 0, 1e9),
        (Between(9.9, 0, 10), 0, 10),
    ]:
        np.testing.assert_allclose(unknown.value(jnp.asarray(unknown.raw())), unknown.start, rtol=1e-12)
        assert (
            low <= float(unknown.value(jnp.asarray(-15.0))) < float(unknown.value(jnp.asarray(15.0))) <= high
        )
    vector = Positive((1.0, 2.0))
    np.testing.assert_allclose(vector.value(jnp.asarray(vector.raw())), [1.0, 2.0], rtol=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"domain": {"t": (0, 1), "x": (1, -1)}}, r"domain of 'x': the interval \[1, -1\] is reversed"),
        ({"domain": {"t": (0, 1), "x": (1, 1)}}, r"domain of 'x': the interval \[1, 1\] is empty"),
        ({"domain": {"t": (0, 1), "x": (0, "z")}}, r"domain of 'x': unknown name 'z'"),
        ({"domain": {"t": (0, 1), "x": (0, float("nan"))}}, r"domain of 'x'.*finite"),
        ({"domain": {"t": (0, 1), "x": 3}}, r"two bounds, \[low, high\], not 3"),
        ({"domain": {}}, r"1 to 4 coordinates"),
        ({"domain": dict.fromkeys("abcde", (0, 1))}, r"1 to 4 coordinates are possible, not 5"),
        ({"domain": {"sin": (0, 1)}}, r"coordinate 'sin': that name is taken"),
        ({"domain": {"lambda": (0, 1)}}, r"reserved word"),
        ({"domain": {"x y": (0, 1)}}, r"a name is a letter"),
        ({"constants": {"nu": 1, "t": 1}}, r"the name 't' is used twice: in coordinates and in constants"),
        ({"constants": {"nu": 1, "pi": 3}}, r"'pi': that name is taken"),
        ({"constants": {"nu": 1, "u_x": 3}}, r"'u_x' in constants could also be a derivative of 'u'"),
        ({"constants": {"nu": "9^9^9^9"}}, r"constant 'nu': .* is not a finite number"),
        ({"constants": {"nu": "__import__('os')"}}, r"unknown function '__import__'"),
        ({"constants": {"nu": [1]}}, r"a number or an expression is wanted"),
        ({"constants": {"nu": 10**400}}, r"too large"),
        ({"fields": []}, r"fields is empty"),
        ({"fields": ["u", "u"]}, r"'u' is used twice"),
        ({"periodic": ["y"]}, r"'y' is not a coordinate; those are t, x"),
        ({"exact": {"v": "x"}}, r"'v' is not a field; those are u"),
        ({"exact": {"u": "u_x"}}, r"unknown name 'u_x'"),
        ({"definitions": {"a": "b_x", "b": "a + u"}}, r"in a circle: a, b"),
        ({"definitions": {"nu": "u_x"}}, r"'nu' is used twice"),
        ({"unknowns": {"nu": 1.0}}, r"'nu' is used twice: in constants and in unknowns"),
        ({"unknowns": {"a": {"start": -1, "positive": True}}}, r"unknown 'a': .* above zero"),
        (
            {"unknowns": {"a": {"start": 1, "betwen": [0, 1]}}},
            r"unknown 'a': .*'betwen'.*did you mean 'between'",
        ),
        (
            {"unknowns": {"a": {"start": 2, "between": [0, 1]}}},
            r"between 0 and 1 must start inside, not at 2",
        ),
        ({"unknowns": {"a": {"start": 0.5, "between": [1, 0]}}}, r"interval is empty"),
        ({"unknowns": {"a": {"positive": True}}}, r"a start value is missing"),
        ({"unknowns": {"a": "x"}}, r"start must be a finite number"),
        ({"name": "../../etc"}, r"name must be"),
        ({"hard": 1}, r"hard must be true or false"),
        ({"reference": 1}, r"reference must be a name"),
    ],
)
def test_wrong_input_is_one_clear_line(changes, message):
    with pytest.raises(InputError, match=message) as caught:
        Problem(**{**BURGERS, **changes})
    assert "\n" not in str(caught.value)


def test_from_dict_names_unknown_and_missing_keys():
    with pytest.raises(
        InputError, match=r"unknown key 'equation' in \[problem\]; did you mean 'equations'\?"
    ):
        Problem.from_dict({"equation": "u_x = 0"})
    with pytest.raises(InputError, match=r"\[problem\] has no domain"):
        Problem.from_dict({"equations": "u_x = 0"})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"conditions": ["u(t, -1) = 0", "u(t, 1) = 0"]},
            "'u' has derivatives up to order 1 in t, but 0 condition(s)",
        ),
        (
            {"conditions": ["u(0, x) = 0", "u(t, 1) = 0"]},
            "'u' has derivatives up to order 2 in x, but 1 condition(s)",
        ),
        ({"equations": "u_t = U_xx"}, "2 fields (u, U) but only 1 equation(s)"),
        ({"fields": ["u", "v"]}, "field 'v' appears in no equation"),
        ({"exact": {"u": "x"}}, "does not satisfy initial"),
        ({"exact": {"u": "-sin(pi*x)"}}, "does not satisfy equation"),
    ],
)
def test_what_is_doubtful_is_a_warning(changes, message):
    assert any(message in warning for warning in Problem(**{**BURGERS, **changes}).warnings)


def test_no_warning_where_conditions_suffice():
    first_order = ["q = u_x", "u_t = q_x"]
    walls = ["u(0, x) = 0", "u(t, 0) = 0", "u(t, 1) = 0"]
    assert Problem(first_order, {"t": [0, 1], "x": [0, 1]}, walls, fields=["u", "q"]).warnings == ()
    pinned = {**BURGERS, "conditions": ["u(0, x) = 0"], "periodic": ["x"]}
    assert Problem(**pinned).warnings == ()
    (warning,) = Problem(**{**pinned, "periodic": [], "unknowns": {"a": 1.0}}).warnings
    assert "unique" not in warning


@pytest.mark.parametrize("hard", [True, None])
def test_values_that_disagree_at_a_corner_are_told(hard):
    conditions = ["u(0, x) = 1", "u(t, 0) = t", "u(t, 1) = cos(t)"]
    problem = Problem("u_t = u_xx", {"t": [0, 1], "x": [0, 1]}, conditions, hard=hard)
    (warning,) = problem.warnings
    assert "initial 'u(0, x) = 1' and boundary_1 'u(t, 0) = t' disagree where they meet" in warning
    assert "(1 and 0 at t = 0, x = 0)" in warning


def test_corners_that_agree_are_not_told_and_those_without_a_value_are():
    edges = ["u(0, y) = log(y)", "u(x, 0) = -1", "u(1, y) = y - 1", "u(x, 1) = 0", "v(0, y) = 7"]
    box = {"x": [0, 1], "y": [0, 1]}
    (warning,) = Problem(["u_xx + u_yy = 0", "v_x = u"], box, edges).warnings
    assert warning.endswith("'u(0, y) = log(y)' has no finite value at y = 0, and is asked there")


@pytest.mark.parametrize(
    "function", [lambda u: u.t == u.xx, lambda u: [u.t - u.xx], lambda u: None, lambda u: "u_t = u_xx"]
)
def test_a_function_must_return_what_vanishes(function):
    with pytest.raises(InputError, match="must return what is to vanish"):
        Problem(function, {"t": [0, 1], "x": [0, 1]}, fields=["u"])


def test_an_unknown_without_measurements_is_named():
    problem = Problem("u_x = k*u", {"x": [0, 1]}, "u(0) = 1", unknowns={"k": 1.0})
    (warning,) = problem.warnings
    assert warning.startswith("no measurements: k can be found only as far as")
    assert not problem.with_data({"x": [0.5, 1.0], "u": [1.0, 2.0]}).warnings
