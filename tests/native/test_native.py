"""Native code gives what jets in XLA give: values and gradients, of every truncation, network and number of points."""

import os
import stat
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from qres.geometry import Sampling
from qres.jets import Truncation, positions
from qres.loss import Objective
from qres.native import Native, accelerated, compiler, kernel, series_source
from qres.networks import Architecture
from qres.problems import Problem
from qres.residuals import create_model

needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler on this machine")

LINE = Truncation.closure(("x",), [(4,)])
PLANE = Truncation.closure(("t", "x"), [(1, 0), (0, 2)])
COMBINED = PLANE.combined((((1.0, (1, 0)), (-0.3, (0, 2))),))
SPACE = Truncation.closure(("t", "x", "y"), [(1, 0, 1), (0, 2, 1), (0, 1, 2), (0, 0, 3)])
VALUE = Truncation.closure(("t", "x"), [])


def domain(truncation):
    box = dict.fromkeys(truncation.coordinates, (-1.0, 2.0))
    return Problem([f"u_{truncation.coordinates[0]} = v", "v = 0"], box, fields=["u", "v"], periodic=["x"])


def compare(network, truncation, count, dtype=jnp.float64, tolerance=1e-13):
    """A random sum of all coefficients at all points, and its gradient, by both."""
    random = np.random.default_rng(count)
    points = jnp.asarray(random.uniform(-1, 2, (len(truncation.coordinates), count)), dtype)
    factors = jnp.asarray(random.normal(size=(len(truncation), 2, count)), dtype)

    def loss(network, points):
        jet = network(positions(truncation, points))
        return sum(jnp.sum(f * c) for f, c in zip(factors, jet.coefficients, strict=True))

    evaluate = jax.jit(jax.value_and_grad(loss))
    native = accelerated(network)
    assert isinstance(native, Native)
    (value, slope), (expected, gradient) = evaluate(native, points), evaluate(network, points)
    slope, gradient = ravel_pytree(slope)[0], ravel_pytree(gradient)[0]
    largest = float(jnp.abs(gradient).max())
    np.testing.assert_allclose(value, expected, rtol=tolerance, atol=10 * tolerance * largest)
    np.testing.assert_allclose(slope, gradient, rtol=tolerance, atol=10 * tolerance * largest)


@needs_compiler
@pytest.mark.parametrize(
    "truncation", [LINE, PLANE, COMBINED, SPACE, VALUE], ids=["line", "plane", "combined", "space", "value"]
)
@pytest.mark.parametrize("kind", ["qres", "mlp", "apinn", "isc", "qsc"])
@pytest.mark.parametrize("bias_inside", [False, True])
def test_native_code_equals_jets(truncation, kind, bias_inside):
    architecture = Architecture(kind=kind, hidden=(7, 3, 11), bias_inside=bias_inside)
    network = architecture.build(domain(truncation), key=jax.random.key(1))
    compare(network, truncation, 77)


@needs_compiler
@pytest.mark.parametrize("count", [1, 31, 32, 33, 500])
@pytest.mark.parametrize("width", [1, 5, 24])
def test_any_number_of_points_and_any_width(count, width):
    network = Architecture(width=width, depth=2).build(domain(COMBINED), key=jax.random.key(2))
    compare(network, COMBINED, count)


@needs_compiler
@pytest.mark.parametrize("hidden", [(4, 4, 4), (3, 3, 2), (4, 2, 2)])
def test_shortcuts_go_past_layers_of_equal_widths_only(hidden):
    """The first layer too, whose inputs are t and both waves of x; never the last one, of two outputs."""
    network = Architecture(kind="isc", hidden=hidden).build(domain(PLANE), key=jax.random.key(2))
    compare(network, PLANE, 70)


@needs_compiler
def test_several_tiles_are_as_good_as_one(monkeypatch):
    monkeypatch.setattr("qres.native._network._TILE_VALUES", 1)
    network = Architecture(width=9, depth=3).build(domain(PLANE), key=jax.random.key(3))
    compare(network, PLANE, 200)


