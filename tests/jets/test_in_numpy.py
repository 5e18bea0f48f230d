"""Formulas answer in kind: NumPy's arrays in, NumPy's arrays out, with the values and derivatives of JAX's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qres import jets
from qres.jets import FUNCTIONS, Jet, Truncation

# What has no counterpart in NumPy answers in JAX.
IN_NUMPY = sorted(set(FUNCTIONS) - {"sigmoid", "softplus", "gelu", "elu", "silu", "erf"})
CARRIED = Truncation.closure(("x", "y"), [(3, 0), (1, 1)])


def jet_of(function, xp):
    x = Jet.coordinate(CARRIED, "x", xp.asarray([[0.3, 0.7, 1.4]]))
    y = Jet.coordinate(CARRIED, "y", xp.asarray([[0.2, 0.9, 0.5]]))
    return function(x * y + x**2) / (1.5 + y)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_jet_has_the_derivatives_of_jax(name):
    ours, jaxs = (jet_of(FUNCTIONS[name], xp) for xp in (np, jnp))
    for index in CARRIED.indices:
        np.testing.assert_allclose(ours.coefficient(index), jaxs.coefficient(index), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", IN_NUMPY)
def test_what_comes_out_is_of_the_kind_that_went_in(name):
    function = FUNCTIONS[name]
    assert isinstance(function(np.array([0.3, 0.7])), np.ndarray)
    assert type(function(0.3)) is float  # which takes the precision of what it meets
    assert isinstance(function(jnp.array([0.3, 0.7])), jax.Array)
    assert isinstance(jet_of(function, np).coefficient((1, 1)), np.ndarray)


@pytest.mark.parametrize(
    "choice",
    [lambda z: jets.where(z > 0.5, z, 0.5), lambda z: jets.where(z > 0.5, 1, 2), lambda z: jets.max(z, 0.5),
     lambda z: jets.min(0.5, z, 2)],
)  # fmt: skip
def test_a_choice_is_of_the_kind_of_what_there_is_to_choose(choice):
    assert isinstance(choice(np.array([0.3, 0.7])), np.ndarray)
    assert type(choice(0.3)) is float
    assert isinstance(choice(jnp.array([0.3, 0.7])), jax.Array)
    np.testing.assert_array_equal(choice(np.array([0.3, 0.7])), [choice(0.3), choice(0.7)])


def test_a_jet_in_numpy_stays_in_numpy_when_chosen():
    x = Jet.coordinate(CARRIED, "x", np.array([[0.3, 0.7]]))
    found = jets.where(x > 0.5, x**2, 1.0)
    assert isinstance(found.coefficient((1, 0)), np.ndarray)
    np.testing.assert_allclose(found.coefficient((1, 0)), [[0.0, 1.4]])


def test_what_has_no_value_is_not_a_number():
    assert np.isnan(FUNCTIONS["log"](-1.0))
    np.testing.assert_array_equal(FUNCTIONS["sqrt"](np.array([-1.0, 4.0])), [np.nan, 2.0])
