"""Jets flow through every family of networks, and derivatives of all kinds flow through the jets."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.flatten_util import ravel_pytree

from qres.jets import ACTIVATIONS, Truncation, lift, positions
from qres.networks import Architecture
from qres.problems import Problem

FAMILIES = ("qres", "mlp", "apinn", "isc", "qsc", "qdn")
ORDERS = {1: [(4,)], 2: [(1, 3), (2, 1)], 3: [(1, 1, 1), (0, 2, 0)]}
LOW = {1: [(3,)], 2: [(1, 1), (0, 2)]}


def problem(dimension, periodic=()):
    names = ("t", "x", "y")[:dimension]
    equation = " + ".join(f"u_{name}" for name in names) + " + v = 0"
    domain = {name: (-1.0 - i, 2.0) for i, name in enumerate(names)}
    return Problem(equation, domain, fields=("u", "v"), periodic=periodic)


def build(kind, dimension, **options):
    return Architecture(kind, **{"width": 3, "depth": 2, **options}).build(
        problem(dimension), key=jax.random.key(dimension)
    )


def by_layers_and_by_nesting(network, dimension, seed, orders=LOW):
    truncation = Truncation.closure(("t", "x", "y")[:dimension], orders[dimension])
    points = jnp.asarray(np.random.default_rng(seed).uniform(-1, 1, (dimension, 3)))
    one = jax.jit(lambda at: network(positions(truncation, at)))(points)
    two = jax.jit(lambda at: lift(network, truncation, at))(points)
    return one, two


def assert_equal(one, two, tolerance=1e-10):
    for index in one.truncation.indices:
        a, b = np.asarray(one.coefficient(index)), np.asarray(two.coefficient(index))
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * np.abs(b).max(), err_msg=str(index))


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("kind", FAMILIES)
def test_every_family_up_to_fourth_order(kind, dimension):
    """One compiled program, many random points and weights."""
    network = build(kind, dimension)
    truncation = Truncation.closure(("t", "x", "y")[:dimension], ORDERS[dimension])
    flat, unravel = ravel_pytree(eqx.filter(network, eqx.is_inexact_array))

    @jax.jit
    def both(parameters, at):
        net = eqx.combine(unravel(parameters), network)
        return net(positions(truncation, at)), lift(net, truncation, at)

    @settings(max_examples=15)
    @given(seed=st.integers(0, 10**6), spread=st.floats(0.1, 1.5))
    def equal(seed, spread):
        generator = np.random.default_rng(seed)
        parameters = jnp.asarray(generator.normal(0, spread, flat.shape))
        assert_equal(*both(parameters, jnp.asarray(generator.uniform(-1, 1, (dimension, 3)))))

    equal()


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_every_activation(activation):
    assert_equal(*by_layers_and_by_nesting(build("qres", 1, activation=activation, depth=1), 1, 5))


@pytest.mark.parametrize("options", [{"bias_inside": True}, {"fourier_features": 3}, {"hidden": (3, 5)}])
def test_options_of_the_networks(options):
    assert_equal(*by_layers_and_by_nesting(build("qres", 2, depth=1, **options), 2, 7))


def test_periodic_embedding():
    network = Architecture(width=3, depth=1, harmonics=2).build(problem(2, ("x",)), key=jax.random.key(0))
    assert_equal(*by_layers_and_by_nesting(network, 2, 3))


@pytest.mark.parametrize("kind", FAMILIES)
def test_gradients_with_respect_to_the_parameters_are_those_through_nesting(kind):
    """A loss with mixed derivatives and products, by reverse mode and by forward mode through the jets' own rule."""
    network = build(kind, 2)
    truncation = Truncation.closure(("t", "x"), [(1, 1), (0, 2)])
    points = jnp.asarray(np.random.default_rng(0).uniform(-1, 1, (2, 5)))
    learnt, fixed = eqx.partition(network, eqx.is_inexact_array)

    def loss(parameters, through):
        u = through(eqx.combine(parameters, fixed))
        return jnp.mean((u.t + u * u.xx - jnp.sin(1.0) * u.tx).value ** 2)

    def by_jets(net):
        return net(positions(truncation, points))

    def by_nesting(net):
        return lift(net, truncation, points)

    expected = jax.jit(jax.grad(lambda p: loss(p, by_nesting)))(learnt)
    found = jax.jit(jax.grad(lambda p: loss(p, by_jets)))(learnt)
    scale = max(float(jnp.abs(leaf).max()) for leaf in jax.tree.leaves(expected))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * scale)

    direction = jax.tree.map(lambda leaf: jnp.cos(jnp.arange(leaf.size)).reshape(leaf.shape), learnt)
    forward = jax.jit(lambda p: jax.jvp(lambda q: loss(q, by_jets), (p,), (direction,))[1])(learnt)
    dotted = sum(
        jnp.vdot(a, b) for a, b in zip(jax.tree.leaves(expected), jax.tree.leaves(direction), strict=True)
    )
    np.testing.assert_allclose(forward, dotted, rtol=1e-9)
