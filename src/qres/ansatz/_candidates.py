"""Conditions that an ansatz may impose: values and derivatives on faces of the box, and values on surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qres.ansatz.kinks import Kink, find_kink
from qres.formulas import Expression, Name, substitute
from qres.geometry import Surface
from qres.posed import TIME, Condition, Posed, explicit_value, near

_TRIED = 5000


@dataclass(frozen=True)
class Face:
    """`∂^order u = data` on a face of the box, along its normal."""

    condition: Condition
    field: str
    coordinate: str
    upper: bool
    order: int
    data: Expression


@dataclass(frozen=True)
class SurfaceValue:
    """`u = data` on a surface."""

    condition: Condition
    field: str
    surface: Surface
    data: Expression


@dataclass(frozen=True)
class Candidates:
    """What strategies may build in, and why the other conditions stay soft, by name."""

    posed: Posed
    faces: tuple[Face, ...]
    surfaces: tuple[SurfaceValue, ...]
    reasons: Mapping[str, str]

    @cached_property
    def kink(self) -> Kink | None:
        """The kink of periodic initial data, where these are all that is given on faces."""
        if any(face.coordinate != TIME or face.upper or face.order for face in self.faces):
            return None
        return find_kink({face.field: face.data for face in self.faces}, self.posed)


def find_candidates(posed: Posed) -> Candidates:
    """The conditions of a problem that have the form an ansatz can satisfy."""
    reasons: dict[str, str] = {}
    faces: list[Face] = []
    surfaces: list[SurfaceValue] = []
    for condition in posed.conditions:
        found = (_face if condition.surface is None else _surface_value)(condition, posed)
        if isinstance(found, Face):
            faces.append(found)
        elif isinstance(found, SurfaceValue):
            surfaces.append(found)
        else:
            reasons[condition.name] = found
    supported = _supported(faces, reasons)
    return Candidates(posed, tuple(supported), tuple(surfaces), reasons)


def _face(condition: Condition, posed: Posed) -> Face | str:
    """The face that a condition is about, or why it is about none."""
    found = explicit_value(condition)
    if found is None:
        return "is not a field's value, u(…) = …"
    located, data = found
    if located.field not in posed.fields:
        return f"is about {located.field}, which is not a network output but defined by others"
    if len(condition.fixed) != 1:
        return "fixes several coordinates"
    ((coordinate, value),) = condition.fixed.items()
    low, high = posed.bounds[coordinate]
    if coordinate in posed.periodic:
        return f"fixes {coordinate}, in which the fields are periodic"
    if not (near(value, low, high - low) or near(value, high, high - low)):
        return f"is not at a bound of {coordinate}"
    order = located.index[posed.coordinates.index(coordinate)]
    if sum(located.index) != order:
        return "has a derivative along its face"
    data = substitute(data, Name(coordinate), value, posed.constants)
    return Face(condition, located.field, coordinate, not near(value, low, high - low), order, data)


def _surface_value(condition: Condition, posed: Posed) -> SurfaceValue | str:
    """The value that a condition gives on a surface, or why it stays soft."""
    found, surface, region = explicit_value(condition), condition.surface, posed.region
    assert surface is not None
    if found is None or any(found[0].index):
        return "is not a field's value, u = …"
    if found[0].field not in posed.fields:
        return f"is about {found[0].field}, which is not a network output but defined by others"
    points = surface.points(_TRIED, np.random.default_rng(0))
    if region is None or np.any(region.contains(points) & ~region.bounded_by(surface, points)):
        return "is on a surface that goes through the inside"
    return SurfaceValue(condition, found[0].field, surface, found[1])


def _supported(faces: Sequence[Face], reasons: dict[str, str]) -> list[Face]:
    """The faces whose conditions fit together: derivatives only with a value, along one coordinate."""
    kept: list[Face] = []
    for face in sorted(faces, key=lambda face: face.order):
        same = [other for other in kept if (other.field, other.coordinate) == (face.field, face.coordinate)]
        orders = [other.order for other in same if other.upper == face.upper]
        others = {other.coordinate for other in kept if other.field == face.field and other.order > 0}
        if face.order in orders:
            reasons[face.condition.name] = "states again what another condition does"
        elif face.order != len(orders):
            reasons[face.condition.name] = "gives a derivative, but not all the lower ones are given there"
        elif face.order > 0 and others - {face.coordinate}:
            reasons[face.condition.name] = f"gives a derivative, as another does along {others.pop()}"
        else:
            kept.append(face)
    return [face for face in faces if face in kept]
