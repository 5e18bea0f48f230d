"""The inverse Hessian of the dense quasi-Newton methods, sharded by rows over the devices.

`H = c H₀ + Σ VᵀMV`: updates of rank two are kept beside the matrix H₀, with the vectors that make them, and are put
into it together, a few at a time. So an iteration only reads H₀, once, and memory is what a large matrix costs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import AXIS, Target
from qres.native import symmetric_product, updated

# Updates kept beside the matrix: to put them in costs three passes over it, an iteration's products with them little.
KEPT = 32


class Update(NamedTuple):
    """`H⁺ = scale·H + a·Hy(Hy)ᵀ + b·(s(Hy)ᵀ + Hy sᵀ) + c·ssᵀ`."""

    Hy: Float[Array, " n"]
    s: Float[Array, " n"]
    scale: Float[Array, ""]
    a: Float[Array, ""]
    b: Float[Array, ""]
    c: Float[Array, ""]

    @staticmethod
    def none(n: int) -> Update:
        """The update that changes nothing."""
        zero = jnp.zeros(())
        return Update(jnp.zeros(n), jnp.zeros(n), jnp.ones(()), zero, zero, zero)

    def times(
        self, Hg: Float[Array, " n"], yHg: Float[Array, ""], sg: Float[Array, ""]
    ) -> Float[Array, " n"]:
        """`H⁺g` from `Hg`, `(Hy)ᵀg` and `sᵀg`."""
        return (
            self.scale * Hg + self.Hy * (self.a * yHg + self.b * sg) + self.s * (self.b * yHg + self.c * sg)
        )


class PendingUpdates(NamedTuple):
    """The updates beside the matrix; those beyond `used` are zero. `failed`: the identity takes H's place."""

    vectors: Float[Array, "kept 2 n"]
    middle: Float[Array, "kept 2 2"]
    scale: Float[Array, ""]
    used: Array
    failed: Array

    @staticmethod
    def none(n: int) -> PendingUpdates:
        """No updates yet."""
        return PendingUpdates(
            jnp.zeros((KEPT, 2, n)), jnp.zeros((KEPT, 2, 2)), jnp.ones(()), jnp.array(0), jnp.array(False)
        )

    @staticmethod
    def specs() -> PendingUpdates:
        """Replicated on each device."""
        replicated: Any = P()
        return PendingUpdates._make(5 * [replicated])

    @property
    def is_due(self) -> Array:
        """Whether the matrix is to change before the next product with it."""
        return self.failed | (self.used == KEPT)

    def add(self, update: Update, descends: Array) -> PendingUpdates:
        """One more, or, where the direction that it gives does not descend, the end of this H."""
        entry = jnp.stack([jnp.stack([update.a, update.b]), jnp.stack([update.b, update.c])])
        return PendingUpdates(
            self.vectors.at[self.used].set(jnp.stack([update.Hy, update.s])),
            (update.scale * self.middle).at[self.used].set(entry),
            update.scale * self.scale,
            self.used + 1,
            ~descends,
        )


def identity(target: Target) -> Float[Array, "rows n"]:
    """This device's rows of the identity; rows beyond the last are zero."""
    rows = -(-target.size // target.mesh.size)
    first = jax.lax.axis_index(AXIS) * rows
    return (jnp.arange(target.size)[None, :] == (first + jnp.arange(rows))[:, None]).astype(float)


def multiply(H: Float[Array, "rows n"], kept: PendingUpdates, g: Float[Array, " n"]) -> Float[Array, " n"]:
    """`Hg` with the updates that are beside the matrix."""
    own = symmetric_product(H, g, AXIS)
    flat = kept.vectors.reshape(-1, len(g))
    shares = jnp.einsum("kij,kj->ki", kept.middle, (flat @ g).reshape(-1, 2))
    return kept.scale * own + shares.reshape(-1) @ flat


def flush(
    target: Target, H: Float[Array, "rows n"], kept: PendingUpdates
) -> tuple[Float[Array, "rows n"], PendingUpdates]:
    """The matrix with the updates put in, or the identity in its place, once that is due; else both as they are."""

    def apply_updates(H: Array) -> Array:
        rows, n = H.shape
        flat = kept.vectors.reshape(-1, n)
        padded = jnp.pad(flat, ((0, 0), (0, rows * target.mesh.size - n)))
        mine = jax.lax.dynamic_slice_in_dim(padded, jax.lax.axis_index(AXIS) * rows, rows, axis=1)
        left = jnp.einsum("kij,kir->kjr", kept.middle, mine.reshape(-1, 2, rows)).reshape(-1, rows)
        return updated(H, kept.scale, left, flat)

    def changed(H: Array) -> tuple[Array, PendingUpdates]:
        H = jax.lax.cond(kept.failed, lambda _: identity(target), apply_updates, H)
        return H, PendingUpdates.none(target.size)

    return jax.lax.cond(kept.is_due, changed, lambda H: (H, kept), H)
