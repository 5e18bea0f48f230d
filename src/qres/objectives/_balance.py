"""Weights of soft conditions that balance themselves.

A residual with two derivatives feels a change of the network as the square of its frequencies, a value on the boundary
not at all so: with equal weights an optimizer finds many digits of the equation before the first of the condition. The
weights that make up for it are ratios of mean squares of `∂r/∂θ`, the traces of the neural tangent kernel
(S. Wang, X. Yu, P. Perdikaris, J. Comput. Phys. 449, 2022).
"""

from __future__ import annotations

import numpy as np
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from qres._random import generator

from ._continuous import Objective, Points
from ._discrete import DiscreteObjective
from ._engine import Batch
from ._processes import spread, whole

_DIRECTIONS = 8  # random ones along which the parameters are moved
_STEP = 1e-6  # so far, as a share of the parameters' root mean square
_MOST = 1e4


def balanced_weights(
    objective: Objective | DiscreteObjective,
    theta: Float[Array, " parameters"],
    points: Points,
    batch: Batch,
    key: PRNGKeyArray,
) -> dict[str, float]:
    """What each soft condition is to weigh, from 1 up, so that it is felt as much as the equation that is felt most.

    Equations are not weighed against each other: where one is slow it is often the one that the others follow, as the
    slow one of a stiff pair. Measurements have their own weight against noise.

    Args:
        objective: whose conditions are weighed; without any, or without equations, the answer is empty.
        theta: the parameters at which the terms are compared.
        points: on which.
        batch: the same, on the devices; its weights do not matter.
        key: of the random directions.
    """
    if len(objective.blocks) < 2 or all(segment.data for segment in objective.blocks[1].segments):
        return {}
    equations, places = objective.blocks
    felt = sensitivities(objective, theta, points, batch, key)
    conditions = [name for segment in places.segments if segment.data is None for name in segment.names]
    most = max(felt[name] for name in equations.names)
    ratios = {name: most / felt[name] if felt[name] > 0 else 1.0 for name in conditions}
    return {
        name: min(max(1.0, ratio), _MOST) if np.isfinite(ratio) else 1.0 for name, ratio in ratios.items()
    }


def sensitivities(
    objective: Objective | DiscreteObjective,
    theta: Float[Array, " parameters"],
    points: Points,
    batch: Batch,
    key: PRNGKeyArray,
) -> dict[str, float]:
    """The mean square of `∂r/∂θ`, by term, of the residuals in their units: from small steps in random directions."""
    draws = generator(key).standard_normal((_DIRECTIONS, theta.size))
    start = whole(theta)
    step = _STEP * max(1.0, float(np.linalg.norm(start)) / np.sqrt(theta.size))
    moved = [spread(start + step * direction, theta.sharding) for direction in draws]
    found: dict[str, float] = {}
    for number, block in enumerate(objective.blocks):
        counts = [array.shape[1] for array in points[number]]
        here = objective.engine.residuals(number, theta, batch[number], counts)
        total = [np.zeros(len(rows)) for rows in here]
        for vector in moved:
            there = objective.engine.residuals(number, vector, batch[number], counts)
            for sums, new, old in zip(total, there, here, strict=True):
                sums += np.mean(((new - old) / step) ** 2, axis=1) / _DIRECTIONS
        for segment, sums in zip(block.segments, total, strict=True):
            # A name may stand for several rows, such as all stages of a step.
            for name, mean in zip(
                segment.names, sums.reshape(len(segment.names), -1).mean(axis=1), strict=True
            ):
                found[name] = float(mean) / objective.sizes[name] ** 2
    return found
