"""Python functions become expressions: the same values, and text that reads back as the same."""

import functools
import math

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qres
from qres.formulas import Differential, Entry, Opaque, Scope, read_formula, text_of, walk
from qres.jets import CHOICES, FUNCTIONS, Jet, Truncation
from qres.runtime.errors import InputError

SCOPE = Scope(("t", "x"), ("u", "v"), (), {"nu": 0.25}, ("mu", "k"), {"k": 2})
TRUNCATION = Truncation.closure(("t", "x"), [(1, 1), (0, 4)])
ARRAY = np.array([0.1, 0.2])
RANDOM = np.random.default_rng(3)
NAMES = {
    "t": Jet.coordinate(TRUNCATION, "t", RANDOM.uniform(0.1, 0.9, (1, 5))),
    "x": Jet.coordinate(TRUNCATION, "x", RANDOM.uniform(0.1, 0.9, (1, 5))),
    "u": Jet(TRUNCATION, [RANDOM.uniform(0.1, 0.9, (1, 5)) for _ in TRUNCATION.indices]),
    "v": Jet(TRUNCATION, [RANDOM.uniform(0.1, 0.9, (1, 5)) for _ in TRUNCATION.indices]),
    "nu": 0.25,
    "mu": jnp.asarray(0.7),
    "k": jnp.asarray([0.3, 0.4]),
}


def read(function):
    return read_formula(function, SCOPE, "equation", equation=True)


def values_of(function, *names):
    return np.asarray(function(**{name: NAMES[name] for name in names}).value)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda u: u.t - u.xx, "u_t - u_xx"),
        (lambda u, nu: u.t + u * u.x - nu * u.x.x, "u_t + u*u_x - nu*u_xx"),
        (lambda u: u.xt + u.x.t, "u_tx + u_tx"),
        (lambda u: u.derivative((0, 3)), "u_xxx"),
        (lambda u, x: 2 * u.x - 3 / x + (-u) ** 2 - u**-0.5, "2*u_x - 3/x + (-u)^2 - u^-0.5"),
        (lambda u: 2**u - (1 - u) - abs(u), "2^u - (1 - u) - abs(u)"),
        (lambda u: np.sin(u) + np.float64(0.1) * u - np.square(u), "sin(u) + 0.1*u - u*u"),
        (lambda u: np.maximum(u, 0.5) + qres.min(u, 1, 2), "max(u, 0.5) + min(u, 1, 2)"),
        (lambda u, x: math.pi * u - 1e-30 * x, "pi*u - 1e-30*x"),
        (
            lambda u, x: qres.where((x > 0.2) & (x <= 0.5) | (u < 0), u, -1.5),
            "where((x > 0.2 and x <= 0.5) or u < 0, u, -1.5)",
        ),
        (lambda u, k, mu: k[0] * u + mu * k[-1], "k[0]*u + mu*k[1]"),
        (lambda u, nu: u.t - (nu * u * u.x).x, "u_t - diff(nu*u*u_x, x)"),
        (lambda u: (u * u).x.x, "diff(u*u, xx)"),
        (lambda u: sum(0.5**n * qres.sin(n * u) for n in range(1, 3)), "0 + 0.5*sin(1*u) + 0.25*sin(2*u)"),
        (lambda u: jnp.exp(0.0) * u, "1*u"),
    ],
)
def test_a_function_is_its_expression_to_the_bit(function, text):
    formula = read(function)
    assert formula.is_text
    assert formula.text == text
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    np.testing.assert_array_equal(formula(NAMES).value, values_of(function, *parameters))
    assert read_formula(text, SCOPE, "equation", equation=True) == formula


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_one_argument_is_traced(name):
    formula = read(lambda u: getattr(qres, name)(0.5 * u))
    assert formula.text == f"{name}(0.5*u)"
    np.testing.assert_array_equal(formula(NAMES).value, FUNCTIONS[name](0.5 * NAMES["u"]).value)


@pytest.mark.parametrize("name", [name for name in CHOICES if name != "where"])
def test_choices_are_traced(name):
    assert read(lambda u, v: getattr(qres, name)(u, v, 0.5)).text == f"{name}(u, v, 0.5)"


def grown(inner):
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: lambda u, x: p[0](u, x) + p[1](u, x)),
        pairs.map(lambda p: lambda u, x: p[0](u, x) - p[1](u, x)),
        pairs.map(lambda p: lambda u, x: p[0](u, x) * p[1](u, x)),
        pairs.map(lambda p: lambda u, x: p[0](u, x) / (2 + p[1](u, x) ** 2)),
        pairs.map(lambda p: lambda u, x: qres.where(p[0](u, x) < p[1](u, x), p[0](u, x), 0.1)),
        inner.map(lambda f: lambda u, x: -f(u, x)),
        inner.map(lambda f: lambda u, x: np.tanh(f(u, x))),
        inner.map(lambda f: lambda u, x: f(u, x) ** 3),
        inner.map(lambda f: lambda u, x: (u * f(u, x)).x),
    )


