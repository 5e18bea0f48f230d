"""Hard conditions on surfaces: `u = s + L N`, where the level L is zero on them.

Where surfaces that do not meet have different values, s is a mean of these, with weights 1/L (V. L. Rvachev et al.,
Comput. Aided Geom. Des. 18 (2001) 195–220). Faces of the box may have data too: what these are more than s is blended
over the box, as `_hard` does it, and added. That is zero on the surfaces where the data agree with s, as initial values
do that fit the boundary's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

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
    text_of,
    times,
)
from qres.geometry import Region, Surface, points_of_box
from qres.posed import Condition, Posed, explicit_value

_TRIED = 5000
_APART = 0.05  # of its highest, that the level of one surface has on another


@dataclass(frozen=True)
class Held:
    """`u = data` on a surface."""

    condition: Condition
    field: str
    surface: Surface
    data: Expression


def held(condition: Condition, posed: Posed) -> Held | str:
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
    return Held(condition, found[0].field, surface, found[1])


def held_face(condition: Condition, field: str, coordinate: str, upper: bool, posed: Posed) -> Held:
    """The value that a condition gives on a face of the box, as if that were any other surface."""
    found = explicit_value(condition)
    assert found is not None
    low, high = (number(bound) for bound in posed.bounds[coordinate])
    level = minus(high, Name(coordinate)) if upper else minus(Name(coordinate), low)
    return Held(condition, field, Surface(level, posed.constants, posed.bounds), found[1])


def common_values(surfaces: Sequence[Held], reasons: dict[str, str], posed: Posed) -> dict[str, Expression]:
    """By field, one expression that has the values of all its surfaces; where there is none, reasons say why."""
    values: dict[str, Expression] = {}
    for field in dict.fromkeys(one.field for one in surfaces):
        groups: dict[Expression, list[Held]] = {}
        for one in surfaces:
            if one.field == field:
                groups.setdefault(one.data, []).append(one)
        if len(groups) == 1:
            (values[field],) = groups
        elif _are_apart([[one.surface for one in group] for group in groups.values()], posed):
            levels = [_product(group, posed) for group in groups.values()]
            values[field] = _between(list(zip(levels, groups, strict=True)))
        else:
            reasons.update(
                (one.condition.name, f"meets a surface on which {field} has another value")
                for group in groups.values()
                for one in group
            )
    return values


def _are_apart(groups: Sequence[Sequence[Surface]], posed: Posed) -> bool:
    """Whether surfaces of different groups do not come near each other on the boundary of the region."""
    region = _region(posed)
    for group in groups:
        others = [surface for other in groups if other is not group for surface in other]
        for surface in group:
            points = surface.points(_TRIED, np.random.default_rng(0))
            points = points[:, region.covers(points)]
            if any(np.any(other.values(points) < _APART * _highest(other, posed)) for other in others):
                return False
    return True


def _product(surfaces: Sequence[Held], posed: Posed) -> Expression:
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


def on_surfaces(
    transform: Mapping[str, Formula],
    values: Mapping[str, Expression],
    surfaces: Sequence[Held],
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


def _highest(surface: Surface, posed: Posed) -> float:
    """The largest level inside."""
    points = points_of_box(posed.bounds, _TRIED)
    return float(np.max(surface.values(points)[_region(posed).contains(points)], initial=1e-300))


def _region(posed: Posed) -> Region:
    """The region, which there is wherever a surface bounds it."""
    assert posed.region is not None
    return posed.region
