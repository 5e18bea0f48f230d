"""The engine: named residuals over many points, in cache-sized chunks, on all devices.

A batch holds, for each block, arrays whose leading axis counts chunks and is spread over the devices. Value and gradient
are taken chunk by chunk inside a scan, so that what reverse mode must remember is one chunk's, and stays in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, shard_map
from jax.flatten_util import ravel_pytree
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from ._block import Block, Chunk
from ._model import Model

AXIS = "points"
Batch = dict[int, Chunk]
_CHUNK_VALUES = 40_000  # channels × rows × points of one layer that stay in a core's cache; measured


def device_mesh() -> Mesh:
    """All devices in one row."""
    return Mesh(np.array(jax.devices()), (AXIS,))


def chunk_shape(points: int, values_per_point: int, devices: int) -> tuple[int, int]:
    """How many chunks (over all devices) and how many points in each: near the cache's size, with little padding."""
    target = int(np.clip(_CHUNK_VALUES // max(values_per_point, 1), 32, 4000))
    per_device = int(np.ceil(points / devices))
    chunks = max(1, round(per_device / target))
    size = int(np.ceil(per_device / chunks))
    return chunks * devices, size if size < 8 else -(-size // 8) * 8


@dataclass(frozen=True)
class Target:
    """What an optimizer works on: value and gradient of a loss at a flat vector, as one program on every device.

    `value_and_grad(theta, batch)` runs inside `shard_map` over `mesh`: it sees its device's share of the batch and
    returns what is summed over all. `normal(theta, batch)`, for Gauss–Newton, gives `loss, JᵀJ, Jᵀr` likewise.
    """

    size: int
    mesh: Mesh
    value_and_grad: Callable[[Array, Any], tuple[Array, Array]]
    normal: Callable[[Array, Any], tuple[Array, Array, Array]] | None = None

    def program(self, function: Callable[..., Any], in_specs: Any, out_specs: Any) -> Callable[..., Any]:
        """A compiled program from one device's view of it."""
        return jax.jit(
            shard_map(function, mesh=self.mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)
        )


def function_target(function: Callable[[Array], Array], size: int) -> Target:
    """A target from a plain function of a vector, without points: for tests, and for users of the optimizers."""
    return Target(size, device_mesh(), lambda theta, batch: jax.value_and_grad(function)(theta))


class Engine:
    """Blocks over batches of points: loss and gradient, each residual, each term of the loss."""

    def __init__(self, blocks: tuple[Block, ...], unflatten: Callable[[Array], Model], size: int, width: int) -> None:
        self.blocks = blocks
        self.unflatten = unflatten
        self.size = size
        self.width = width
        self.mesh = device_mesh()
        self.names = tuple(name for block in blocks for name in block.names)
        batch_spec = {i: P(AXIS) for i in range(len(blocks))}
        self.target = Target(size, self.mesh, self._value_and_grad, self._normal)
        self.terms = self.target.program(self._terms, (P(), batch_spec), P())
        self.loss_and_grad = self.target.program(self._value_and_grad, (P(), batch_spec), P())
        self._residuals = [
            self.target.program(self._block_residuals(block), (P(), P(AXIS)), P(AXIS)) for block in blocks
        ]

    def place(self, number: int, points: np.ndarray, weights: np.ndarray, **more: np.ndarray) -> Chunk:
        """One block's points `(d, n)` and weights `(rows, n)` as padded chunks on the devices; padding has weight 0."""
        block = self.blocks[number]
        chunks, size = chunk_shape(points.shape[1], block.channels * self.width, self.mesh.size)
        spare = chunks * size - points.shape[1]

        def arranged(array: np.ndarray, mode: Any) -> Array:
            padded = np.pad(array, ((0, 0), (0, spare)), mode=mode)
            stacked = padded.reshape(len(array), chunks, size).transpose(1, 0, 2)
            return jax.device_put(np.ascontiguousarray(stacked), NamedSharding(self.mesh, P(AXIS)))

        extra = {name: arranged(array, "edge") for name, array in more.items()}
        return {"points": arranged(points, "edge"), "weights": arranged(weights, "constant"), **extra}

    def residuals(self, number: int, theta: Array, chunk: Chunk, count: int) -> Float[np.ndarray, "rows n"]:
        """One block's residuals at each of its `count` points, in order."""
        found = np.asarray(self._residuals[number](theta, chunk))
        return found.transpose(1, 0, 2).reshape(found.shape[1], -1)[:, :count]

    def _value_and_grad(self, theta: Array, batch: Batch) -> tuple[Array, Array]:
        model = self.unflatten(theta)

        def one(block: Block, total: tuple[Array, Any], chunk: Chunk) -> tuple[tuple[Array, Any], None]:
            value, grad = jax.value_and_grad(_weighted)(_learnt(model), model, block, chunk)
            return (total[0] + value, jax.tree.map(jnp.add, total[1], grad)), None

        zero = jax.tree.map(jnp.zeros_like, _learnt(model))
        total = (jnp.zeros((), theta.dtype), zero)
        for number, block in enumerate(self.blocks):
            chunks = batch[number]
            if len(chunks["points"]) == 1:
                total, _ = one(block, total, jax.tree.map(lambda a: a[0], chunks))
            else:
                total, _ = jax.lax.scan(lambda t, c, block=block: one(block, t, c), total, chunks)
        return jax.lax.psum((total[0], ravel_pytree(total[1])[0]), AXIS)

    def _terms(self, theta: Array, batch: Batch) -> dict[str, Array]:
        """Each term of the loss by name."""
        model = self.unflatten(theta)
        result: dict[str, Array] = {}
        for number, block in enumerate(self.blocks):

            def one(chunk: Chunk, block: Block = block) -> Array:
                return jnp.sum(chunk["weights"] * block.residual(model, chunk) ** 2, axis=1)

            sums = jax.lax.psum(jnp.sum(jax.lax.map(one, batch[number]), axis=0), AXIS)
            result.update(dict(zip(block.names, sums, strict=True)))
        return result

    def _block_residuals(self, block: Block) -> Callable[[Array, Chunk], Array]:
        def residuals(theta: Array, chunks: Chunk) -> Array:
            model = self.unflatten(theta)
            return jax.lax.map(lambda chunk: block.residual(model, chunk), chunks)

        return residuals

    def _normal(self, theta: Array, batch: Batch) -> tuple[Array, Array, Array]:
        """Loss, `JᵀJ` and `Jᵀr` of the weighted residuals, from one gradient a residual and point."""
        total = (jnp.zeros(()), jnp.zeros((self.size, self.size)), jnp.zeros(self.size))
        for number, block in enumerate(self.blocks):

            def one(chunk: Chunk, block: Block = block) -> tuple[Array, Array]:
                def at_point(vector: Array, column: Chunk) -> Array:
                    single = jax.tree.map(lambda a: a[:, None], column)
                    weighted = jnp.sqrt(single["weights"]) * block.residual(self.unflatten(vector), single)
                    return weighted[:, 0]

                columns = jax.tree.map(lambda a: a.T, chunk)
                rows = jax.vmap(lambda column: at_point(theta, column))(columns)
                jacobian = jax.vmap(lambda column: jax.jacrev(at_point)(theta, column))(columns)
                return rows.reshape(-1), jacobian.reshape(-1, self.size)

            def add(total: Any, chunk: Chunk, one: Any = one) -> tuple[Any, None]:
                r, J = one(chunk)
                return (total[0] + r @ r, total[1] + J.T @ J, total[2] + J.T @ r), None

            total, _ = jax.lax.scan(add, total, batch[number])
        return jax.lax.psum(total, AXIS)


def _learnt(model: Model) -> Any:
    return eqx.filter(model, eqx.is_inexact_array)


def _weighted(learnt: Any, model: Model, block: Block, chunk: Chunk) -> Array:
    """One chunk's share of the loss, `Σ w r²`."""
    residual = block.residual(eqx.combine(learnt, model), chunk)
    return jnp.sum(chunk["weights"] * residual * residual)
