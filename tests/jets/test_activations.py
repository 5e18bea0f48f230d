"""Activations of users: their jets by nested derivatives or by a rule, and what is refused."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

import qres
from qres.jets import ACTIVATIONS, Jet, Truncation, lift, positions, register_activation
from qres.networks import Architecture
from qres.problems import Problem

PROBLEM = Problem("u_t + u_x = 0", {"t": (0, 1), "x": (-1, 1)})
FUNCTIONS = {
    "nested": (lambda z: z * jax.nn.sigmoid(2 * z), None),
    "of-qres": (lambda z: z * qres.sigmoid(2 * z), None),
    "of-y": (jnp.tanh, lambda z, y: 1 - y**2),
    "of-z": (lambda z: jnp.exp(-(z**2)), lambda z, y: -2 * z * y),
    "linear": (lambda z: 3.0 * z, lambda z, y: 3.0),
    "deeper": (
        lambda z: z * jax.nn.sigmoid(z),
        lambda z, y: qres.sigmoid(z) * (1 + z * (1 - qres.sigmoid(z))),
    ),
}


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(ACTIVATIONS, "added", {})
    for name, (function, derivative) in FUNCTIONS.items():
        register_activation(name, function, derivative)


def build(activation, **options):
    return Architecture("qres", **{"width": 3, "depth": 2, "activation": activation, **options}).build(
        PROBLEM, key=jax.random.key(1)
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jets_are_those_of_nested_differentiation(name):
    network, truncation = build(name), Truncation.closure(("t", "x"), [(1, 1), (0, 3)])
    points = jnp.asarray(np.random.default_rng(0).uniform(-1, 1, (2, 5)))
    flat, unravel = ravel_pytree(network)

    def both(vector):
        net = unravel(vector)
        return [
            [jet.coefficient(index) for index in truncation.indices]
            for jet in (net(positions(truncation, points)), lift(net, truncation, points))
        ]

    for one, two in zip(*jax.jit(both)(flat), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-10)
    gradients = jax.jit(jax.jacrev(lambda vector: [sum(c.sum() for c in jet) for jet in both(vector)]))(flat)
    np.testing.assert_allclose(*gradients, rtol=1e-8, atol=1e-9)


def test_a_combined_channel_is_the_combination():
    whole = Truncation.closure(("t", "x"), [(1, 0), (0, 2)])
    part = whole.combined((((1.0, (1, 0)), (-0.1, (0, 2))),))
    points = jnp.asarray(np.random.default_rng(0).uniform(-1, 1, (2, 5)))
    for name in FUNCTIONS:
        z = positions(whole, points)
        z = z * z + z
        channels: dict[Any, Any] = dict(zip(whole.indices, z.coefficients, strict=True))
        mixed = channels[1, 0] - 0.1 * channels[0, 2]
        combined = Jet(part, [*(channels[k] for k in part.indices), mixed])
        y, expected = ACTIVATIONS[name](combined), ACTIVATIONS[name](z)
        found: dict[Any, Any] = dict(zip(whole.indices, expected.coefficients, strict=True))
        np.testing.assert_allclose(y.coefficients[-1], found[1, 0] - 0.1 * found[0, 2], rtol=1e-9, atol=1e-12)


def test_native_code_leaves_it_to_xla():
    from qres.native import accelerated

    network = build("of-y")
    assert accelerated(network) is network
    builtin, points = build("tanh"), jnp.ones((2, 3))
    np.testing.assert_allclose(network(points), builtin(points), rtol=1e-14)


@pytest.mark.parametrize(
    ("function", "derivative", "says"),
    [
        (jax.nn.softmax, None, "must act on each number of an array alone"),
        (jnp.sum, None, "must act on each number of an array alone"),
        (jnp.tanh, lambda z, y: 1 - y, "the derivative given is not that of the function"),
    ],
)
def test_what_is_wrong_is_named_when_a_network_is_built(function, derivative, says):
    register_activation("wrong", function, derivative)
    with pytest.raises(ValueError, match=says):
        build("wrong")


def test_names():
    with pytest.raises(ValueError, match="activation 'tanh' is built in"):
        register_activation("tanh", jnp.tanh)
    with pytest.raises(ValueError, match=r"activation 'swish3' is not known; .*register_activation"):
        Architecture(activation="swish3")
    with pytest.raises(ValueError, match=r"activation: register one of your own with .*, and give the name"):
        Architecture(activation=jnp.tanh)  # pyright: ignore


def test_a_name_registered_again_means_the_new_function_and_networks_keep_theirs():
    points = jnp.ones((2, 3))
    old = build("of-y")
    before = old(points)
    register_activation("of-y", jnp.sin)
    assert not np.allclose(build("of-y")(points), before)
    np.testing.assert_array_equal(old(points), before)
