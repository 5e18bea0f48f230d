"""How sure the unknowns are: the Gauss–Newton Jacobian of the whole problem, network parameters marginalised.

A fit minimises `Σ w r²`. Noise ε in the data moves its minimum by `A⁻¹ Σ w J ε`, `A = Σ w JᵀJ` over all residuals:
equations, conditions and data. So `cov = A⁻¹ (Σ w² σ² JᵀJ) A⁻¹` with the sum over the data only, which have the
noise. Its block of the unknowns holds whatever the network can do to make up for a change of them.
`σ² = Σ r² / (n - p)`, where p, the share of the data's freedom that the fit uses up, is the trace of `A⁻¹ Σ w JᵀJ`
over the data.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import Array
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from ._block import Block, Chunk
from ._engine import AXIS, Batch, Engine

_NEGLIGIBLE = 1e-4  # of an unknown's direction may lie among those that nothing determines, by rounding
_FLAT = 1e-13  # eigenvalues below this share of the largest are directions that nothing determines


class Spread(NamedTuple):
    """The covariance of the last parameters of the vector (the raw unknowns), and the noise level of each data row."""

    covariance: Float[np.ndarray, "k k"]
    noise: dict[str, float]
    freedom: float  # how many of the data's degrees of freedom the fit uses up


def _normal_matrices(engine: Engine, theta: Array, batch: Batch) -> tuple[Array, dict[str, Array]]:
    """`A`, and each data row's part of it, computed chunk by chunk on all devices."""

    def gather(block: Block, chunks: Chunk) -> Array:
        """`Σ w JᵀJ` for each residual of a block."""

        def one(total: Array, chunk: Chunk) -> tuple[Array, None]:
            parts = []
            _, J = engine.jacobian(block, theta, chunk)
            start = 0
            for segment, weights in zip(block.segments, chunk["weights"], strict=True):
                rows, n = weights.shape
                mine = J[start : start + rows * n].reshape(n, rows, engine.size)
                wanted = range(rows) if segment.data is not None else ()
                parts += [mine[:, row].T @ mine[:, row] for row in wanted]
                start += rows * n
            return total + jnp.stack([J.T @ J, *parts]), None

        kept = sum(len(s.names) for s in block.segments if s.data is not None)
        zero = jnp.zeros((1 + kept, engine.size, engine.size))
        return jax.lax.psum(jax.lax.scan(one, zero, chunks)[0], AXIS)

    whole = jnp.zeros((engine.size, engine.size))
    of_data: dict[str, Array] = {}
    for number, block in enumerate(engine.blocks):
        program = engine.target.program(lambda chunks, b=block: gather(b, chunks), (P(AXIS),), P())
        found = program(batch[number])
        whole = whole + found[0]
        names = [name for s in block.segments if s.data is not None for name in s.names]
        of_data |= dict(zip(names, found[1:], strict=True))
    return whole, of_data


def unknown_spread(
    engine: Engine,
    theta: Float[Array, " n"],
    batch: Batch,
    count: int,
    squares: dict[str, float],
    points: dict[str, int],
    weights: dict[str, float],
    known_noise: dict[str, float],
) -> Spread:
    """The spread of the last `count` parameters.

    Args:
        engine: of the whole problem.
        theta: where it was fitted.
        batch: the points it was fitted at.
        count: how many unknowns there are.
        squares: the mean square of each data row's differences, unweighted.
        points: how many points each data row has.
        weights: of each data row in the loss, `w = weight / points`.
        known_noise: the standard deviation of data rows where the user gave it.
    """
    A, parts = _normal_matrices(engine, theta, batch)
    values, vectors = scipy.linalg.eigh(np.asarray(A))
    inverse = 1 / np.maximum(values, _FLAT * values[-1])
    half = vectors * inverse  # A⁻¹ = half @ vectors.T
    D = {name: np.asarray(part) for name, part in parts.items()}
    used = {name: float(np.sum((vectors.T @ part) * half.T)) for name, part in D.items()}
    noise = {
        name: known_noise.get(name, float(np.sqrt(squares[name] * n / max(n - used[name], 1.0))))
        for name, n in points.items()
    }
    rows = half[-count:] @ vectors.T  # the unknowns' rows of A⁻¹
    # Along a direction that no residual depends on, noise moves nothing, yet nothing is known: what of an unknown lies
    # in the space of such directions counts as a variance of one, a factor of e for a positive unknown.
    nothing = vectors[-count:, values < _FLAT * values[-1]]
    undetermined = nothing @ nothing.T
    undetermined[np.abs(undetermined) < _NEGLIGIBLE] = 0.0
    middle = sum((weights[name] * noise[name] ** 2 * part for name, part in D.items()), np.zeros_like(A))
    return Spread(rows @ middle @ rows.T + undetermined, noise, float(sum(used.values())))
