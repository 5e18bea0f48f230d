"""Surfaces: where a level is zero, and solids that surfaces bound, put together by `and` and `or`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from qres.formulas import Expression, evaluate, negative
from qres.geometry.facets import Facets
from qres.jets import Jet, Truncation

Bounds = Mapping[str, tuple[float, float]]
Points = Float[np.ndarray, "d n"]
NEAR = 1e-9  # of the box's size: what is so near to a surface is on it
_BAND = 0.05  # of the box's size: from so near, points are moved onto a surface
_STEPS = 30
_PER_POINT = 10  # random points of the box stand for one on a surface that has points of its own


@dataclass(frozen=True)
class Surface:
    """Where a level is zero. It is positive inside the region that the surface bounds, where it bounds one.

    Args:
        level: an expression of the coordinates.
        constants: that the level may name.
        bounds: of the box.
        part: where only that part of the surface is meant that is in this solid.
        facets: of a surface from a file, those that are meant.
    """

    level: Expression
    constants: Mapping[str, float]
    bounds: Bounds
    part: Solid | None = None
    facets: Facets | None = None

    def values(self, points: Points) -> Float[np.ndarray, " n"]:
        """The level at points."""
        names = {**self.constants, **dict(zip(self.bounds, points, strict=True))}
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(evaluate(self.level, names), dtype=float), points.shape[1:])

    def slopes(self, points: Points) -> tuple[Float[np.ndarray, " n"], Points]:
        """The level and its gradient, in units in which the box has sides of one."""
        names, units = tuple(self.bounds), np.eye(len(self.bounds), dtype=int)
        truncation = Truncation.closure(names, [tuple(unit) for unit in units.tolist()])
        jets = {n: Jet.coordinate(truncation, n, row) for n, row in zip(names, points, strict=True)}
        with np.errstate(all="ignore"):
            found: Any = evaluate(self.level, {**self.constants, **jets})
        if not isinstance(found, Jet):
            return self.values(points), np.zeros_like(points)
        rows = [np.broadcast_to(found.coefficient(tuple(unit)), points.shape[1:]) for unit in units.tolist()]
        return self.values(points), np.stack(rows) * sides(self.bounds)

    def off(self, points: Points, step: float) -> Points:
        """Points moved along the gradient, by a share of the box's size."""
        _, slope = self.slopes(points)
        return points + step * sides(self.bounds) * slope / np.maximum(np.linalg.norm(slope, axis=0), 1e-300)

    def points(self, count: int, random: np.random.Generator) -> Points:
        """Points on it within the box, spread evenly, perhaps none; fewer than asked for."""
        found = self._near(count, random) if self.facets is None else self._of_facets(count, random)
        low, size = lower(self.bounds), sides(self.bounds)
        within = np.all(np.abs((found - low) / size - 0.5) <= 0.5 + NEAR, axis=0)
        found = np.clip(found[:, within], low, low + size)
        return found if self.part is None else found[:, contains(self.part, found)]

    def _near(self, count: int, random: np.random.Generator) -> Points:
        """Points of the box near the surface, moved along the gradient."""
        size = sides(self.bounds)
        points = lower(self.bounds) + size * random.random((len(self.bounds), count))
        level, slope = self.slopes(points)
        with np.errstate(all="ignore"):
            is_near = np.abs(level) < _BAND * np.linalg.norm(slope, axis=0)
        points = points[:, is_near]
        for _ in range(_STEPS):
            level, slope = self.slopes(points)
            points = points - size * slope * level / np.maximum(np.sum(slope**2, axis=0), 1e-300)
        level, slope = self.slopes(points)
        return points[:, np.abs(level) <= NEAR * np.linalg.norm(slope, axis=0)]

    def _of_facets(self, count: int, random: np.random.Generator) -> Points:
        """Points of the facets, by their area, at random times."""
        assert self.facets is not None
        rows = iter(self.facets.sample(-(-count // _PER_POINT), random).T)
        n = -(-count // _PER_POINT)
        return np.stack(
            [
                low + (high - low) * random.random(n) if name == "t" else next(rows)
                for name, (low, high) in self.bounds.items()
            ]
        )


@dataclass(frozen=True)
class Intersection:
    """What is in all of some solids."""

    parts: tuple[Solid, ...]


@dataclass(frozen=True)
class Union:
    """What is in any of some solids."""

    parts: tuple[Solid, ...]


Solid = Surface | Intersection | Union  # a surface stands for where its level is positive


def level_of(solid: Solid, points: Points) -> Float[np.ndarray, " n"]:
    """Positive inside, zero on the boundary; where a level has no value, its side does not hold."""
    match solid:
        case Surface():
            return solid.values(points)
        case Intersection(parts):
            return np.minimum.reduce([level_of(part, points) for part in parts])
        case Union(parts):
            return np.fmax.reduce([level_of(part, points) for part in parts])


def contains(solid: Solid, points: Points) -> Bool[np.ndarray, " n"]:
    """Which points are inside."""
    return level_of(solid, points) > 0


def surfaces_of(solid: Solid) -> Iterator[Surface]:
    """All that may bound a solid somewhere."""
    if isinstance(solid, Surface):
        yield solid
    else:
        for part in solid.parts:
            yield from surfaces_of(part)


def complement(solid: Solid) -> Solid:
    """What is outside of a solid."""
    match solid:
        case Surface():
            return replace(solid, level=negative(solid.level))
        case Intersection(parts):
            return Union(tuple(map(complement, parts)))
        case Union(parts):
            return Intersection(tuple(map(complement, parts)))


def intersection(*solids: Solid | None) -> Solid | None:
    """What is in all of some solids, those that are None left out; None for everything."""
    parts = [
        part
        for solid in solids
        if solid is not None
        for part in (solid.parts if isinstance(solid, Intersection) else (solid,))
    ]
    return None if not parts else parts[0] if len(parts) == 1 else Intersection(tuple(parts))


def bounding_part(solid: Solid, surface: Surface) -> Solid | None:
    """Where a surface of a solid separates inside from outside; None where it does all along.

    That is where the solid would hold if the surface's side did, and would not if it did not.
    """
    if_held, if_not = _assumed(solid, surface, True), _assumed(solid, surface, False)
    assert not isinstance(if_held, bool) or if_held
    first = None if isinstance(if_held, bool) else if_held
    second = None if isinstance(if_not, bool) else complement(if_not)
    return intersection(first, second)


def _assumed(solid: Solid, surface: Surface, holds: bool) -> Solid | bool:
    """The solid where a surface's side is taken to hold, or not to; true for everything, false for nothing."""
    if isinstance(solid, Surface):
        return holds if solid is surface else solid
    neutral = isinstance(solid, Intersection)
    parts: list[Solid] = []
    for part in solid.parts:
        found = _assumed(part, surface, holds)
        if isinstance(found, bool):
            if found != neutral:
                return found
        else:
            parts.append(found)
    if not parts:
        return neutral
    return parts[0] if len(parts) == 1 else replace(solid, parts=tuple(parts))


def lower(bounds: Bounds) -> Float[np.ndarray, "d 1"]:
    """The lower bounds of a box, as a column."""
    return np.array([[low] for low, _ in bounds.values()])


def sides(bounds: Bounds) -> Float[np.ndarray, "d 1"]:
    """The lengths of a box's sides, as a column."""
    return np.array([[high - low] for low, high in bounds.values()])


def points_of_box(bounds: Bounds, count: int) -> Points:
    """So many points of the box, always the same."""
    return lower(bounds) + sides(bounds) * np.random.default_rng(0).random((len(bounds), count))
