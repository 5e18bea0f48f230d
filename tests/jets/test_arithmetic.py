"""Jets of elementary functions and arithmetic equal nested differentiation, at every order and in every mixture."""

import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qres import jets
from qres.jets import FUNCTIONS, Jet, Truncation, lift, positions, rows
from qres.runtime.errors import InputError

NAMES = ("x", "y", "z")
# Where a function is smooth: log, sqrt and fractional powers above zero; the others on both sides of it.
POSITIVE = ("log", "sqrt", "abs")


def truncation(dimension, order):
    """Every multi-index up to a total order."""
    every = [index for index in np.ndindex(*(order + 1,) * dimension) if sum(index) <= order]
    return Truncation.closure(NAMES[:dimension], every)


def assert_jets_equal(found, expected, tolerance=1e-10):
    assert found.truncation == expected.truncation
    for index in found.truncation.indices:
        a, b = np.asarray(found.coefficient(index)), np.asarray(expected.coefficient(index))
        scale = max(1e-3, float(np.abs(b).max()))
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale, err_msg=str(index))


def inner(x):
    """Works on arrays and on jets: `1.1 + 0.5 sin(Σ a_i x_i) + 0.1 Π x_i`, never below 0.3."""
    count = len(x.value) if isinstance(x, Jet) else len(x)
    row = (lambda i: rows(x, i, i + 1)) if isinstance(x, Jet) else (lambda i: x[i : i + 1])
    angle, product = row(0), row(0)
    for i in range(1, count):
        angle, product = angle + (1.0 + 0.3 * i) * row(i), product * row(i)
    return 1.1 + 0.5 * jets.sin(angle) + 0.1 * product


def assert_equal_everywhere(function):
    """Jets against nested differentiation: one compiled program a dimension, many random points."""
    for dimension, order in ((1, 4), (2, 3), (3, 2)):
        _assert_equal_in(dimension, truncation(dimension, order), function)


def _assert_equal_in(dimension, carried, function):
    both = jax.jit(lambda at: (function(positions(carried, at)), lift(function, carried, at)))

    @settings(max_examples=8)
    @given(seed=st.integers(0, 10**6))
    def equal(seed):
        assert_jets_equal(*both(jnp.asarray(np.random.default_rng(seed).uniform(-1, 1, (dimension, 4)))))

    equal()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_up_to_fourth_order(name):
    shift = 0.0 if name in POSITIVE else 1.2
    assert_equal_everywhere(lambda x: FUNCTIONS[name](inner(x) - shift))


ARITHMETIC = {
    "sum": lambda u, v: u + v + 2.0,
    "difference": lambda u, v: 1.0 - (u - 3.0 * v),
    "product": lambda u, v: u * v,
    "square": lambda u, v: u * u,
    "quotient": lambda u, v: u / v,
    "reciprocal": lambda u, v: 2.0 / u - v / 4.0,
    "cube": lambda u, v: (u - 1.1) ** 3 + v**1,
    "high power": lambda u, v: (u - 1.1) ** 7 + v**0,
    "negative power": lambda u, v: u**-2 - v**-3,
    "real power": lambda u, v: u**1.7 + v**-0.5,
    "power of a number": lambda u, v: 2.0**u + 0.5**v,
    "power of a function": lambda u, v: u**v,
    "negative": lambda u, v: -u * -v,
    "where": lambda u, v: jets.where(u > 1.1, u * v, jets.sin(v)),
    "where, joined": lambda u, v: (
        jets.where((np.float64(0.9) < u) & (v <= 1.8) | ~(np.float64(1.4) >= u), u * u, 2.0) * v
    ),
    "where, without a value elsewhere": lambda u, v: jets.where(u > 1.1, jets.log(u - 1.1), v),
    "where, between numbers": lambda u, v: u * jets.where(u < v, -1.0, 2.0),
    "min": lambda u, v: jets.min(1.3, u * v, v),
    "max": lambda u, v: jets.max(u, v - 0.4, 1.2) ** 2,
    "abs": lambda u, v: abs(u - 1.1) * v,
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name):
    assert_equal_everywhere(lambda x: ARITHMETIC[name](inner(x), jets.exp(0.4 * inner(x) * inner(x))))


