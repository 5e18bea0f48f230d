"""Every layer is its formula, computed here once more in NumPy."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qres.jets import Truncation, positions
from qres.networks import Architecture
from qres.problems import Problem

LOWER, UPPER = (-1.0, 2.0), (3.0, 5.0)
POINTS = np.random.default_rng(0).uniform(LOWER, UPPER, (7, 2)).T


def problem(periodic=()):
    domain = {"t": (LOWER[0], UPPER[0]), "x": (LOWER[1], UPPER[1])}
    return Problem("u_t + v_x = 0", domain, fields=("u", "v"), periodic=periodic)


def build(kind, periodic=(), **options):
    """A network whose every number, biases and slopes included, is random."""
    network = Architecture(kind, width=4, depth=2, **options).build(problem(periodic), key=jax.random.key(3))
    generator = np.random.default_rng(1)
    learnt, fixed = eqx.partition(network, eqx.is_inexact_array)
    return eqx.combine(
        jax.tree.map(lambda leaf: jnp.asarray(generator.normal(0, 0.6, leaf.shape)), learnt), fixed
    )


def scaled(points):
    low, high = np.array(LOWER)[:, None], np.array(UPPER)[:, None]
    return 2 * (points - low) / (high - low) - 1


def plain(layer, x, act):
    return act(np.asarray(layer.W) @ x + np.asarray(layer.b)[:, None])


def quadratic(layer, x, act):
    first = layer.W1 @ x
    return act(first * (layer.W2 @ x) + first + layer.b[:, None])


def bias_inside(layer, x, act):
    first = layer.W1 @ x + layer.b[:, None]
    return act(first * (layer.W2 @ x) + first)


def adaptive(layer, x, act):
    if not hasattr(layer, "alpha"):
        return plain(layer, x, act)
    return act(layer.n * layer.alpha * (layer.W @ x + layer.b[:, None]))


def identity_shortcut(layer, x, act):
    return plain(layer.plain, x, act) + x if hasattr(layer, "plain") else plain(layer, x, act)


def quadratic_shortcut(layer, x, act):
    return (layer.W1 @ x) * (layer.W2 @ x) + act(layer.W1 @ x + layer.b[:, None])


def three_weights(layer, x, act):
    first, second = layer.W1 @ x + layer.b1[:, None], layer.W2 @ x + layer.b2[:, None]
    return act(first * second + layer.W3 @ x**2 + layer.b3[:, None])


FORMULAS = [
    ("qres", {}, quadratic),
    ("qres", {"bias_inside": True}, bias_inside),
    ("mlp", {}, plain),
    ("apinn", {"n": 5.0}, adaptive),
    ("isc", {}, identity_shortcut),
    ("qsc", {}, quadratic_shortcut),
    ("qdn", {}, three_weights),
]


@pytest.mark.parametrize(("kind", "options", "formula"), FORMULAS)
def test_the_network_is_its_formula(kind, options, formula):
    network = build(kind, **options)
    x = scaled(POINTS)
    for layer in network.layers[:-1]:
        x = np.asarray(formula(layer, x, np.tanh))
    expected = formula(network.layers[-1], x, lambda z: z)
    np.testing.assert_allclose(network(jnp.asarray(POINTS)), expected, rtol=1e-12, atol=1e-13)


def test_shortcuts_only_between_equal_widths():
    network = build("isc")
    assert [type(layer).__name__ for layer in network.layers] == ["Plain", "IdentityShortcut", "Plain"]


def test_a_fresh_adaptive_activation_starts_as_a_plain_one():
    network = Architecture("apinn", width=4, depth=1).build(problem(), key=jax.random.key(0))
    hidden = network.layers[0]
    np.testing.assert_allclose(hidden(jnp.ones((2, 1))), plain(hidden, np.ones((2, 1)), np.tanh), rtol=1e-14)


def test_fresh_weights_have_the_paper_s_spread_and_no_bias():
    layer = Architecture(width=80, depth=2).build(problem(), key=jax.random.key(0)).layers[1]
    spread = (2 / 160) ** 0.5
    assert np.abs(layer.W1).max() <= 2 * spread
    assert 0.8 * spread < np.std(layer.W1) < 0.95 * spread  # cut at two standard deviations
    assert not np.any(layer.b)
    scaled_down = Architecture(width=80, depth=2, quadratic_scale=0.1).build(problem(), key=jax.random.key(0))
    np.testing.assert_allclose(scaled_down.layers[1].W2, 0.1 * layer.W2)
    np.testing.assert_array_equal(scaled_down.layers[1].W1, layer.W1)


def test_inputs_are_scaled_to_one_by_the_domain():
    network = build("mlp")
    corners = jnp.array([[LOWER[0], UPPER[0]], [LOWER[1], UPPER[1]]])
    np.testing.assert_allclose(network.embedding(corners), [[-1, 1], [-1, 1]], atol=1e-15)


def test_a_periodic_coordinate_is_exactly_periodic_with_its_derivatives():
    network = build("qres", ("x",), harmonics=3)
    assert network.embedding.width == 1 + 2 * 3
    truncation = Truncation.closure(("t", "x"), [(1, 0), (0, 3)])
    t = np.linspace(LOWER[0], UPPER[0], 5)
    left, right = (
        network(positions(truncation, jnp.asarray([t, np.full(5, edge)]))) for edge in (LOWER[1], UPPER[1])
    )
    for index in truncation.indices:
        a, b = left.coefficient(index), right.coefficient(index)
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11 * float(jnp.abs(b).max()))
    beyond = network(jnp.asarray([t, np.full(5, 2.7 + 3.0)]))
    np.testing.assert_allclose(network(jnp.asarray([t, np.full(5, 2.7)])), beyond, rtol=1e-11)


def test_periodicity_may_be_left_to_the_conditions():
    network = build("qres", ("x",), periodic_embedding=False)
    assert network.embedding.width == 2


def test_fourier_features_are_waves_of_the_scaled_coordinates():
    network = build("mlp", fourier_features=3, fourier_scale=2.0)
    features = network.embedding(jnp.asarray(POINTS))
    assert features.shape == (2 + 6, 7)
    angles = 2 * np.pi * np.array(network.embedding.frequencies) @ scaled(POINTS)
    np.testing.assert_allclose(
        features, [*scaled(POINTS), *np.cos(angles), *np.sin(angles)], rtol=1e-12, atol=1e-13
    )


def test_fourier_features_do_not_break_a_period():
    network = build("mlp", ("x",), fourier_features=3)
    assert all(row[1] == 0 and row[0] != 0 for row in network.embedding.frequencies)