leaves = st.one_of(
    st.just(lambda u, x: u),
    st.just(lambda u, x: u.x),
    st.just(lambda u, x: x),
    st.floats(-1e3, 1e3, allow_nan=False).map(lambda a: lambda u, x: a * u),
)


@given(st.recursive(leaves, grown, max_leaves=6))
def test_the_text_of_any_function_reads_back_as_its_expression(function):
    formula = read(lambda u, x: function(u, x))
    if not formula.is_text:  # more derivatives than text has
        return
    assert read_formula(formula.text, SCOPE, "equation", equation=True) == formula
    assert text_of(formula.left) == formula.text


def test_loops_and_closures_become_numbers():
    weights = [0.1, 1 / 3, -2e-17]

    def residual(u):
        total = u.t
        for n, weight in enumerate(weights, start=1):
            total = total - weight * u**n
        return total

    formula = read(residual)
    weights[0] = 99.0
    assert formula.text == "u_t - 0.1*u^1 - 0.3333333333333333*u^2 - -2e-17*u^3"


@pytest.mark.parametrize(
    "function",
    [
        lambda u: u.t - 0.1 * u,
        functools.partial(lambda u, k: u.t - k * u, k=0.1),
        functools.partial(lambda k, u: u.t - k * u, 0.1),
        lambda u, a=0.1: u.t - a * u,
        lambda u, *, a=0.1: u.t - a * u,
        lambda u, a=ARRAY: u.t - a[0] * u,
        lambda u, f=lambda v: 0.1 * v: u.t - f(u),
    ],
)
def test_what_has_a_value_already_is_a_constant(function):
    scope = Scope(("t", "x"), ("u",))
    assert read_formula(function, scope, "equation", equation=True).text == "u_t - 0.1*u"


def test_a_default_for_a_name_of_the_problem_is_refused():
    with pytest.raises(
        InputError, match=r"'nu' has the value 0.1 already, and is a name of the problem"
    ) as error:
        read(lambda u, nu=0.1: u.t - nu * u)
    assert "\n" not in str(error.value)


CALLS = iter(range(100))


@pytest.mark.parametrize(
    "function",
    [
        lambda u: u.t - next(CALLS) * u,  # not the same twice
        lambda u, x: u.t - np.interp(0.5, [0, 1], [0, 1]) * u if isinstance(u, Jet) else u.t,  # by the kind
        lambda u: u.t - jnp.asarray([1.0, 2.0]) * u,  # an array
        lambda u: functools.reduce(lambda a, _: a * np.sin(a), range(12), u),  # too large as text
        lambda u: sum([u] * 300, start=u.t),  # too deep as text
        lambda u: u.t - math.inf * u,
        lambda u: (u.t < 0) & ~(u < 0),
        lambda u: (u.t, u),
    ],
)
def test_what_has_no_expression_stays_a_function(function):
    formula = read(function)
    assert isinstance(formula.left, Opaque)
    assert not formula.is_text


def test_a_number_of_a_vector_and_a_differential_have_text_and_mathematics():
    formula = read_formula("k[1]*diff(u^2, x)", SCOPE, "equation", equation=True)
    assert {type(part) for part in walk(formula.left)} >= {Entry, Differential}
    assert formula.names == ("k", "u")
    expected = 2 * NAMES["u"].value * NAMES["u"].x.value * 0.4
    np.testing.assert_allclose(formula(NAMES).value, expected, rtol=1e-14)
    assert "<mn>1</mn>" in formula.mathml()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("u_t = k", r"the unknown 'k' is a vector: say which number is meant, k\[0\] to k\[1\]"),
        ("u_t = k[2]", r"k\[2\]: the numbers of 'k' are k\[0\] to k\[1\]"),
        ("u_t = k[x]", r"k\[x\]: the numbers of 'k' are"),
        ("u_t = mu[0]", r"'mu\[0\]' is not allowed: 'mu' is not a vector of unknowns; vectors are k"),
        ("u_t = diff(u)", r"diff takes an expression and coordinates, such as diff\(u\*u_x, x\)"),
        ("u_t = diff(u, y)", r"diff\(…, y\): the second argument must be coordinates, t, x, up to order 8"),
        ("u_t = diff(nu, x)", r"there is no field to differentiate"),
    ],
)
def test_wrong_numbers_and_differentials_are_one_clear_line(text, message):
    with pytest.raises(InputError, match=message):
        read_formula(text, SCOPE, "equation", equation=True)