def test_an_independent_oracle_closed_forms():
    """`exp(2x) sin(3y)`: `∂x^a ∂y^b = 2^a 3^b exp(2x) sin(3y + bπ/2)`, which no differentiation of ours is part of."""
    carried = truncation(2, 4)
    x, y = np.random.default_rng(1).uniform(-1, 1, (2, 5))
    at = positions(carried, jnp.asarray([x, y]))
    u = jets.exp(2 * rows(at, 0, 1)) * jets.sin(3 * rows(at, 1, 2))
    for a, b in carried.indices:
        expected = 2.0**a * 3.0**b * np.exp(2 * x) * np.sin(3 * y + b * np.pi / 2)
        np.testing.assert_allclose(u.coefficient((a, b))[0], expected, rtol=1e-12, atol=1e-12)


def test_an_independent_oracle_nested_reverse_mode():
    def function(x, y):
        return jnp.tanh(x * y) / (1.5 + jnp.cos(y))

    carried = Truncation.closure(("x", "y"), [(2, 1), (0, 3)])
    jet = positions(carried, jnp.array([[0.3], [-0.7]]))
    x, y = rows(jet, 0, 1), rows(jet, 1, 2)
    u = jets.tanh(x * y) / (1.5 + jets.cos(y))
    for a, b in [(1, 0), (1, 1), (2, 1), (0, 3)]:
        nested = function
        for argument in (0,) * a + (1,) * b:
            nested = jax.grad(nested, argument)
        np.testing.assert_allclose(u.coefficient((a, b))[0, 0], jax.jit(nested)(0.3, -0.7), rtol=1e-10)


def test_derivatives_of_jets_are_jets():
    carried = truncation(2, 3)
    at = jnp.asarray(np.random.default_rng(2).uniform(-1, 1, (2, 6)))
    u = inner(positions(carried, at))

    def product(x):
        return inner(x) * jax.jvp(inner, (x,), (jnp.zeros_like(x).at[0].set(1.0),))[1]

    left = (u * u.x).x
    assert_jets_equal(left, lift(product, carried.shifted((1, 0)), at).x.restrict(left.truncation))
    assert_jets_equal(left, u.x * u.x + u * u.xx)
    assert_jets_equal(u.xy.x, u.xxy)
    np.testing.assert_allclose(u.xy.value, u.coefficient((1, 1)), rtol=1e-14)


def test_a_product_carries_what_both_operands_carry():
    u = inner(positions(Truncation.closure(("x",), [(3,)]), jnp.ones((1, 2))))
    assert (u.xx * u).truncation.indices == ((0,), (1,))
    assert u.xxx.truncation.indices == ((0,),)


@pytest.mark.parametrize(
    "ufunc", [np.sin, np.cos, np.tan, np.exp, np.log, np.sqrt, np.sinh, np.cosh, np.tanh, np.square]
)
def test_numpy_functions_of_jets(ufunc):
    carried, at = truncation(1, 2), jnp.array([[0.3, 0.5]])
    u = inner(positions(carried, at))
    found = ufunc(u)
    assert isinstance(found, Jet)
    by_jax = getattr(jnp, ufunc.__name__)
    assert_jets_equal(found, lift(lambda x: by_jax(inner(x)), carried, at))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_numpy_arrays_and_numbers_on_either_side(operation):
    carried, at = truncation(1, 2), jnp.array([[0.3, 0.5]])
    u = inner(positions(carried, at))
    for other in (np.array([[2.0, 3.0]]), np.float64(2.5), jnp.array([[2.0, 3.0]]), 2):
        assert_jets_equal(operation(other, u), lift(lambda x, o=other: operation(o, inner(x)), carried, at))
        assert_jets_equal(operation(u, other), lift(lambda x, o=other: operation(inner(x), o), carried, at))


def test_numpy_functions_that_no_jet_has_are_refused():
    u = inner(positions(truncation(1, 1), jnp.ones((1, 2))))
    with pytest.raises(TypeError):
        np.arctan2(u, u)  # pyright: ignore[reportCallIssue, reportArgumentType]
    for refused in (np.where, np.clip):
        with pytest.raises(InputError, match=f"np.{refused.__name__} does not take fields; .*qres.where"):
            refused(u, 0.0, 1.0)  # pyright: ignore[reportCallIssue, reportArgumentType]


