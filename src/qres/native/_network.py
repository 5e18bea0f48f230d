"""A network evaluated by native code, forward and reverse; values agree with XLA's to rounding."""

from __future__ import annotations

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int

from qres.jets import Jet
from qres.networks import AdaptiveActivation, IdentityShortcut, Network, Quadratic, QuadraticShortcut

from ._build import Kernel, compiler, is_wanted, kernel
from ._source import series_source

_TILE_VALUES = 8_000  # rows × coefficients × points of a layer's input that stay in the first cache; measured
_KINDS = ("qres", "mlp", "apinn", "isc", "qsc")
_WIDEST = 64  # neurons: of wider layers, XLA's matrix products are as fast


class Native(eqx.Module):
    """A network that takes jets through native code. Points are not differentiated by: that is what jets are for."""

    network: Network

    def __call__(self, x: Jet) -> Jet:
        """The fields at points, as `network(x)` gives them."""
        features = self.network.embedding(x)
        series = series_source(features.truncation, **self._layers)
        theta, dtype = self._weights(), features.value.dtype
        found = kernel(series, single=dtype == jnp.float32) if theta.dtype == dtype else None
        if found is None:
            return self.network(x)
        widths = (features.value.shape[0], *(len(_parts(layer)[-1]) for layer in self.network.layers))
        tile = _tile(max(widths) * len(features.truncation), found.step)
        inputs = jax.lax.stop_gradient(_stacked(features))
        outputs: Array = _pass(found, (tile, *widths), theta, inputs)
        return Jet(features.truncation, [outputs[:, k] for k in range(len(features.truncation))])

    @property
    def kept(self) -> int:
        """Outputs of all hidden layers, which the forward pass leaves to the reverse."""
        return sum(self.network.architecture.hidden_widths)

    @property
    def _layers(self) -> dict[str, bool]:
        kind, bias_inside = self.network.architecture.kind, self.network.architecture.bias_inside
        return {
            "quadratic": kind in ("qres", "qsc"),
            "bias_inside": kind == "qres" and bias_inside,
            "shortcut": kind in ("isc", "qsc"),
        }

    def _weights(self) -> Float[Array, " parameters"]:
        """All weights in the order that the native code has them: matrices by rows, then biases, layer by layer."""
        return jnp.concatenate([jnp.ravel(part) for layer in self.network.layers for part in _parts(layer)])


def accelerated(network: Network) -> Network | Native:
    """The network with a native pass, where there is one for it; otherwise itself."""
    return Native(network) if _fits(network) and compiler() is not None else network


def lacks_compiler(network: Any) -> bool:
    """Whether there would be a native pass for a network, if this machine had a C++ compiler; not where it is off."""
    return isinstance(network, Network) and is_wanted() and compiler() is None and _fits(network)


def _fits(network: Network) -> bool:
    architecture = network.architecture
    if architecture.kind not in _KINDS or architecture.activation != "tanh":
        return False
    return max(architecture.hidden_widths) <= _WIDEST and jax.default_backend() == "cpu"


def _parts(layer: Any) -> tuple[Array, ...]:
    if isinstance(layer, Quadratic | QuadraticShortcut):
        return layer.W1, layer.W2, layer.b
    if isinstance(layer, IdentityShortcut):
        return layer.plain.W, layer.plain.b
    slope = layer.n * layer.alpha if isinstance(layer, AdaptiveActivation) else 1.0
    return slope * layer.W, slope * layer.b


def _stacked(jet: Jet) -> Float[Array, "rows coefficients n"]:
    """All coefficients as one array, zeros too."""
    shape = jet.value.shape
    zero = jnp.zeros(shape, jet.value.dtype)
    return jnp.stack([zero if c is None else jnp.broadcast_to(c, shape) for c in jet.coefficients], axis=1)


def _tile(values: int, step: int) -> int:
    """Points of a tile: a multiple of the step, as many as the cache holds."""
    return step * max(1, _TILE_VALUES // (values * step))


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _pass(
    names: Kernel, sizes: tuple[int, ...], theta: Float[Array, " parameters"], x: Float[Array, "rows c n"]
) -> Float[Array, "outputs c n"]:
    """The network's outputs. `sizes` are the points of a tile and the widths of all layers."""
    return _forward(names, sizes, theta, x)[0]


def _forward(
    names: Kernel, sizes: tuple[int, ...], theta: Array, x: Array
) -> tuple[Array, tuple[Array, ...]]:
    widths = sizes[1:]
    _, coefficients, points = x.shape
    kept = -(-points // names.step) * names.step * coefficients * sum(widths[1:-1])
    shapes = [(widths[-1], coefficients, points), (kept,)]
    results = [jax.ShapeDtypeStruct(shape, x.dtype) for shape in shapes]
    y, states = jax.ffi.ffi_call(names.forward, results, vmap_method="sequential")(_numbers(sizes), theta, x)
    return y, (theta, x, states)


def _reverse(names: Kernel, sizes: tuple[int, ...], kept: tuple[Array, ...], dy: Array) -> tuple[Array, None]:
    theta, x, states = kept
    result = jax.ShapeDtypeStruct(theta.shape, theta.dtype)
    call = jax.ffi.ffi_call(names.reverse, result, vmap_method="sequential")
    return call(_numbers(sizes), theta, x, states, dy), None


_pass.defvjp(_forward, _reverse)


def _numbers(sizes: tuple[int, ...]) -> Int[np.ndarray, " sizes"]:
    return np.array(sizes, np.int32)
