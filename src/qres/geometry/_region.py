"""Regions of the box given by inequalities, `x^2 + y^2 < 1`, and level-set surfaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from qres.formulas import Opaque, Scope, evaluate, read_formula, walk
from qres.geometry.shapes import Shape, read_shape
from qres.runtime.errors import InputError, shorten

from ._surface import (
    NEAR,
    Bounds,
    Points,
    Solid,
    Surface,
    Union,
    level_of,
    lower,
    points_of_box,
    sides,
    surfaces_of,
)

_TRIED = 20_000  # points of the box, to see whether any are inside
_ROUNDING = 1e-12  # of the largest level
_CLIMBERS = 200  # points of a face that look for an opening
_STEPS = 30
_TOUCHES = 1e-9  # of the largest level: a disc that only touches a face is not open there
_STEP = 1e-6  # of the box's size, off a surface, to see whether both of its sides are inside


@dataclass(frozen=True)
class Region:
    """Where all of some statements hold, `solids`, each as a solid; `texts` and `mathml` are as they were written."""

    texts: tuple[str, ...]
    mathml: tuple[str, ...]
    solids: tuple[Solid, ...]
    shapes: Mapping[str, Shape] = field(default_factory=lambda: MappingProxyType({}))

    def level(self, points: Points) -> Float[np.ndarray, " n"]:
        """Positive inside, zero on the boundary; a comparison that has no value does not hold."""
        return np.minimum.reduce([level_of(solid, points) for solid in self.solids])

    def contains(self, points: Points) -> Bool[np.ndarray, " n"]:
        """Which points are inside."""
        return self.level(points) > 0

    def covers(self, points: Points, within: float = _ROUNDING) -> Bool[np.ndarray, " n"]:
        """Which points are inside or on the boundary, up to rounding, or a larger share of how far levels go."""
        return self.level(points) >= -within * self._size

    @cached_property
    def _size(self) -> float:
        level = self.level(points_of_box(self.surfaces[0].bounds, _TRIED))
        return float(np.max(np.abs(level[np.isfinite(level)]), initial=0.0))

    @property
    def is_text(self) -> bool:
        """Whether its texts state all of it: no level is a Python function that could not be traced."""
        return not any(isinstance(part, Opaque) for s in self.surfaces for part in walk(s.level))

    @cached_property
    def surfaces(self) -> tuple[Surface, ...]:
        """All that may bound it somewhere."""
        return tuple(surface for solid in self.solids for surface in surfaces_of(solid))

    def reaches_face(self, place: int, value: float) -> bool:
        """Whether some of the face on which a coordinate is fixed is inside, however narrow an opening that is.

        Random points miss a narrow one, so the best of them climb towards higher levels.
        """
        bounds = self.surfaces[0].bounds
        points = points_of_box(bounds, _TRIED)
        points[place] = value
        best = points[:, np.argsort(-np.nan_to_num(self.level(points), nan=-np.inf))[:_CLIMBERS]]
        random, step = np.random.default_rng(0), 0.1
        low, size = lower(bounds), sides(bounds)
        for _ in range(_STEPS):
            moved = best + step * size * random.standard_normal(best.shape)
            moved = np.clip(moved, low, low + size)
            moved[place] = value
            best = np.where(self.level(moved) > self.level(best), moved, best)
            step *= 0.7
        return bool(np.max(self.level(best), initial=-np.inf) > _TOUCHES * self._size)

    def bounded_by(self, surface: Surface, points: Points) -> Bool[np.ndarray, " n"]:
        """Which points of a surface are on the boundary of the region."""
        _, slope = surface.slopes(points)
        found = np.abs(self.level(points)) <= 10 * NEAR * np.maximum(np.linalg.norm(slope, axis=0), 1e-300)
        if any(isinstance(solid, Union) for solid in _all_of(self.solids)):
            # Pieces that touch have a surface in common whose level is zero, and both sides of which are inside.
            within = [self.level(surface.off(points, step)) > 0 for step in (_STEP, -_STEP)]
            found &= ~np.all(within, axis=0)
        return found


def _all_of(solids: Sequence[Solid]) -> Iterator[Solid]:
    for solid in solids:
        yield solid
        if not isinstance(solid, Surface):
            yield from _all_of(solid.parts)


def read_region(
    stated: Sequence[Any], scope: Scope, bounds: Bounds, shapes: Mapping[str, Shape] = MappingProxyType({})
) -> Region | None:
    """The region in which all of some statements hold; None for the whole box.

    Args:
        stated: comparisons as text, `"x^2 + y^2 < 1"`, `"0.1 < x < y"`, `"x < 0 or y < 0"`, shapes,
            `"box(-1, -1, 1, 1) - disk(0, 0, 0.5)"`, or level functions of the coordinates, positive inside.
        scope: the coordinates and constants that may be used.
        bounds: of the box.
        shapes: those that have a name of their own.
    """
    if not stated:
        return None
    known = Scope(scope.coordinates, constants=scope.constants)
    read = [
        _level_function(one, known, bounds)
        if callable(one)
        else (one, read_shape(one, known, bounds, shapes, "inside"))
        for one in stated
    ]
    region = Region(
        tuple(" ".join(text.split()) for text, _ in read),
        tuple(shape.mathml for _, shape in read),
        tuple(shape.solid for _, shape in read),
        shapes,
    )
    if not np.any(region.contains(points_of_box(bounds, _TRIED))):
        raise InputError(
            f"inside {shorten(' and '.join(region.texts))!r}: of {_TRIED:,} points of the box none is inside"
        )
    return region


def _level_function(function: Callable[..., Any], scope: Scope, bounds: Bounds) -> tuple[str, Shape]:
    formula = read_formula(function, scope, "inside")
    names = {**scope.constants, **dict(zip(bounds, points_of_box(bounds, 2), strict=True))}
    if np.asarray(evaluate(formula.left, names)).dtype == bool:
        raise InputError(
            f"inside {formula.text}: a level function returns a number that is positive inside, not a comparison: "
            'write y - x, or "x < y" as text'
        )
    shown = f"{formula.mathml_row()}<mo>&gt;</mo><mn>0</mn>"
    return f"{formula.text} > 0", Shape(Surface(formula.left, scope.constants, bounds), shown)


def part_inside(region: Region | None, points: Sequence[Points]) -> Bool[np.ndarray, " n"]:
    """Which points are inside or on the boundary, wherever they are placed."""
    if region is None:
        return np.ones(points[0].shape[1], dtype=bool)
    return np.all([region.covers(placed) for placed in points], axis=0)
