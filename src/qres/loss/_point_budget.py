"""Adaptive number of collocation points and resampling interval, from the residuals at fresh points.

With few points iterations are fast, and early on nothing is lost by it. But a network with as many parameters as there
are points can make residuals vanish at them and nowhere between, and a quasi-Newton method finds out how within a few
hundred iterations. That shows when points are resampled: the residuals at the fresh ones are larger.
"""

from __future__ import annotations

from typing import NamedTuple

from qres.geometry import Sampling

from ._continuous import Objective
from ._discrete import DiscreteObjective

_LEAST = 1000  # points: fewer are hardly faster
_FIRST, _SHORTEST = 50, 25  # iterations
_GROWTH = 1.5  # of the points, where they are too few
# The mean square of the residuals at fresh points over that at the points trained on, which stand where residuals were
# large: up to 1.7 of fits that hold, thousands of those that do not.
_HOLDS, _CHEATS = 1.7, 2.5


class PointBudget(NamedTuple):
    """So many points, for so many iterations."""

    points: int
    iterations: int


def first_point_budget(objective: Objective | DiscreteObjective, *, all_points: bool = False) -> PointBudget:
    """As many points as parameters, not for long; all points, for the whole time, where that does not adapt.

    It also does not where several starts are compared: the one that fits best at few points may do so nowhere between.
    """
    sampling = objective.sampling
    if all_points or not objective.adapts:
        return PointBudget(sampling.points, sampling.resample_every)
    return PointBudget(
        min(sampling.points, max(_LEAST, objective.engine.size)), min(sampling.resample_every, _FIRST)
    )


def next_point_budget(sampling: Sampling, last: PointBudget, excess: float) -> PointBudget:
    """More points for a shorter time after a fit that held at its points only; after one that holds, a longer time.

    Args:
        sampling: its points and time are the most there will be.
        last: with which the fit was made.
        excess: the mean square of the residuals at fresh points over that at those trained on.
    """
    points, iterations = last
    if not excess <= _CHEATS:  # or not a number
        points, iterations = round(_GROWTH * points), max(_SHORTEST, iterations // 2)
    elif excess < _HOLDS:
        iterations = 2 * iterations
    return PointBudget(min(sampling.points, points), min(sampling.resample_every, iterations))
