"""Running an equation once with recording fields finds exactly the derivatives that it needs."""

import numpy as np
import pytest

from qres import jets
from qres.jets import Recording, Truncation, needed
from qres.runtime.errors import InputError

TX = ("t", "x")


def test_burgers_needs_value_t_x_and_xx():
    found = needed(lambda f: f["u"].t + f["u"] * f["u"].x - 0.01 * f["u"].xx, ("u",), TX)
    assert set(found.indices) == {(0, 0), (1, 0), (0, 1), (0, 2)}


def test_a_stream_function_needs_its_derivatives_derivatives():
    def momentum(f):
        u, v = f["psi"].y, -f["psi"].x
        return u * u.x + v * u.y - (u.xx + u.yy) + f["p"].x

    found = needed(momentum, ("psi", "p"), ("x", "y"))
    assert set(found.indices) == set(
        Truncation.closure(("x", "y"), [(2, 1), (0, 3), (1, 1), (0, 2), (1, 0)]).indices
    )


def test_a_differentiated_product_needs_both_factors_differentiated():
    found = needed(lambda f: (f["u"] * f["u"].x).x, ("u",), TX)
    assert set(found.indices) == {(0, 0), (0, 1), (0, 2)}
    found = needed(lambda f: (jets.sin(f["u"]) * f["v"].t).x, ("u", "v"), TX)
    assert set(found.indices) == {(0, 0), (1, 0), (0, 1), (1, 1)}


@pytest.mark.parametrize(
    "residual",
    [
        lambda u: 2.0 * u.xx / (1 + u**2) - 3,
        lambda u: np.exp(u.xx) + np.ones(3) * u,
        lambda u: jets.tanh(-u.xx) ** 2,
        lambda u: 2**u.xx,
        lambda u: [u, u.xx, 4.0],
        lambda u: jets.where(u.xx > 0.5, 1.0, 2.0),
        lambda u: jets.where((np.float64(1.0) > u) | ~(u < 0.5) & (np.ones(3) < u), u.xx, 2.0),
        lambda u: jets.max(1.0, u, u.xx),
        lambda u: np.minimum(u.xx, np.ones(3)),
        lambda u: jets.sign(u.xx) + abs(u),
        lambda u: (u > 0.5) * u.xx,
    ],
)
def test_functions_and_operators_keep_what_is_needed(residual):
    found = needed(lambda f: residual(f["u"]), ("u",), ("x",))
    assert found.indices == ((0,), (1,), (2,))


T, X, XX = (1, 0), (0, 1), (0, 2)


@pytest.mark.parametrize(
    ("residual", "groups"),
    [
        (lambda u, x: 2 * u.t - u.xx / 4 + 7, [{T: 2, XX: -0.25}]),
        (lambda u, x: 3 - (u.t - 2 * u.t) - jets.sin(x), [{T: 1}]),
        (lambda u, x: np.float64(2) * u.t + np.ones(3) * u.xx, [{T: 2}, {XX: 1}]),
        (lambda u, x: jets.exp(x) * (u.t - 5 * u.xx), [{T: 1, XX: -5}]),
        (lambda u, x: x * u.t - 5 * (u.xx * x), [{T: 1, XX: -5}]),
        (lambda u, x: u.t / x - 5 * (u.xx / x), [{T: 1, XX: -5}]),
        (lambda u, x: x * (x * u.t) - 5 * (u.xx * x), [{T: 1}, {XX: -5}]),
        (lambda u, x: (u.t - u.xx) ** 2 + 1 / u.x, [{T: 1, XX: -1}, {X: 1}]),
        (lambda u, x: jets.where(x < 0.5, u.t, u.xx), [{T: 1}, {XX: 1}]),
        (lambda u, x: u.t - (x < 0.5) * u.xx, [{T: 1}, {XX: -1}]),
        (
            lambda u, x: u.t - u.xx - jets.where((u.t > 0) & ~(u.x < 1), 1, 2),
            [{T: 1, XX: -1}, {T: -1}, {X: -1}],
        ),
        (
            lambda u, x: Recording.constant(TX, 3.0) * u.t / Recording.constant(TX, 2.0) - u.xx,
            [{T: 1.5, XX: -1}],
        ),
        (lambda u, x: abs(u.t) + jets.max(u.x, u.xx, 0.0), [{T: 1}, {X: 1}, {XX: 1}]),
        (lambda u, x: u.t + (x * u).xx - 2 * (x * u.x).x, [{T: 1}, {XX: -1}]),
        (lambda u, x: u.xx * u.t, [{XX: 1}, {T: 1}]),
    ],
)
def test_the_derivatives_that_stand_by_the_same_factors(residual, groups):
    found = residual(Recording.field(TX, "u"), Recording.field(TX, "x")).terms.values()
    kept = [{k: a for (name, k), a in group.items() if name == "u" and any(k) and a} for group in found]
    assert sorted(filter(None, kept), key=str) == sorted(groups, key=str)


def test_a_comparison_is_neither_true_nor_false():
    x = Recording.field(TX)
    for question in (lambda: 1 if x > 0.5 else 2, lambda: 0.2 < x < 0.5, lambda: max(x, 1.0)):
        with pytest.raises(InputError, match=r"qres.where\(x < 0.5, a, b\) for if"):
            question()
    with pytest.raises(InputError, match=r"must be a comparison, such as x < 0\.5, not a field"):
        jets.where(x, 1.0, 2.0)


def test_what_uses_no_field_needs_the_value_only():
    assert needed(lambda f: 3.0, ("u",), TX).indices == ((0, 0),)


def test_a_derivative_in_no_coordinate_is_an_error():
    with pytest.raises(AttributeError, match="'q' is not a derivative: the coordinates are t, x"):
        Recording.field(TX).q


def test_a_closure_holds_all_that_is_below_in_graded_order():
    assert Truncation.closure(TX, [(1, 2)]).indices == ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2))
    with pytest.raises(ValueError, match="not a multi-index"):
        Truncation.closure(TX, [(1,)])
    with pytest.raises(ValueError, match="not a multi-index"):
        Truncation.closure(TX, [(1, -1)])
