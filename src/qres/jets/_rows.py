"""Operations on the rows (features) of an array or a jet: features first, points last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.runtime.jax_config import configure

from ._jet import Jet
from ._series import scale, total
from ._truncation import Truncation

Rows = TypeVar("Rows", Array, Jet)


def _each(function: Callable[[Array], Array], z: Rows) -> Rows:
    if not isinstance(z, Jet):
        return function(z)
    return Jet(z.truncation, [None if c is None else function(jnp.asarray(c)) for c in z.coefficients])


def positions(truncation: Truncation, points: Float[Array, "d n"]) -> Jet:
    """Points as a jet of d rows: row i is coordinate i, with slope one along itself."""
    configure()
    slopes = [jnp.eye(len(points), dtype=points.dtype)[:, i : i + 1] for i in range(len(points))]
    by_index = {tuple(int(i == j) for j in range(len(points))): slopes[i] for i in range(len(points))}
    combined = [
        total(scale(a, by_index.get(index)) for a, index in combination)
        for combination in truncation.combinations
    ]
    return Jet(truncation, [points, *(by_index.get(index) for index in truncation.indices[1:]), *combined])


def linear(weight: Float[Array, "out in"], z: Rows) -> Rows:
    """`W z`: one matrix product for each coefficient; what is constant over the points stays so.

    A single row is computed as one of two. The reverse of a product with one row is an outer product, which XLA makes a
    loop, and recomputes in it, for every row, whatever its factor comes from, such as the sines of a hard condition.
    """
    if len(weight) > 1:
        return _each(lambda c: weight @ c, z)
    two = jnp.concatenate([weight, jnp.zeros_like(weight)])
    return rows(_each(lambda c: two @ c, z), 0, 1)


def rows(z: Rows, start: int, stop: int) -> Rows:
    """Rows start to stop."""
    return _each(lambda c: c[start:stop], z)


def columns(z: Rows, start: int, stop: int) -> Rows:
    """Points start to stop; what is constant over the points stays so."""
    return _each(lambda c: c if c.shape[1] == 1 else c[:, start:stop], z)


def concatenate(parts: Sequence[Rows]) -> Rows:
    """All rows of all parts, in order."""
    jets = [part for part in parts if isinstance(part, Jet)]
    if not jets:
        return jnp.concatenate(list(parts))  # pyright: ignore[reportArgumentType, reportReturnType]
    truncation = jets[0].truncation
    coefficients = []
    for k in range(len(truncation)):
        column = [jet.coefficients[k] for jet in jets]
        if all(c is None for c in column):
            coefficients.append(None)
            continue
        width = max(jnp.shape(c)[1] for c in column if c is not None)
        filled = [
            jnp.zeros((jet.value.shape[0], width))
            if c is None
            else jnp.broadcast_to(c, (jnp.shape(c)[0], width))
            for jet, c in zip(jets, column, strict=True)
        ]
        coefficients.append(jnp.concatenate(filled))
    return Jet(truncation, coefficients)  # pyright: ignore[reportReturnType]
