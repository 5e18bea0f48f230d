"""Shapes that have a name of their own: `[problem.shapes] hole = "disk(0, 0, 0.2)"`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from qres.formulas import Scope, check_name
from qres.runtime.errors import InputError, listed

from .._surface import Bounds, Solid, Surface, bounding_part, intersection, surfaces_of
from ._grammar import Shape, read_shape
from ._primitives import POLYGON, PRIMITIVES

BOUNDARY = "boundary"


def read_shapes(stated: Mapping[str, Any], scope: Scope, bounds: Bounds) -> dict[str, Shape]:
    """The shapes of a table, each of which may name those before it."""
    known = Scope(scope.coordinates, constants=scope.constants)
    found: dict[str, Shape] = {}
    for name, value in stated.items():
        check_name(name, "shape")
        if name in (*PRIMITIVES, POLYGON, BOUNDARY, "on", *scope.names()):
            raise InputError(f"shapes: the name {name!r} is taken; choose another")
        found[name] = read_shape(value, known, bounds, found, f"shape {name!r}")
    return found


def named_surfaces(name: str, shapes: Mapping[str, Shape], where: str) -> list[Surface]:
    """The surfaces of a shape, or of a part of one that has a name: `hole`, `inlet`, `bracket.inlet`."""
    if name in shapes:
        solid = shapes[name].solid
        return [_bounding(solid, surface) for surface in surfaces_of(solid)]
    shape, _, group = name.rpartition(".")
    among = {shape: shapes[shape]} if shape in shapes else {} if shape else shapes
    found = {key: one.groups[group] for key, one in among.items() if group in one.groups}
    if len(found) > 1:
        several = listed(f"{key}.{group}" for key in found)
        raise InputError(f"{where}: several shapes have a part called {group!r}: say which, {several}")
    if not found:
        groups = [key for one in shapes.values() for key in one.groups]
        raise InputError(
            f"{where}: there is no surface called {name!r}; those are {listed((BOUNDARY, *shapes, *groups))}"
        )
    return list(found.values())


def _bounding(solid: Solid, surface: Surface) -> Surface:
    """The part of a surface that bounds a solid."""
    return replace(surface, part=intersection(surface.part, bounding_part(solid, surface)))
