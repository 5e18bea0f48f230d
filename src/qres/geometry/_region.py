"""Regions of the box given by inequalities, `x^2 + y^2 < 1`, and level-set surfaces."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from qres.formulas import (
    Binary,
    Comparison,
    Expression,
    Logical,
    Opaque,
    Reader,
    Scope,
    check_constants,
    evaluate,
    mathml_of,
    parse,
    read_formula,
    walk,
)
from qres.jets import Jet, Truncation
from qres.runtime.errors import InputError, shorten

Bounds = Mapping[str, tuple[float, float]]
Points = Float[np.ndarray, "d n"]
EXAMPLE = "x^2 + y^2 < 1"
_TRIED = 20_000  # points of the box, to see whether any are inside
_NEAR = 1e-9  # of the box's size: what is so near to a surface is on it
_ROUNDING = 1e-12  # of the largest level
_BAND = 0.05  # of the box's size: from so near, points are moved onto a surface
_STEPS = 30
_CLIMBERS = 200  # points of a face that look for an opening
_TOUCHES = 1e-9  # of the largest level: a disc that only touches a face is not open there


@dataclass(frozen=True)
class Surface:
    """Where a level is zero. It is positive inside the region that the surface bounds, where it bounds one."""

    level: Expression
    constants: Mapping[str, float]
    bounds: Bounds

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
        return self.values(points), np.stack(rows) * _sides(self.bounds)

    def off(self, points: Points, step: float) -> Points:
        """Points moved along the gradient, by a share of the box's size."""
        _, slope = self.slopes(points)
        return points + step * _sides(self.bounds) * slope / np.maximum(np.linalg.norm(slope, axis=0), 1e-300)

    def points(self, count: int, random: np.random.Generator) -> Points:
        """Evenly distributed points on it within the box: points near it, projected along the gradient."""
        lower, sides = _lower(self.bounds), _sides(self.bounds)
        points = lower + sides * random.random((len(self.bounds), count))
        level, slope = self.slopes(points)
        with np.errstate(all="ignore"):
            is_near = np.abs(level) < _BAND * np.linalg.norm(slope, axis=0)
        points = points[:, is_near]
        for _ in range(_STEPS):
            level, slope = self.slopes(points)
            points = points - sides * slope * level / np.maximum(np.sum(slope**2, axis=0), 1e-300)
        level, slope = self.slopes(points)
        on_it = np.abs(level) <= _NEAR * np.linalg.norm(slope, axis=0)
        within = np.all(np.abs((points - lower) / sides - 0.5) <= 0.5, axis=0)
        return points[:, on_it & within]


@dataclass(frozen=True)
class Region:
    """Where all of some statements hold: each is one comparison or several in a row, or a choice of such.

    `stated[k][j]` are the surfaces of the j-th choice of the k-th statement.
    """

    texts: tuple[str, ...]
    mathml: tuple[str, ...]
    stated: tuple[tuple[tuple[Surface, ...], ...], ...]

    def level(self, points: Points) -> Float[np.ndarray, " n"]:
        """Positive inside, zero on the boundary; a comparison that has no value does not hold."""
        return np.minimum.reduce(
            [
                np.fmax.reduce([np.minimum.reduce([s.values(points) for s in all_of]) for all_of in one])
                for one in self.stated
            ]
        )

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

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """All that may bound it somewhere."""
        return tuple(surface for one in self.stated for all_of in one for surface in all_of)

    def reaches_face(self, place: int, value: float) -> bool:
        """Whether some of the face on which a coordinate is fixed is inside, however narrow an opening that is.

        Random points miss a narrow one, so the best of them climb towards higher levels.
        """
        bounds = self.surfaces[0].bounds
        points = points_of_box(bounds, _TRIED)
        points[place] = value
        best = points[:, np.argsort(-np.nan_to_num(self.level(points), nan=-np.inf))[:_CLIMBERS]]
        random, step = np.random.default_rng(0), 0.1
        lower, sides = _lower(bounds), _sides(bounds)
        for _ in range(_STEPS):
            moved = best + step * sides * random.standard_normal(best.shape)
            moved = np.clip(moved, lower, lower + sides)
            moved[place] = value
            best = np.where(self.level(moved) > self.level(best), moved, best)
            step *= 0.7
        return bool(np.max(self.level(best), initial=-np.inf) > _TOUCHES * self._size)

    def bounded_by(self, surface: Surface, points: Points) -> Bool[np.ndarray, " n"]:
        """Which points of a surface are on the boundary of the region."""
        _, slope = surface.slopes(points)
        return np.abs(self.level(points)) <= 10 * _NEAR * np.maximum(np.linalg.norm(slope, axis=0), 1e-300)


