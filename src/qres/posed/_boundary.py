"""Conditions on a surface, `"u(x, y) = 0 on x^2 + y^2 = 1"`, or on the boundary, `"u_n(x, y) = 0 on boundary"`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from qres.formulas import (
    Binary,
    Expression,
    Formula,
    Located,
    Name,
    Negative,
    Normal,
    Number,
    Reader,
    Scope,
    formula_of,
    identifier,
    minus,
    negative,
    number,
    parse,
    read_formula,
    rewritten,
    walk,
)
from qres.geometry import Region, Solid, Surface, intersection, lower, sides
from qres.geometry.shapes import BOUNDARY, Shape, named_surfaces, read_shape, split_and
from qres.runtime.errors import InputError, listed, shorten

from ._condition import Bounds, Condition, read_condition

_TRIED = 20_000  # points near a surface, to see whether it bounds the region
_STEP = 1e-4  # of the box's size, off a surface, to see on which side the region is
_NAME = r"[^\W\d]\w*(\.\w+)?"  # of a shape, or of a part of its surface
_WHOLE = "<mtext>the boundary</mtext>"


@dataclass(frozen=True)
class _Box:
    """What places refer to."""

    scope: Scope
    bounds: Bounds
    periodic: tuple[str, ...]
    region: Region | None
    shapes: Mapping[str, Shape]


def read_conditions(
    stated: Any,
    scope: Scope,
    bounds: Bounds,
    periodic: tuple[str, ...],
    region: Region | None,
    where: str,
    shapes: Mapping[str, Shape] = MappingProxyType({}),
) -> list[Condition]:
    """A condition, or several where it holds on all of the boundary, or on a shape that several surfaces bound."""
    text, place = split_place(stated, where)
    if place is None:
        return [read_condition(stated, scope, bounds, where)]
    where = f"{where} {shorten(stated)!r}"
    box = _Box(scope, bounds, periodic, region, shapes)
    main, part, shown = _parts(place, box, where)
    if main == BOUNDARY:
        found = _on_boundary(text, part, shown, box, where)
    else:
        surfaces, row = _surfaces(main, part, box, where)
        found = [_on_surface(text, surface, row + shown, scope, where) for surface in surfaces]
    whole = " ".join(stated.split())
    return [replace(one, formula=replace(one.formula, text=whole)) for one in found]


def _parts(place: str, box: _Box, where: str) -> tuple[str, Solid | None, str]:
    """What a condition is on, and the part of it that is meant, `x = 1 and y < 2`, with that as MathML."""
    parts = split_and(place)
    mains = [part for part in parts if re.search("(?<![<>])=", part) or re.fullmatch(_NAME, part)]
    if len(mains) != 1:
        raise InputError(
            f"{where}: say once what the condition is on: {BOUNDARY}, an equation or the name of a shape; what "
            "follows with 'and' are comparisons, x = 1 and y < 2"
        )
    known = Scope(box.scope.coordinates, constants=box.scope.constants)
    read = [read_shape(p, known, box.bounds, box.shapes, where) for p in parts if p is not mains[0]]
    shown = "".join(f"<mtext>&#xa0;and&#xa0;</mtext>{one.mathml}" for one in read)
    return mains[0], intersection(*(one.solid for one in read)), shown


def _on_boundary(text: str, part: Solid | None, shown: str, box: _Box, where: str) -> list[Condition]:
    """A condition for each face and each surface that bound the region."""
    scope, bounds, region = box.scope, box.bounds, box.region
    faces = list(_faces(scope, bounds, box.periodic, region))
    if part is None:
        found = [_on_face(text, *face, scope, bounds, where) for face in faces]
        surfaces: list[Surface] = []
    else:
        found, surfaces = [], [_face_surface(*face, box) for face in faces]
    if region is not None:
        surfaces += [one for one in region.surfaces if _bounds_somewhere(region, one)]
    if not found and not surfaces:
        raise InputError(f"{where}: there is no boundary, where all coordinates are periodic or the time")
    if part is not None:
        cut = [replace(one, part=intersection(one.part, part)) for one in surfaces]
        surfaces = [one for one in cut if _is_somewhere(one, region)]
        if not surfaces:
            raise InputError(f"{where}: no point of the boundary is there")
    return found + [_on_surface(text, one, f"{_WHOLE}{shown}", scope, where) for one in surfaces]


def _face_surface(place: int, upper: bool, box: _Box) -> Surface:
    """A face of the box as a surface."""
    name = box.scope.coordinates[place]
    low, high = (number(bound) for bound in box.bounds[name])
    level = minus(high, Name(name)) if upper else minus(Name(name), low)
    return Surface(level, box.scope.constants, box.bounds)


def split_place(stated: Any, where: str) -> tuple[Any, str | None]:
    """What a condition says, and what it is on: `"u = 0 on boundary"`; None where it does not say so."""
    parts = re.split(r"\bon\b", stated) if isinstance(stated, str) else []
    if len(parts) < 2:
        return stated, None
    place = " ".join(parts[1].split())
    if len(parts) > 2 or not place:
        raise InputError(
            f"{where} {shorten(stated)!r}: say once what the condition is on: {BOUNDARY}, an equation or a shape"
        )
    return parts[0].strip(), place


def without_place(stated: Any) -> Any:
    """What a condition says, without what it is on."""
    return re.split(r"\bon\b", stated)[0] if isinstance(stated, str) else stated


def _on_surface(text: str, surface: Surface, shown: str, scope: Scope, where: str) -> Condition:
    formula = _formula(text, surface.level, scope, where)
    everywhere = (None,) * len(scope.coordinates)
    return Condition(BOUNDARY, BOUNDARY, formula, (everywhere,), scope.coordinates, {}, surface, shown)


def _formula(text: str, level: Expression, scope: Scope, where: str) -> Formula:
    formula = formula_of(
        parse(text, where), text, Reader(scope, where, located=True, level=level), equation=True
    )
    places = {part.location for part in walk(formula.residual) if isinstance(part, Located | Normal)}
    if places != {(None,) * len(scope.coordinates)}:
        raise InputError(
            f"{where}: a field stands there by itself, or at ({listed(scope.coordinates)}), with nothing fixed"
        )
    return formula


def _surfaces(main: str, part: Solid | None, box: _Box, where: str) -> tuple[list[Surface], str]:
    """The surfaces of an equation or a name, with levels that are positive in the region, and that as MathML."""
    if re.fullmatch(_NAME, main):
        shown = identifier(main)
        found = named_surfaces(main, box.shapes, where)
    else:
        known = Scope(box.scope.coordinates, constants=box.scope.constants)
        formula = read_formula(main, known, where, equation=True)
        level = Binary("-", formula.left, formula.right or Number(0.0))
        found, shown = [Surface(level, box.scope.constants, box.bounds)], formula.mathml_row()
    found = [replace(one, part=intersection(one.part, part)) for one in found]
    place = main if part is None else "that part of it"
    there = [one for one in found if one.points(_TRIED, np.random.default_rng(0)).shape[1]]
    if not there:
        raise InputError(f"{where}: no point of the box is on {place!r}")
    inside = [one for one in there if _is_somewhere(one, box.region)]
    if not inside:
        raise InputError(f"{where}: no point inside is on {place!r}")
    return [_oriented(one, box.region) for one in inside], shown


def _is_somewhere(surface: Surface, region: Region | None) -> bool:
    """Whether any point of a surface is inside or on the boundary."""
    points = surface.points(_TRIED, np.random.default_rng(0))
    if region is None or not points.shape[1]:
        return bool(points.shape[1])
    return bool(np.any(region.level(points) >= 0) or np.any(region.bounded_by(surface, points)))


def _oriented(surface: Surface, region: Region | None) -> Surface:
    """The surface with a level that is positive in the region, or in the box, where it bounds that."""
    points = surface.points(_TRIED, np.random.default_rng(0))
    low, size = lower(surface.bounds), sides(surface.bounds)
    counts = []
    for step in (_STEP, -_STEP):
        moved = surface.off(points, step)
        within = np.all(np.abs((moved - low) / size - 0.5) <= 0.5, axis=0)
        counts.append(np.count_nonzero(within if region is None else within & region.contains(moved)))
    return replace(surface, level=negative(surface.level)) if counts[0] < counts[1] else surface


def _faces(
    scope: Scope, bounds: Bounds, periodic: tuple[str, ...], region: Region | None
) -> Iterator[tuple[int, bool]]:
    """The faces of the box in space that bound the region: a coordinate, and whether it is at its upper bound."""
    for place, name in enumerate(scope.coordinates):
        for upper in (False, True):
            if name == "t" or name in periodic:
                continue
            if region is None or region.reaches_face(place, bounds[name][upper]):
                yield place, upper


def _bounds_somewhere(region: Region | None, surface: Surface) -> bool:
    assert region is not None
    points = surface.points(_TRIED, np.random.default_rng(0))
    return bool(np.any(region.bounded_by(surface, points)))


def _on_face(text: str, place: int, upper: bool, scope: Scope, bounds: Bounds, where: str) -> Condition:
    name = scope.coordinates[place]
    value = bounds[name][upper]
    formula = _formula(text, Name(name), scope, where)

    def moved(node: Expression) -> Expression | None:
        match node:
            case Located(location=location, arguments=arguments):
                return replace(
                    node,
                    location=_with(location, place, value),
                    arguments=_with(arguments, place, number(value)),
                )
            case Normal(field, location, arguments=arguments):
                index = tuple(int(k == place) for k in range(len(location)))
                there, shown = _with(location, place, value), _with(arguments, place, number(value))
                slope = Located(field, index, there, f"{field}_{name}", shown)
                return slope if upper else Negative(slope)
            case _:
                return None

    right = None if formula.right is None else rewritten(formula.right, moved)
    location = _with((None,) * len(bounds), place, value)
    free = tuple(other for other in scope.coordinates if other != name)
    placed = Formula(formula.text, rewritten(formula.left, moved), right)
    return Condition(BOUNDARY, BOUNDARY, placed, (location,), free, {name: value}, None, "")


def _with(entries: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*entries[:place], value, *entries[place + 1 :])