def test_abs_and_elu_on_both_sides_of_their_kink():
    carried, at = truncation(1, 3), jnp.array([[-0.8, 0.7]])
    x = positions(carried, at)
    np.testing.assert_allclose(jets.absolute(x).coefficient((1,)), [[-1.0, 1.0]])
    np.testing.assert_allclose(jets.elu(x).coefficient((3,)), [[np.exp(-0.8), 0.0]], rtol=1e-14)


def test_at_the_jump_itself():
    x = positions(truncation(1, 2), jnp.array([[-0.5, 0.0, 2.0]]))
    for function, values in ((jets.sign, [-1, 0, 1]), (jets.heaviside, [0, 0.5, 1])):
        found = function(3.0 * x)
        np.testing.assert_array_equal(found.value, [values])
        np.testing.assert_array_equal(function(np.array([-0.5, 0.0, 2.0])), values)
        assert not np.any(found.coefficient((1,))) and not np.any(found.coefficient((2,)))
    np.testing.assert_array_equal(np.heaviside(x, 1.0).value, [[0.0, 1.0, 1.0]])  # pyright: ignore


def test_what_is_not_a_number_is_neither_least_nor_largest():
    x = positions(truncation(1, 1), jnp.array([[np.nan, 2.0]]))
    for found in (jets.max(x, 1.0), jets.max(1.0, x)):
        np.testing.assert_array_equal(found.value, [[np.nan, 2.0]])


def test_numpy_compares_and_chooses_as_python_does():
    carried, at = truncation(1, 2), jnp.array([[0.3, 1.5]])
    u, one = inner(positions(carried, at)), np.array([[1.2, 1.2]])
    np.testing.assert_array_equal(one < u, np.asarray(u.value) > 1.2)
    np.testing.assert_array_equal(np.less_equal(u, one), np.asarray(u.value) <= 1.2)
    assert_jets_equal(np.maximum(u, one), jets.max(u, 1.2))  # pyright: ignore[reportCallIssue, reportArgumentType]
    assert_jets_equal(np.arctan(u), lift(lambda x: jnp.arctan(inner(x)), carried, at))  # pyright: ignore
    assert_jets_equal(np.arcsin(u / 2), lift(lambda x: jnp.arcsin(inner(x) / 2), carried, at))  # pyright: ignore
    assert_jets_equal(np.arccos(u / 2), lift(lambda x: jnp.arccos(inner(x) / 2), carried, at))  # pyright: ignore


@pytest.mark.parametrize("condition", [0.5, "x < 0.5", None, np.array([1.0])])
def test_a_condition_must_be_a_comparison(condition):
    with pytest.raises(InputError, match=r"must be a comparison, such as x < 0\.5, not "):
        jets.where(condition, 1.0, 2.0)


def test_choices_that_cannot_be_made():
    with pytest.raises(InputError, match="not a field"):
        jets.where(inner(positions(truncation(1, 1), jnp.ones((1, 2)))), 1.0, 2.0)
    with pytest.raises(InputError, match="max takes two or more arguments, not 1"):
        jets.max(np.ones(3))


def test_a_jet_says_what_it_does_not_carry():
    u = inner(positions(Truncation.closure(("t", "x"), [(1, 0), (0, 2)]), jnp.ones((2, 3))))
    with pytest.raises(ValueError, match=r"not \(1, 1\)"):
        u.tx
    with pytest.raises(ValueError, match=r"not \(0, 3\)"):
        u.coefficient((0, 3))
    with pytest.raises(AttributeError, match="'q' is not a derivative: the coordinates are t, x"):
        u.q
    other = inner(positions(Truncation.closure(("x",), [(1,)]), jnp.ones((1, 3))))
    with pytest.raises(ValueError, match="different coordinates"):
        _ = u + other


def test_a_name_that_reads_in_two_ways_is_refused():
    assert jets.index_of("xxt", ("t", "x")) == (1, 2)
    assert jets.index_of("xy", ("x", "y")) == (1, 1)
    assert jets.index_of("q", ("x",)) is None
    with pytest.raises(ValueError, match="'xy' can be read in several ways with coordinates x, y, xy"):
        jets.index_of("xy", ("x", "y", "xy"))
    assert jets.index_of("thetar", ("r", "theta")) == (1, 1)
