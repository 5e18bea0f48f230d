"""The engine: named residuals over many points, in chunks of the device's size, on all devices.

A batch holds, for each block, arrays whose leading axis counts chunks and is sharded over the devices. Value and
gradient are taken chunk by chunk inside a scan, so that what reverse mode must remember is one chunk's, and stays in
a CPU's cache; a GPU has all its points in one chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
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

from qres.fields import Model
from qres.native import Native
from qres.networks import Network
from qres.residuals import Block, Chunk
from qres.runtime.devices import chunk_size
from qres.runtime.jax_config import configure
from qres.runtime.processes import gather, shard

AXIS = "points"
Batch = dict[int, Chunk]
_XLA_VALUES = 20_000  # channels × rows × points of the widest layer that stay in a core's cache; measured
_NATIVE_VALUES = 160_000  # the same of all hidden layers' outputs, which is what native code keeps


def device_mesh() -> Mesh:
    """All devices in one row."""
    configure()
    return Mesh(np.array(jax.devices()), (AXIS,))


def chunk_points(model: Model, channels: int) -> int:
    """About how many points a chunk should have: near the cache's size, or all that a GPU has memory for."""
    network = model.accelerated().network
    if isinstance(network, Native):
        found = _NATIVE_VALUES // (channels * network.kept)
    else:
        found = _XLA_VALUES // (channels * max(_rows(network)))
    leaves = [leaf for leaf in jax.tree.leaves(model) if eqx.is_inexact_array(leaf)]
    # Reverse mode remembers each layer's rows; Gauss–Newton has a row of the Jacobian for each point.
    values = channels * sum(_rows(network)) + sum(leaf.size for leaf in leaves)
    kind = np.result_type(np.float32, *(leaf.dtype for leaf in leaves))
    return chunk_size(int(np.clip(found, 32, 4000)), values=values, dtype=kind)


def _rows(network: Any) -> list[int]:
    """How many rows each layer computes for each coefficient; a guess where the network is not ours."""
    if isinstance(network, Native):
        return [network.kept]
    if not isinstance(network, Network):
        return [64]
    return [
        sum(leaf.shape[0] for leaf in jax.tree.leaves(layer) if leaf.ndim == 2) for layer in network.layers
    ]


