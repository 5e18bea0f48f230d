"""Symmetric matrices stored by rows over the devices: half-reading products, and in-place updates."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from ._build import Matrix, compiler, matrix

_SMALLEST = 256  # rows and columns: below, XLA is as fast


def symmetric_product(H: Float[Array, "rows n"], g: Float[Array, " n"], axis: str) -> Float[Array, " n"]:
    """`Hg`, inside a program of devices along an axis, each of which has its rows of H in order.

    Rows beyond the last are left out. Native code reads half of the matrix, and takes the other half to be the same.
    """
    first = (jax.lax.axis_index(axis) * len(H)).astype(jnp.int32)[None]
    if (found := _found(H)) is None:
        return jax.lax.all_gather(H @ g, axis, tiled=True)[: len(g)]
    part = jax.ffi.ffi_call(found.product, jax.ShapeDtypeStruct(g.shape, g.dtype))(first, H, g)
    return jax.lax.psum(part, axis)


def updated(
    H: Float[Array, "rows n"],
    scale: Float[Array, ""],
    left: Float[Array, "inner rows"],
    right: Float[Array, "inner n"],
) -> Float[Array, "rows n"]:
    """`scale·H + leftᵀ right`, for this device's rows."""
    if (found := _found(H)) is None:
        return scale * H + left.T @ right
    call = jax.ffi.ffi_call(found.update, jax.ShapeDtypeStruct(H.shape, H.dtype), input_output_aliases={3: 0})
    return call(scale, left, right, H)


def _found(H: Array) -> Matrix | None:
    usable = H.dtype == jnp.float64 and H.shape[1] >= _SMALLEST and jax.default_backend() == "cpu"
    return matrix() if usable and compiler() is not None else None
