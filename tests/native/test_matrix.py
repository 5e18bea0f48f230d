"""Symmetric matrices in native code: products that read half of one, and updates in its place, on one device or two."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import shard_map
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from qres.native import compiler, symmetric_product, updated

AXIS = "points"
SIZES = [*range(1, 12), 31, 32, 33, 64, 301]


def on_devices(function, devices, in_specs, out_specs):
    mesh = Mesh(np.array(jax.devices()[:devices]), (AXIS,))
    return jax.jit(shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False))


def rows_for(n, devices):
    return -(-n // devices) * devices


@pytest.fixture(params=["native", "xla"])
def code(request, monkeypatch):
    if request.param == "native" and compiler() is None:
        pytest.skip("no C++ compiler on this machine")
    monkeypatch.setattr("qres.native._matrix._SMALLEST", 1 if request.param == "native" else 10**9)


@pytest.mark.parametrize("devices", range(1, len(jax.devices()) + 1))
@pytest.mark.parametrize("n", SIZES)
def test_products_with_a_symmetric_matrix(n, devices, code):
    random = np.random.default_rng(n)
    H, g = random.normal(size=(n, n)), random.normal(size=n)
    H = H + H.T
    padded = np.pad(H, ((0, rows_for(n, devices) - n), (0, 0)))
    product = on_devices(lambda H, g: symmetric_product(H, g, AXIS), devices, (P(AXIS), P()), P())
    np.testing.assert_allclose(product(padded, g), H @ g, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("devices", range(1, len(jax.devices()) + 1))
@pytest.mark.parametrize("n", SIZES)
def test_updates_of_a_matrix(n, devices, code):
    random, rows = np.random.default_rng(n), rows_for(n, devices)
    H, left, right = (random.normal(size=shape) for shape in ((rows, n), (6, rows), (6, n)))
    specs = (P(AXIS), P(), P(None, AXIS), P())
    update = on_devices(updated, devices, specs, P(AXIS))
    found = update(H, jnp.asarray(0.7), left, right)
    np.testing.assert_allclose(found, 0.7 * H + left.T @ right, rtol=1e-12, atol=1e-12)
