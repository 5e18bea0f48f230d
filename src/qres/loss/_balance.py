"""Balanced weights of soft conditions, from their sensitivity to the parameters.

A residual with two derivatives depends on the network's parameters through the square of its frequencies, a value on
the boundary does not: with equal weights an optimizer may find many digits of the equation before the first of the
condition. The weights that make up for it are ratios of mean squares of `∂r/∂θ`, the traces of the neural tangent
kernel (S. Wang, X. Yu, P. Perdikaris, J. Comput. Phys. 449, 2022).

Sister conditions, of one kind and derivative order, share a weight: the values of u and v on all sides of a box are
one group, the slopes on some of them another.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from qres.fields import recorded_fields
from qres.posed import Condition
from qres.posed.evaluator import Residuals, condition_residual
from qres.problems import Problem
from qres.runtime.processes import gather, shard
from qres.runtime.random import generator

from ._continuous import Objective, Points
from ._discrete import DiscreteObjective
from ._engine import Batch

_DIRECTIONS = (
    32  # random ones along which the parameters are moved: the trace is found to a quarter or better
)
_STEP = 1e-6  # so far, as a share of the parameters' root mean square
_MOST = 1e4


def condition_groups(objective: Objective | DiscreteObjective) -> tuple[tuple[str, ...], ...]:
    """The names of the soft conditions, those of one kind and derivative order together; none without equations."""
    if len(objective.blocks) < 2:
        return ()
    places = objective.blocks[1].segments
    named = {name for segment in places if segment.data is None for name in segment.names}
    groups: dict[tuple[str, int], list[str]] = {}
    for condition in objective.problem.soft_conditions:
        if condition.name in named:
            alike = (condition.kind, _order(objective.problem, condition))
            groups.setdefault(alike, []).append(condition.name)
    return tuple(tuple(group) for group in groups.values())


def _order(problem: Problem, condition: Condition) -> int:
    """The highest derivative in a condition."""
    residuals = Residuals(problem, [condition_residual(problem, condition)])
    needs = residuals.needed(recorded_fields(problem))
    return max((sum(index) for index in needs.indices), default=0)


def balanced_weights(
    objective: Objective | DiscreteObjective,
    theta: Float[Array, " parameters"],
    points: Points,
    batch: Batch,
    key: PRNGKeyArray,
) -> dict[str, float]:
    """The weight of each soft condition, from 1 up, that gives its group the largest sensitivity of an equation.

    Equations are not weighed against each other: where one is slow it is often the one that the others follow, as the
    slow one of a stiff pair. Measurements have their own weight against noise.

    Args:
        objective: whose conditions are weighed; without any, or without equations, the answer is empty.
        theta: the parameters at which the terms are compared.
        points: on which.
        batch: the same, on the devices; its weights do not matter.
        key: of the random directions.
    """
    groups = condition_groups(objective)
    if not groups:
        return {}
    sensitivity = sensitivities(objective, theta, points, batch, key)
    most = max(sensitivity[name] for name in objective.blocks[0].names)
    return {name: _ratio(most, sensitivity, group) for group in groups for name in group}


def _ratio(most: float, sensitivity: Mapping[str, float], group: tuple[str, ...]) -> float:
    """A group's weight, from the geometric mean of its sensitivities: no member decides for the others."""
    sound = [sensitivity[name] for name in group if sensitivity[name] > 0]
    ratio = most / float(np.exp(np.mean(np.log(sound)))) if sound else 1.0
    return min(max(1.0, ratio), _MOST) if np.isfinite(ratio) else 1.0


def sensitivities(
    objective: Objective | DiscreteObjective,
    theta: Float[Array, " parameters"],
    points: Points,
    batch: Batch,
    key: PRNGKeyArray,
) -> dict[str, float]:
    """The mean square of `∂r/∂θ`, by term, of the residuals in their units: from small steps in random directions."""
    draws = generator(key).standard_normal((_DIRECTIONS, theta.size))
    start = gather(theta)
    step = _STEP * max(1.0, float(np.linalg.norm(start)) / np.sqrt(theta.size))
    moved = [shard(start + step * direction, theta.sharding) for direction in draws]
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