def read_region(stated: Sequence[Any], scope: Scope, bounds: Bounds) -> Region | None:
    """The region in which all of some statements hold; None for the whole box.

    Args:
        stated: comparisons as text, `"x^2 + y^2 < 1"`, `"0.1 < x < y"`, `"x < 0 or y < 0"`, or level functions of
            the coordinates, which are positive inside.
        scope: the coordinates and constants that may be used.
        bounds: of the box.
    """
    if not stated:
        return None
    known = Scope(scope.coordinates, constants=scope.constants)
    read = [
        _level_function(one, known, bounds) if callable(one) else _comparison(one, known) for one in stated
    ]
    region = Region(
        tuple(text for text, _, _ in read),
        tuple(shown for _, shown, _ in read),
        tuple(
            tuple(tuple(Surface(level, scope.constants, bounds) for level in levels) for levels in choices)
            for _, _, choices in read
        ),
    )
    if not np.any(region.contains(points_of_box(bounds, _TRIED))):
        raise InputError(
            f"inside {shorten(' and '.join(region.texts))!r}: of {_TRIED:,} points of the box none is inside"
        )
    return region


Read = tuple[str, str, Sequence[tuple[Expression, ...]]]  # text, MathML, and the choices of levels


def _level_function(function: Callable[..., Any], scope: Scope, bounds: Bounds) -> Read:
    formula = read_formula(function, scope, "inside")
    names = {**scope.constants, **dict(zip(bounds, points_of_box(bounds, 2), strict=True))}
    if np.asarray(evaluate(formula.left, names)).dtype == bool:
        raise InputError(
            f"inside {formula.text}: a level function returns a number that is positive inside, not a comparison: "
            'write y - x, or "x < y" as text'
        )
    return f"{formula.text} > 0", f"{formula.mathml_row()}<mo>&gt;</mo><mn>0</mn>", [(formula.left,)]


def _comparison(text: Any, scope: Scope) -> Read:
    condition = _condition(text, scope)
    return " ".join(text.split()), mathml_of(condition), _choices(condition)


def _condition(text: Any, scope: Scope) -> Expression:
    """The comparisons of a text."""
    tree, *others = parse(text, "inside")
    reader = Reader(scope, f"inside {shorten(text)!r}")
    if others or not isinstance(tree, ast.Compare | ast.BoolOp):
        raise InputError(f"{reader.where}: a comparison is wanted, such as {EXAMPLE!r}")
    found = reader.condition(tree, "each part")
    check_constants(found, scope.constants, reader.where)
    return found


def _choices(condition: Expression) -> list[tuple[Expression, ...]]:
    """The choices between which there is `or`: levels, all of which are positive where one of them holds."""
    match condition:
        case Logical("or", parts):
            return [choice for part in parts for choice in _choices(part)]
        case Logical(_, parts):
            return [sum(together, ()) for together in product(*map(_choices, parts))]
        case Comparison(signs, sides):
            pairs = zip(signs, pairwise(sides), strict=True)
            ordered = [(b, a) if sign in ("<", "<=") else (a, b) for sign, (a, b) in pairs]
            return [tuple(Binary("-", more, less) for more, less in ordered)]
        case _:
            raise AssertionError(condition)


def _lower(bounds: Bounds) -> Float[np.ndarray, "d 1"]:
    return np.array([[low] for low, _ in bounds.values()])


def _sides(bounds: Bounds) -> Float[np.ndarray, "d 1"]:
    return np.array([[high - low] for low, high in bounds.values()])


def points_of_box(bounds: Bounds, count: int) -> Points:
    """So many points of the box, always the same."""
    return _lower(bounds) + _sides(bounds) * np.random.default_rng(0).random((len(bounds), count))


def part_inside(region: Region | None, points: Sequence[Points]) -> Bool[np.ndarray, " n"]:
    """Which points are inside or on the boundary, wherever they are placed."""
    if region is None:
        return np.ones(points[0].shape[1], dtype=bool)
    return np.all([region.covers(placed) for placed in points], axis=0)
