"""The grammar: it evaluates as Python does, reads back what it writes, and lets nothing else through."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qres.formulas import read_formula, text_of
from qres.formulas._scope import Scope
from qres.jets import FUNCTIONS, Jet, Truncation
from qres.problems import Problem
from qres.runtime.errors import InputError

SCOPE = Scope(("t", "x"), fields=("u",), constants={"a": 1.5, "b": -0.75})
VALUES = {"t": 0.3, "x": -1.2, "a": 1.5, "b": -0.75}


def value(text, **names):
    return read_formula(text, SCOPE, "formula")({**VALUES, **names})


atoms = st.sampled_from(["t", "x", "a", "b", "pi", "2", "0.5", "1e-3", "3.25"])


def combined(inner):
    binary = st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda p: f"{p[0]} {p[1]} {p[2]}")
    return st.one_of(
        binary,
        inner.map(lambda s: f"({s})"),
        inner.map(lambda s: f"-{s}"),
        inner.map(lambda s: f"sin({s})"),
        inner.map(lambda s: f"cos({s})"),
        st.tuples(inner, st.integers(0, 3)).map(lambda p: f"({p[0]})^{p[1]}"),
        inner.map(lambda s: f"({s})/(2 + sin({s}))"),
    )


expressions = st.recursive(atoms, combined, max_leaves=8)


def as_python(text):
    return eval(text.replace("^", "**"), {"sin": math.sin, "cos": math.cos, "pi": math.pi, **VALUES})


@settings(deadline=None, max_examples=80)
@given(expressions)
def test_evaluates_as_python_would(text):
    expected = as_python(text)
    if abs(expected) < 1e100:
        np.testing.assert_allclose(float(value(text)), expected, rtol=1e-12, atol=1e-12)


@settings(deadline=None, max_examples=80)
@given(expressions)
def test_text_reads_back_as_itself(text):
    expression = read_formula(text, SCOPE, "formula").left
    assert read_formula(text_of(expression), SCOPE, "formula").left == expression


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("2**3", 8.0),
        ("-x^2", -1.44),
        ("8/4/2", 1.0),
        ("1 - 2 - 3", -4.0),
        ("(-2)^3", -8.0),
        ("a\n + b", 0.75),
        ("x²", 1.44),
        ("2·x × 3 − 1", -8.2),
        ("+x", -1.2),
        ("abs(x)^0.5", math.sqrt(1.2)),
        ("2^a", 2**1.5),
    ],
)
def test_precedence_and_powers(text, expected):
    assert float(value(text)) == pytest.approx(expected, rel=1e-14)


def test_every_function_of_the_engine_is_known():
    for name, function in FUNCTIONS.items():
        assert float(value(f"{name}(0.7)")) == pytest.approx(float(function(0.7)), rel=1e-15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where(x < 0, a, b)", 1.5),
        ("where(x >= -1.2, a, b)", 1.5),
        ("where(x > -1.2, a, b)", -0.75),
        ("where(-2 < x < -1, 1, 0)", 1.0),
        ("where(-2 < x < -1.5, 1, 0)", 0.0),
        ("where(x > 0 and t > 0 or t < 1, 1, 0)", 1.0),
        ("where(x > 0 and (t > 0 or t < 1), 1, 0)", 0.0),
        ("max(x, t, b)", 0.3),
        ("min(x, t, b)^2", 1.44),
        ("sign(x) + 10*heaviside(t) + 100*heaviside(0)", 59.0),
        ("asin(1) - acos(0) + 4*atan(1)", math.pi),
    ],
)
def test_pieces(text, expected):
    assert float(value(text)) == pytest.approx(expected, rel=1e-14)
    expression = read_formula(text, SCOPE, "formula").left
    assert read_formula(text_of(expression), SCOPE, "formula").left == expression
    arrays = {name: np.full(3, number) for name, number in VALUES.items()}
    np.testing.assert_allclose(value(text, **arrays), expected, rtol=1e-14)


def test_derivatives_are_multi_indices_in_the_order_of_the_domain():
    formula = read_formula("u_xt + u_xx*u_t", SCOPE, "formula")
    assert formula.derivatives == {("u", (1, 1)), ("u", (0, 2)), ("u", (1, 0))}
    assert formula.names == ("u",)


def test_names_of_several_letters_and_digits():
    scope = Scope(("time", "x1"), fields=("u_1",), constants={"lambda_1": 2.0})
    formula = read_formula("u_1_x1x1 + u_1_time*lambda_1 + u_1_x1_time", scope, "formula")
    assert formula.derivatives == {("u_1", (0, 2)), ("u_1", (1, 0)), ("u_1", (1, 1))}


def test_an_ambiguous_derivative_is_refused():
    with pytest.raises(InputError, match=r"u_xxx.*several ways"):
        read_formula("u_xxx", Scope(("x", "xx"), fields=("u",)), "formula")


def test_formulas_of_jets_and_arrays():
    truncation = Truncation.closure(("t", "x"), [(0, 2)])
    x = Jet.coordinate(truncation, "x", jnp.array([0.5, 2.0]))
    formula = read_formula("u_xx + 3*u_x*x - u^2/2", SCOPE, "formula")
    np.testing.assert_allclose(formula({"u": x * x, "x": x}).value, 2 + 6 * x.value**2 - x.value**4 / 2)
    np.testing.assert_allclose(
        value("x^2 + sin(t)", x=np.array([1.0, 2.0])), np.array([1, 4]) + math.sin(0.3)
    )


def heat(**changes):
    stated = {
        "equations": "u_t = k*u_xx",
        "domain": {"t": (0, 1), "x": (0, 1)},
        "conditions": ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"],
        "constants": {"k": 0.1},
    }
    return Problem(**{**stated, **changes})


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("u_t = kk*u_xx", r"unknown name 'kk'; did you mean 'k'\?.*coordinates t, x; fields u; constants k"),
        ("u_t = k*u_zz", r"'u_zz' is a derivative in 'z'.*coordinates are t, x"),
        ("u_t = u_xz", r"derivative in 'z'"),
        ("u_t = u_" + "x" * 60, r"up to order 8"),
        ("__import__('os')", r"unknown function '__import__'; known are sin"),
        ("__import__('os').system('ls')", r"not allowed; the grammar is"),
        ("u_t = u.x", r"'u\.x' is not allowed \(a derivative is written u_x\)"),
        ("u_t = u[0]", r"'u\[0\]' is not allowed"),
        ("u_t = [1]", r"'\[1\]' is not allowed"),
        ("u_t = 'a'", r"not allowed \(not a number\)"),
        ("u_t = f'{x}'", r"not allowed"),
        ("u_t = 1j", r"'1j' is not allowed"),
        ("u_t = 0,5", r"a decimal point is"),
        ("lambda", r"'lambda' is a reserved word.*lambda_1"),
        ("lambda*u_xx = u_t", r"'lambda' is a reserved word"),
        ("u_t = x if t else 0", r"'if' is a reserved word"),
        ("u_t == 0", r"'==' is not allowed"),
        (
            "u_t <= 0",
            r"'u_t <= 0' is not allowed \(a comparison stands in where\(condition, a, b\), or in inside\)",
        ),
        ("u_t = x and t", r"'x and t' is not allowed \(and, or stand in where"),
        ("u_t = where(x < 0.5, 1)", r"where takes three arguments, where\(condition, a, b\), not 2"),
        (
            "u_t = where(x, 1, 0)",
            r"the first argument of where must be a comparison, such as 'x < 0.5', not 'x'",
        ),
        ("u_t = where(x < 0.5 or t, 1, 0)", r"must be a comparison.*not 't'"),
        ("u_t = where(x == 0.5, 1, 0)", r"'==' is not allowed; the grammar is.*< <= > >="),
        ("u_t = where(x < 0.5, t < 1, 0)", r"'t < 1' is not allowed \(a comparison stands"),
        ("u_t = where", r"'where' is a function: write where\("),
        ("u_t = max(x)", r"max takes two or more arguments, not 1"),
        ("u_t = minn(x, 1)", r"unknown function 'minn'; did you mean 'min'\? known are sin.*min, max, where"),
        ("u_t = where(" + "x and " * 300 + "x, 1, 0)", r"must be a comparison.*not 'x'"),
        ("u_t = 0 # no", r"'#' is not allowed"),
        ("u_t = 0 = u", r"2 equals signs; one is allowed"),
        ("u_t =", r"nothing on one side"),
        ("", r"empty formula"),
        ("u_t = (x", r"cannot read '\(x'"),
        ("u_t = 2u", r"cannot read '2u'"),
        ("u_t = sin", r"'sin' is a function: write sin\("),
        ("u_t = sin(x, t)", r"sin takes one argument, not 2"),
        ("u_t = k(x)", r"'k' is not a function"),
        ("u_t = u(t, x)", r"for conditions only; here write 'u'"),
        ("u_t = 9^9^9^9", r"'9\^9\^9' is not a finite number"),
        ("u_t = 1e999", r"number is too large"),
        ("u_t = u/(k - k)", r"division by zero in 'u/\(k - k\)'"),
        ("u_t = sqrt(-1)*u", r"'sqrt\(-1\)' is not a finite number"),
        ("u_t = (-1)^0.5", r"not a finite number"),
        ("u_t = " + "(" * 300 + "x" + ")" * 300, r"too many nested"),
        ("u_t = " + "-" * 9000 + "x", r"nested too deeply"),
        ("u_t = " + "x+" * 4000 + "x", r"nested too deeply"),
        ("u_t = " + "x+" * 300 + "x", r"more than 200 operations"),
        ("u_t = " + "9" * 5000, r"cannot read"),
        (3, r"equations must be a list"),
        ([3], r"must be text"),
        ([], r"equations is empty"),
    ],
)
def test_a_wrong_equation_is_one_clear_line(equation, message):
    with pytest.raises(InputError, match=message) as caught:
        heat(equations=equation)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_an_equation_of_ten_megabytes_is_not_echoed():
    with pytest.raises(InputError, match=r"10,000,000 characters; at most 10,000") as caught:
        heat(equations="u" * 10_000_000)
    assert len(str(caught.value)) < 200