@dataclass(frozen=True)
class Target:
    """What an optimizer works on: value and gradient of a loss at a flat vector, as one program on every device.

    `value_and_grad(theta, batch)` runs inside `shard_map` over `mesh`: it sees its device's share of the batch and
    returns what is summed over all. `normal(theta, batch)`, for Gauss–Newton, gives `loss, JᵀJ, Jᵀr` likewise.
    `programs` are the compiled programs of optimizers, kept here so that they live as long as the target does.
    """

    size: int
    mesh: Mesh
    value_and_grad: Callable[[Array, Any], tuple[Array, Array]]
    normal: Callable[[Array, Any], tuple[Array, Array, Array]] | None = None
    programs: dict[Any, Callable[..., Any]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @cached_property
    def evaluate(self) -> Callable[[Array, Any], tuple[Array, Array]]:
        """`value_and_grad` as a program of its own, compiled once for all who need it; it returns when it has run.

        Calls that overlap would wait for each other's threads where devices gather, until XLA aborts the process.
        """
        program = self.program(self.value_and_grad, (P(), P(AXIS)), P())
        return lambda theta, batch: jax.block_until_ready(program(theta, batch))

    def program(
        self,
        function: Callable[..., Any],
        in_specs: Any,
        out_specs: Any,
        consumed: tuple[int, ...] = (),
    ) -> Callable[..., Any]:
        """A compiled program from one device's view of it, which may write over the arguments that are consumed."""
        mapped = shard_map(function, mesh=self.mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)
        return jax.jit(mapped, donate_argnums=consumed)


def function_target(function: Callable[[Array], Array], size: int) -> Target:
    """A target from a plain function of a vector, without points: for tests, and for users of the optimizers."""
    return Target(size, device_mesh(), lambda theta, batch: jax.value_and_grad(function)(theta))


class Engine:
    """Blocks over batches of points: loss and gradient, each residual, each term of the loss."""

    def __init__(self, blocks: tuple[Block, ...], model: Model) -> None:
        self.blocks = blocks
        start, self.unflatten = model.flatten()
        self.size = start.size
        self.mesh = device_mesh()
        self.start = jax.device_put(start, NamedSharding(self.mesh, P()))
        self._chunk_points = [chunk_points(model, block.channels) for block in blocks]
        self.names = tuple(name for block in blocks for name in block.names)
        self.target = Target(self.size, self.mesh, self._value_and_grad, self._normal)
        self.terms = self.target.program(self._terms, (P(), P(AXIS)), P())
        self._residuals = [
            self.target.program(self._block_residuals(block), (P(), P(AXIS)), P(AXIS)) for block in blocks
        ]

    def place(
        self,
        number: int,
        points: Sequence[np.ndarray],
        weights: Sequence[np.ndarray],
        *,
        room: int = 0,
        **more: Any,
    ) -> Chunk:
        """One block's points, `(d, n)` a segment, and weights, `(rows, n)`, as padded chunks on the devices.

        Padding repeats the last point, with weight 0. `more` holds further arrays, `(…, n)` a segment. With `room`
        for more points, more of them later have the same shapes, and need no other program; chunks without any come
        last on each device, and are passed over.
        """
        total, devices = sum(max(array.shape[1], room) for array in points), self.mesh.size
        chunks = devices * max(1, round(total / devices / self._chunk_points[number]))
        sharding = NamedSharding(self.mesh, P(AXIS))

        def arranged(array: np.ndarray, mode: Any) -> Array:
            count = array.shape[1]
            size = _rounded(max(count, room), chunks)
            used = _used(count, devices, size)
            padded = np.pad(array, ((0, 0), (0, devices * used * size - count)), mode=mode)
            shared = padded.reshape(len(array), devices, used, size)
            shared = np.pad(shared, ((0, 0), (0, 0), (0, chunks // devices - used), (0, 0)), mode=mode)
            stacked = np.ascontiguousarray(shared.reshape(len(array), chunks, size).transpose(1, 0, 2))
            return shard(stacked, sharding)

        extra = {name: tuple(arranged(a, "edge") for a in arrays) for name, arrays in more.items()}
        return {
            "points": tuple(arranged(array, "edge") for array in points),
            "weights": tuple(arranged(array, "constant") for array in weights),
            **extra,
        }

    def residuals(
        self, number: int, theta: Array, chunk: Chunk, counts: Sequence[int]
    ) -> tuple[Float[np.ndarray, "rows n"], ...]:
        """One block's residuals for each segment at each of its points, in order."""
        found = [gather(array) for array in self._residuals[number](theta, chunk)]
        return tuple(self._in_order(array, count) for array, count in zip(found, counts, strict=True))

    def _in_order(self, array: np.ndarray, count: int) -> Float[np.ndarray, "rows n"]:
        """The inverse of `place`, of one segment's values."""
        chunks, rows, size = array.shape
        devices = self.mesh.size
        shared = array.transpose(1, 0, 2).reshape(rows, devices, chunks // devices, size)
        return shared[:, :, : _used(count, devices, size)].reshape(rows, -1)[:, :count]

    def _value_and_grad(self, theta: Array, batch: Batch) -> tuple[Array, Array]:
        model = self.unflatten(theta).accelerated()
        learnt = eqx.filter(model, eqx.is_inexact_array)

        def one(block: Block, total: tuple[Array, Array], chunk: Chunk) -> tuple[Array, Array]:
            value, grad = jax.value_and_grad(_weighted)(learnt, model, block, chunk)
            return total[0] + value, total[1] + ravel_pytree(grad)[0]

        total = (jnp.zeros((), theta.dtype), jnp.zeros_like(theta))
        for number, block in enumerate(self.blocks):
            total = _summed(partial(one, block), total, batch[number])
        return jax.lax.psum(total, AXIS)

    def _terms(self, theta: Array, batch: Batch) -> dict[str, Array]:
        """Each term of the loss by name."""
        model = self.unflatten(theta).accelerated()
        result: dict[str, Array] = {}
        for number, block in enumerate(self.blocks):

            def one(chunk: Chunk, block: Block = block) -> Array:
                parts = zip(block.segments, chunk["weights"], block.residuals(model, chunk), strict=True)
                # A name may stand for several rows, such as all stages of a step.
                sums = [jnp.sum((w * r * r).reshape(len(s.names), -1), axis=1) for s, w, r in parts]
                return jnp.concatenate(sums)

            sums = jax.lax.psum(jnp.sum(jax.lax.map(one, batch[number]), axis=0), AXIS)
            result.update(dict(zip(block.names, sums, strict=True)))
        return result

    def _block_residuals(self, block: Block) -> Callable[[Array, Chunk], tuple[Array, ...]]:
        def residuals(theta: Array, chunks: Chunk) -> tuple[Array, ...]:
            model = self.unflatten(theta).accelerated()
            return jax.lax.map(lambda chunk: block.residuals(model, chunk), chunks)

        return residuals

    def _normal(self, theta: Array, batch: Batch) -> tuple[Array, Array, Array]:
        """Loss, `JᵀJ` and `Jᵀr` of the weighted residuals."""
        total = (jnp.zeros(()), jnp.zeros((self.size, self.size)), jnp.zeros(self.size))
        for number, block in enumerate(self.blocks):

            def add(total: Any, chunk: Chunk, block: Block = block) -> Any:
                r, J = self.jacobian(block, theta, chunk)
                return total[0] + r @ r, total[1] + J.T @ J, total[2] + J.T @ r

            total = _summed(add, total, batch[number])
        return jax.lax.psum(total, AXIS)

    def jacobian(self, block: Block, theta: Array, chunk: Chunk) -> tuple[Array, Array]:
        """The weighted residuals `√w r` of a chunk, points before rows, and their Jacobian.

        Each residual depends on one point, so points are differentiated alone, one gradient a residual and point.
        """
        rows, jacobians = [], []
        for place, part in enumerate(block.parts):

            def at_point(vector: Array, column: dict[str, Array], part: Block = part) -> Array:
                single = {name: (array[:, None],) for name, array in column.items()}
                (residual,) = part.residuals(self.unflatten(vector), single)
                return (jnp.sqrt(single["weights"][0]) * residual)[:, 0]

            columns = {name: arrays[place].T for name, arrays in chunk.items()}
            rows.append(jax.vmap(lambda column, f=at_point: f(theta, column))(columns).reshape(-1))
            jacobian = jax.vmap(lambda column, f=at_point: jax.jacrev(f)(theta, column))(columns)
            jacobians.append(jacobian.reshape(-1, self.size))
        return jnp.concatenate(rows), jnp.concatenate(jacobians)


def _summed(add: Callable[[Any, Chunk], Any], total: Any, chunks: Chunk) -> Any:
    """A sum over this device's chunks, as far as they weigh anything: the chunks at the end may hold no points."""
    if len(chunks["points"][0]) == 1:
        return add(total, jax.tree.map(lambda array: array[0], chunks))
    weigh = jnp.any(jnp.stack([jnp.any(array != 0, axis=(1, 2)) for array in chunks["weights"]]), axis=0)
    used = jnp.max(jnp.where(weigh, 1 + jnp.arange(len(weigh)), 0))

    def next_one(number: Array, total: Any) -> Any:
        return add(total, jax.tree.map(lambda array: array[number], chunks))

    return jax.lax.fori_loop(0, used, next_one, total)


def _used(count: int, devices: int, size: int) -> int:
    """How many chunks of each device have points, of chunks of some size."""
    return -(-count // (devices * size))


def _rounded(points: int, chunks: int) -> int:
    """Points in each chunk; a multiple of 8 or 32 where that costs little, for the vector units."""
    size = -(-points // chunks)
    step = 1 if size < 32 else 8 if size < 256 else 32
    return -(-size // step) * step


def _weighted(learnt: Any, model: Model, block: Block, chunk: Chunk) -> Array:
    """One chunk's share of the loss, `Σ w r²`."""
    residuals = block.residuals(eqx.combine(learnt, model), chunk)
    return sum((jnp.sum(w * r * r) for w, r in zip(chunk["weights"], residuals, strict=True)), jnp.zeros(()))
