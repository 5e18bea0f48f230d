"""Maximization of a function over a box or region."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from qres.geometry import Region
from qres.runtime.random import generator_for

Points = Float[np.ndarray, "d n"]
Values = Float[np.ndarray, " n"]
_TRIED = 20_000
_CLIMBERS = 24
_DRAWS = 80  # around each climber
_STEPS = 44
_STEP, _SHRINK = 0.05, 0.6  # of the box's sides, and from step to step
_BEYOND = 0.02  # of the sides: points so far outside are moved onto the faces, which have extrema too


class Extremum(NamedTuple):
    """A largest or smallest value, and where it is."""

    value: float
    at: dict[str, float]


def maximize(
    function: Callable[[Points], Values],
    lower: Float[np.ndarray, "d 1"],
    upper: Float[np.ndarray, "d 1"],
    region: Region | None,
) -> tuple[float, Float[np.ndarray, " d"]]:
    """The largest value and its place: the best of many points climb by random steps that become smaller.

    Args:
        function: of points of the box, `(d, n)`; NaN counts as not there.
        lower: bounds of the box.
        upper: bounds of the box.
        region: only points inside or on its boundary count.
    """
    random = generator_for(0, "extremum")

    def values(points: Points) -> Values:
        found = np.nan_to_num(function(points), nan=-np.inf)
        return found if region is None else np.where(region.covers(points), found, -np.inf)

    points = _first(lower, upper, region, random)
    height = values(points)
    order = np.argsort(-height)[:_CLIMBERS]
    best, height, step = points[:, order], height[order], _STEP
    for _ in range(_STEPS):
        moved = best[:, :, None] + step * (upper - lower)[:, :, None] * random.standard_normal(
            (*best.shape, _DRAWS)
        )
        moved = np.clip(moved.reshape(len(best), -1), lower, upper)
        found = values(moved).reshape(best.shape[1], _DRAWS)
        which = np.argmax(found, axis=1)
        climbers = np.arange(best.shape[1])
        higher = found[climbers, which] > height
        best = np.where(higher, moved.reshape(len(best), -1, _DRAWS)[:, climbers, which], best)
        height = np.where(higher, found[climbers, which], height)
        step *= _SHRINK
    top = int(np.argmax(height))
    return float(height[top]), best[:, top]


def _first(lower: Points, upper: Points, region: Region | None, random: np.random.Generator) -> Points:
    """Points of the box, of its faces, and of the surfaces in it."""
    share = random.uniform(-_BEYOND, 1 + _BEYOND, (len(lower), _TRIED))
    points = lower + (upper - lower) * np.clip(share, 0, 1)
    if region is None:
        return points
    on_surfaces = [np.clip(one.points(_TRIED, random), lower, upper) for one in region.surfaces]
    return np.concatenate([points, *on_surfaces], axis=1)