@needs_compiler
def test_native_code_in_float32():
    network = Architecture(width=6, depth=2).build(domain(PLANE), key=jax.random.key(4))
    with jax.enable_x64(False):
        single = jax.tree.map(lambda leaf: jnp.asarray(np.asarray(leaf, np.float32)), network)
        compare(single, PLANE, 100, jnp.float32, 1e-5)


@needs_compiler
def test_tanh_to_the_last_digits():
    """One neuron that passes its input on: large, tiny, infinite and no numbers at all."""
    network = Architecture(kind="mlp", width=1, depth=1).build(domain(LINE), key=jax.random.key(5))
    one, zero = jnp.ones((1, 1)), jnp.zeros(1)
    layers = (
        replace(network.layers[0], W=one, b=zero),
        replace(network.layers[1], W=jnp.ones((2, 1)), b=jnp.zeros(2)),
    )
    plain = replace(network, layers=layers, embedding=lambda jet: jet)
    x = np.concatenate(
        [np.linspace(-25, 25, 2001), 10.0 ** np.arange(-300, 300, 7), [np.inf, -np.inf, np.nan, 0.0, -0.0]]
    )
    found = accelerated(plain)(positions(Truncation.closure(("x",), []), jnp.asarray(x[None])))
    np.testing.assert_array_max_ulp(np.asarray(found.value[0]), np.tanh(x), 4)


@needs_compiler
def test_a_map_over_networks_and_points_holds():
    """`vmap` runs the native code for one after another."""
    network = accelerated(Architecture(width=4, depth=2).build(domain(VALUE), key=jax.random.key(6)))
    points = jnp.asarray(np.random.default_rng(0).uniform(-1, 2, (5, 2, 9)))
    found = jax.vmap(lambda p: network(positions(VALUE, p)).value)(points)
    expected = jnp.stack([network(positions(VALUE, p)).value for p in points])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("options", [{"kind": "qdn"}, {"activation": "sin"}, {"width": 200}])
def test_other_networks_stay_as_they_are(options):
    network = Architecture(depth=1, **options).build(domain(VALUE), key=jax.random.key(0))
    assert accelerated(network) is network


def test_no_native_code_where_it_is_not_wanted(monkeypatch):
    monkeypatch.setenv("QRES_NATIVE", "0")
    network = Architecture(width=4, depth=1).build(domain(VALUE), key=jax.random.key(0))
    assert accelerated(network) is network


@pytest.mark.skipif(os.name != "posix", reason="a script stands for the compiler")
@pytest.mark.parametrize("script", ["echo 'pass.cpp:1: error: no' >&2; exit 1", "exit 0"])
def test_a_compiler_that_fails_is_said_and_training_goes_on(script, monkeypatch, tmp_path):
    broken = tmp_path / "c++"
    broken.write_text(f"#!/bin/sh\n{script}\n")
    broken.chmod(broken.stat().st_mode | stat.S_IEXEC)
    monkeypatch.delenv("QRES_NATIVE", raising=False)
    monkeypatch.setenv("CXX", str(broken))
    monkeypatch.setenv("QRES_CACHE", str(tmp_path / "cache"))
    kernel.cache_clear()
    problem = Problem("u_t = u_xx", {"t": (0, 1), "x": (-1, 1)}, ["u(0, x) = 0"])
    model = create_model(problem, Architecture(width=3, depth=1).build(problem, key=jax.random.key(0)))
    with pytest.warns(UserWarning, match="native code is not used, since"):
        objective = Objective(problem, model, Sampling(points=40, condition_points=9))
        batch = objective.batch(objective.draw(jax.random.key(0)))
        value, _ = objective.engine.target.evaluate(objective.start, batch)
    assert np.isfinite(value)
    kernel.cache_clear()


def test_the_source_of_a_truncation_says_its_products():
    text = series_source(COMBINED, quadratic=True, bias_inside=False, shortcut=False)
    assert "#define COEFFICIENTS 3" in text
    assert "z[2] = a[0]*b[2] + a[2]*b[0] + real(-0.3)*a[1]*b[1];" in text
