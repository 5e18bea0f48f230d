"""Conditions on a surface, `"u(x, y) = 0 on x^2 + y^2 = 1"`, or on the boundary, `"u_n(x, y) = 0 on boundary"`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
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
    number,
    parse,
    read_formula,
    rewritten,
    walk,
)
from qres.geometry import Region, Surface
from qres.runtime.errors import InputError, listed, shorten

from ._condition import Bounds, Condition, read_condition

BOUNDARY = "boundary"
_TRIED = 20_000  # points near a surface, to see whether it bounds the region
_STEP = 1e-4  # of the box's size, off a surface, to see on which side the region is


def read_conditions(
    stated: Any, scope: Scope, bounds: Bounds, periodic: tuple[str, ...], region: Region | None, where: str
) -> list[Condition]:
    """A condition, or several where it holds on all of the boundary."""
    text, place = split_place(stated, where)
    if place is None:
        return [read_condition(stated, scope, bounds, where)]
    where = f"{where} {shorten(stated)!r}"
    if place != BOUNDARY:
        surface, shown = _surface(place, scope, bounds, region, where)
        found = [_on_surface(text, surface, shown, scope, where)]
    else:
        found = _on_boundary(text, scope, bounds, periodic, region, where)
    normalized = " ".join(stated.split())
    return [replace(one, formula=replace(one.formula, text=normalized)) for one in found]


def _on_boundary(
    text: str, scope: Scope, bounds: Bounds, periodic: tuple[str, ...], region: Region | None, where: str
) -> list[Condition]:
    """A condition for each face and each surface that bound the region."""
    found = [_on_face(text, *face, scope, bounds, where) for face in _faces(scope, bounds, periodic, region)]
    found += [
        _on_surface(text, surface, "<mtext>the boundary</mtext>", scope, where)
        for surface in (region.surfaces if region is not None else ())
        if _bounds_somewhere(region, surface)
    ]
    if not found:
        raise InputError(f"{where}: there is no boundary, where all coordinates are periodic or the time")
    return found


def split_place(stated: Any, where: str) -> tuple[Any, str | None]:
    """What a condition says, and what it is on: `"u = 0 on boundary"`; None where it does not say so."""
    parts = re.split(r"\bon\b", stated) if isinstance(stated, str) else []
    if len(parts) < 2:
        return stated, None
    place = " ".join(parts[1].split())
    if len(parts) > 2 or not place:
        raise InputError(
            f"{where} {shorten(stated)!r}: say once what the condition is on: {BOUNDARY}, or an equation"
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


def _surface(
    place: str, scope: Scope, bounds: Bounds, region: Region | None, where: str
) -> tuple[Surface, str]:
    """A surface from its equation, and that as MathML; its level is positive in the region, where it bounds one."""
    known = Scope(scope.coordinates, constants=scope.constants)
    formula = read_formula(place, known, where, equation=True)
    surface = Surface(Binary("-", formula.left, formula.right or Number(0.0)), scope.constants, bounds)
    points = surface.points(_TRIED, np.random.default_rng(0))
    if not points.shape[1]:
        raise InputError(f"{where}: no point of the box is on {place!r}")
    if region is None:
        return surface, formula.mathml_row()
    if not np.any(region.level(points) >= 0) and not np.any(region.bounded_by(surface, points)):
        raise InputError(f"{where}: no point inside is on {place!r}")
    ahead, behind = (region.contains(surface.off(points, step)) for step in (_STEP, -_STEP))
    falls = np.count_nonzero(ahead) < np.count_nonzero(behind)
    return replace(surface, level=Negative(surface.level)) if falls else surface, formula.mathml_row()


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
