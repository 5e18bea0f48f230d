"""Combinations of highest coefficients go through arithmetic, functions and networks as the coefficients would."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres import jets
from qres.jets import FUNCTIONS, Truncation, positions, rows
from qres.jets._truncation import weight_of

PLAIN = Truncation.closure(("t", "x", "y"), [(1, 0, 0), (0, 3, 0), (0, 1, 1)])
# The highest are t, xxx, xy; of these flow `t + 2.5 xxx` and `xy - 0.5 t`.
MIXED = PLAIN.combined((((1.0, (1, 0, 0)), (2.5, (0, 3, 0))), ((1.0, (0, 1, 1)), (-0.5, (1, 0, 0)))))
POINTS = jnp.asarray(np.random.default_rng(0).uniform(-0.8, 0.8, (3, 5)))


def assert_combined(mixed, plain):
    """The same lower coefficients; combinations that are combinations of the plain ones."""
    coefficients = [0.0 if c is None else c for c in mixed.coefficients]
    for place, index in enumerate(mixed.truncation.indices):
        found = jnp.broadcast_to(coefficients[place], plain.value.shape)
        np.testing.assert_allclose(
            found, plain.coefficient(index) / jets.factorial(index), rtol=1e-12, atol=1e-14
        )
    places = coefficients[len(mixed.truncation.indices) :]
    for combination, found in zip(mixed.truncation.combinations, places, strict=True):
        expected = sum(a * plain.coefficient(k) / jets.factorial(k) for a, k in combination)
        np.testing.assert_allclose(
            jnp.broadcast_to(found, plain.value.shape), expected, rtol=1e-11, atol=1e-12
        )


def test_highest_are_those_that_nothing_is_above_of():
    assert set(PLAIN.highest) == {(1, 0, 0), (0, 3, 0), (0, 1, 1)}
    assert len(PLAIN) == 7 and len(MIXED) == 6
    assert (
        weight_of(MIXED.combinations[0], (0, 3, 0)) == 2.5
        and weight_of(MIXED.combinations[0], (0, 1, 1)) == 0
    )


@pytest.mark.parametrize("name", [*FUNCTIONS, "gelu", "product", "quotient", "square", "where", "max"])
def test_functions_and_products(name):
    def function(x):
        t, x, y = (rows(x, i, i + 1) for i in range(3))
        z = 1.2 + 0.4 * jets.sin(t + 1.3 * x - 0.7 * y) + 0.1 * t * x * y
        if name in FUNCTIONS:
            return FUNCTIONS[name](z)
        return {
            "product": z * jets.cos(x * y),
            "quotient": z / (2 + jets.sin(y) * x),
            "square": z**2,
            "gelu": z,
            "where": jets.where(z > 1.2, z * jets.cos(x * y), 2.0) * z,
            "max": jets.max(z, 1.2, x),
        }[name]

    assert_combined(function(positions(MIXED, POINTS)), function(positions(PLAIN, POINTS)))


@pytest.mark.parametrize("kind", ["qres", "mlp", "apinn", "isc", "qsc", "qdn"])
def test_networks_and_their_gradients(kind):
    problem = qres.Problem("u_t = u_xy", {"t": (0, 1), "x": (0, 1), "y": (0, 2)}, periodic=["y"])
    network = qres.Architecture(kind, 5, 3).build(problem, key=jax.random.key(1))
    assert_combined(network(positions(MIXED, POINTS)), network(positions(PLAIN, POINTS)))

    def loss(network, truncation):
        jet = network(positions(truncation, POINTS)).separated(PLAIN)
        first = jet.coefficient((1, 0, 0)) + 2.5 * jet.coefficient((0, 3, 0)) / 6
        second = jet.coefficient((0, 1, 1)) - 0.5 * jet.coefficient((1, 0, 0))
        return jnp.sum(first**2 + jet.value * second * jet.coefficient((0, 1, 0)))

    gradients = [jax.tree.leaves(jax.grad(loss)(network, truncation)) for truncation in (MIXED, PLAIN)]
    for a, b in zip(*gradients, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
