"""Hard conditions on surfaces: `u = s + L N`, where the level function L vanishes on them.

Where surfaces that do not meet have different values, s is a mean of these, with weights 1/L (V. L. Rvachev et al.,
Comput. Aided Geom. Des. 18 (2001) 195–220). Faces of the box may have data too: what these are more than s is blended
over the box (`_faces.py`) and added. That is zero on the surfaces where the data agree with s, as initial values do
that fit the boundary's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from jaxtyping import Float

from qres.formulas import (
    ONE,
    ZERO,
    Binary,
    Expression,
    Formula,
    Name,
    minus,
    number,
    plus,
    rewritten,
    substitute,
    text_of,
    times,
)
from qres.geometry import Region, Surface, points_of_box
from qres.posed import TIME, Posed, explicit_value

from ._ansatz import Ansatz, satisfying
from ._candidates import Candidates, Face, SurfaceValue
from ._faces import blended
from ._proof import holds
from ._strategy import Refusal

_TRIED = 5000
_APART = 0.02  # of the box's size: surfaces nearer to each other than this meet


@dataclass(frozen=True)
class Surfaces:
    """Values on surfaces, together with those on faces of the box.

    Faces are blended; where that does not agree with the surfaces, those in space are taken for surfaces themselves.
    Surfaces with different values that meet one another are left out where the others cannot be built in with them.
    """

    def attempt(self, posed: Posed, candidates: Candidates) -> Ansatz | Refusal:
        """The ansatz of faces and surfaces, where their data agree."""
        if not candidates.surfaces:
            return Refusal()
        refused: dict[str, str] = {}
        tries = [(candidates.faces, candidates.surfaces), _all_as_surfaces(candidates, posed)]
        meeting = [_intersecting(surfaces, posed) for _, surfaces in tries]
        for leave_out in (False, True):
            for (faces, surfaces), why in zip(tries, meeting, strict=True):
                if leave_out != bool(why):
                    continue
                kept = [one for one in surfaces if one.condition.name not in why]
                found = _built(faces, kept, posed)
                if found is not None:
                    return replace(found, reasons=why)
                refused |= {
                    one.condition.name: why.get(
                        one.condition.name, "does not agree with conditions at faces of the box"
                    )
                    for one in candidates.surfaces
                }
        return Refusal(refused)


def _all_as_surfaces(
    candidates: Candidates, posed: Posed
) -> tuple[tuple[Face, ...], tuple[SurfaceValue, ...]]:
    """The candidates with values on faces in space as values on surfaces, for fields that have any there."""
    fields = {one.field for one in candidates.surfaces}
    moved = [f for f in candidates.faces if f.field in fields and f.coordinate != TIME and not f.order]
    others = tuple(face for face in candidates.faces if face not in moved)
    return others, (*candidates.surfaces, *(_as_surface(face, posed) for face in moved))


def _as_surface(face: Face, posed: Posed) -> SurfaceValue:
    found = explicit_value(face.condition)
    assert found is not None
    low, high = (number(bound) for bound in posed.bounds[face.coordinate])
    level = minus(high, Name(face.coordinate)) if face.upper else minus(Name(face.coordinate), low)
    surface = Surface(level, posed.constants, posed.bounds)
    return SurfaceValue(face.condition, face.field, surface, found[1])


def _built(faces: Sequence[Face], surfaces: Sequence[SurfaceValue], posed: Posed) -> Ansatz | None:
    """The ansatz of faces and surfaces that do not meet; None where their data do not agree."""
    values = _common_values(surfaces, posed)
    if not surfaces or any(face.order and face.field in values for face in faces):
        return None
    transform = blended((_counted(face, values, posed) for face in faces), posed)
    if transform is None:
        return None
    found = satisfying([*faces, *surfaces], _on_surfaces(transform, values, surfaces, posed))
    return found if holds(found, posed) else None


def _counted(face: Face, values: Mapping[str, Expression], posed: Posed) -> Face:
    """The face with its data counted from the value that the field has on surfaces."""
    if face.field not in values:
        return face
    bound = posed.bounds[face.coordinate][face.upper]
    there = substitute(values[face.field], Name(face.coordinate), bound, posed.constants)
    return replace(face, data=minus(face.data, there))


def _common_values(surfaces: Sequence[SurfaceValue], posed: Posed) -> dict[str, Expression]:
    """By field, one expression that has the values of all its surfaces."""
    values: dict[str, Expression] = {}
    for field in dict.fromkeys(one.field for one in surfaces):
        groups: dict[Expression, list[SurfaceValue]] = {}
        for one in surfaces:
            if one.field == field:
                groups.setdefault(one.data, []).append(one)
        if len(groups) == 1:
            (values[field],) = groups
        else:
            levels = [_product(group, posed) for group in groups.values()]
            values[field] = _between(list(zip(levels, groups, strict=True)))
    return values


def _intersecting(surfaces: Sequence[SurfaceValue], posed: Posed) -> dict[str, str]:
    """The conditions whose surfaces meet others with another value of the field, by name, and the reason."""
    found: dict[str, str] = {}
    points = {}
    for one in surfaces:
        for other in surfaces:
            if other.field != one.field or other.data == one.data:
                continue
            if id(one) not in points:
                points[id(one)] = _boundary_points(one.surface, posed)
            if _is_near(points[id(one)], other.surface):
                reason = f"meets a surface on which {one.field} has another value"
                found |= {one.condition.name: reason, other.condition.name: reason}
    return found


def _boundary_points(surface: Surface, posed: Posed) -> Float[np.ndarray, "d n"]:
    """Points of a surface on the boundary of the region."""
    points = surface.points(_TRIED, np.random.default_rng(0))
    return points[:, _region(posed).covers(points)]


def _is_near(points: Float[np.ndarray, "d n"], surface: Surface) -> bool:
    """Whether some points are near a surface: to first order, the distance is the level over its gradient."""
    level, slope = surface.slopes(points)
    with np.errstate(all="ignore"):
        distances = level / np.linalg.norm(slope, axis=0)  # in units of the box
    return not np.all(distances >= _APART)


def _product(surfaces: Sequence[SurfaceValue], posed: Posed) -> Expression:
    """The product of the levels, one at most inside."""
    points = points_of_box(posed.bounds, _TRIED)
    points = points[:, _region(posed).contains(points)]
    highest = np.max(np.prod([one.surface.values(points) for one in surfaces], axis=0))
    return reduce(times, [one.surface.level for one in surfaces], number(float(f"{1 / highest:.3g}")))


def _between(pairs: Sequence[tuple[Expression, Expression]]) -> Expression:
    """`Σ s_k/L_k / Σ 1/L_k`, multiplied out: the value s_k where the level L_k is zero."""
    others = [
        reduce(times, [level for place, (level, _) in enumerate(pairs) if place != k], ONE)
        for k in range(len(pairs))
    ]
    above = reduce(plus, [times(data, other) for (_, data), other in zip(pairs, others, strict=True)])
    return above if above == ZERO else Binary("/", above, reduce(plus, others))


def _on_surfaces(
    transform: Mapping[str, Formula],
    values: Mapping[str, Expression],
    surfaces: Sequence[SurfaceValue],
    posed: Posed,
) -> dict[str, Formula]:
    """A transform of faces, whose data are counted from the surfaces' values, made to hold on these too."""
    result = dict(transform)
    for field, value in values.items():
        raw = Name(field)
        factor = times(_product([one for one in surfaces if one.field == field], posed), raw)
        base = transform[field].left if field in transform else raw
        total = plus(value, rewritten(base, lambda node, raw=raw, by=factor: by if node == raw else None))
        result[field] = Formula(text_of(total), total)
    return result


def _region(posed: Posed) -> Region:
    """The region, which there is wherever a surface bounds it."""
    assert posed.region is not None
    return posed.region
