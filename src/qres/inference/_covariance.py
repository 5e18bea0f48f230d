"""Covariance of the unknowns: the Gauss–Newton Jacobian of all residuals, network parameters marginalized.

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
from jax import Array
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import AXIS, Batch, Engine
from qres.residuals import Block, Chunk

_NEGLIGIBLE = 1e-4  # of an unknown's direction may lie among those that nothing determines, by rounding
_FLAT = 1e-13  # eigenvalues below this share of the largest are directions that nothing determines


class UnknownCovariance(NamedTuple):
    """The covariance of the last parameters of the vector (the raw unknowns), and the noise level of each data row."""

    covariance: Float[np.ndarray, "k k"]
    noise: dict[str, float]
    freedom: float  # how many of the data's degrees of freedom the fit uses up


def _normal_matrices(engine: Engine, theta: Array, batch: Batch) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """`A`, and each data row's part of it, computed chunk by chunk on all devices."""

    def gather(block: Block, chunks: Chunk) -> Array:
        """`Σ w JᵀJ` of all residuals of a block but the data's, then of each row of data."""

        def one(total: Array, chunk: Chunk) -> tuple[Array, None]:
            exact, measured = [], []
            _, J = engine.jacobian(block, theta, chunk)
            start = 0
            for segment, weights in zip(block.segments, chunk["weights"], strict=True):
                rows, n = weights.shape
                mine = J[start : start + rows * n]
                if segment.data is None:
                    exact.append(mine)
                else:
                    each = mine.reshape(n, rows, engine.size)
                    measured += [each[:, row].T @ each[:, row] for row in range(rows)]
                start += rows * n
            rest = jnp.concatenate(exact) if exact else jnp.zeros((0, engine.size))
            return total + jnp.stack([rest.T @ rest, *measured]), None

        kept = sum(len(s.names) for s in block.segments if s.data is not None)
        zero = jnp.zeros((1 + kept, engine.size, engine.size))
        return jax.lax.psum(jax.lax.scan(one, zero, chunks)[0], AXIS)

    normal = np.zeros((engine.size, engine.size))
    of_data: dict[str, np.ndarray] = {}
    for number, block in enumerate(engine.blocks):
        program = engine.target.program(lambda chunks, b=block: gather(b, chunks), (P(AXIS),), P())
        found = np.asarray(program(batch[number]))
        normal += found.sum(axis=0)
        names = [name for s in block.segments if s.data is not None for name in s.names]
        of_data |= dict(zip(names, found[1:], strict=True))
    return normal, of_data


def unknown_covariance(
    engine: Engine,
    theta: Float[Array, " n"],
    batch: Batch,
    count: int,
    squares: dict[str, float],
    points: dict[str, int],
    weights: dict[str, float],
    known_noise: dict[str, float],
) -> UnknownCovariance:
    """The covariance of the last `count` parameters.

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
    A, found = _normal_matrices(engine, theta, batch)
    D = {name: found[name] for name in points}
    values, vectors = np.linalg.eigh(A)
    inverse = (vectors / np.maximum(values, _FLAT * values[-1])) @ vectors.T
    used = {name: float(np.sum(inverse * part)) for name, part in D.items()}
    noise = {
        name: known_noise.get(name, float(np.sqrt(squares[name] * n / max(n - used[name], 1.0))))
        for name, n in points.items()
    }
    rows = inverse[-count:]
    # Along a direction that no residual depends on, noise moves nothing, yet nothing is known: what of an unknown lies
    # in the space of such directions counts as a variance of one, a factor of e for a positive unknown.
    nothing = vectors[-count:, values < _FLAT * values[-1]]
    undetermined = nothing @ nothing.T
    undetermined[np.abs(undetermined) < _NEGLIGIBLE] = 0.0
    middle = sum((weights[name] * noise[name] ** 2 * part for name, part in D.items()), np.zeros_like(A))
    return UnknownCovariance(rows @ middle @ rows.T + undetermined, noise, float(sum(used.values())))
