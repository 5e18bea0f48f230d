"""Hard conditions: `u = g + D N`, which satisfies them whatever the network N returns.

D vanishes on the constrained faces of the box; g takes their data, blended over the box by Boolean sums
(W. J. Gordon, SIAM J. Numer. Anal. 8, 1971): for one coordinate
after another, `g ← g + P (data - g on its faces)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qres.formulas import Expression, Formula, Name, Values, minus, plus, substitute, text_of
from qres.geometry import points_of_box
from qres.posed import (
    POINTS,
    TIME,
    Condition,
    Posed,
    Probe,
    arbitrary,
    assemble,
    explicit_value,
    largest,
    near,
    values_near_start,
)
from qres.runtime.errors import InputError

from ._blending import blend
from ._release import release
from ._split_kink import carried
from ._surfaces import Held, common_values, held, held_face, on_surfaces

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Face:
    """`∂^order u = data` on a face of the box, along its normal."""

    condition: Condition
    field: str
    coordinate: str
    upper: bool
    order: int
    data: Expression


def left_soft(
    conditions: Sequence[Condition], transform: Mapping[str, Formula], posed: Posed
) -> tuple[Condition, ...]:
    """The conditions that a transform does not satisfy for two arbitrary networks: those to train on.

    The unknowns are taken off their start, where they might satisfy something by chance.
    """
    parameters = {**posed.constants, **values_near_start(posed.unknowns, 0.1)}
    probes = [_probe(transform, parameters, posed, seed) for seed in (0, 1)]
    return tuple(c for c in conditions if any(not probe.condition(c) <= TOLERANCE for probe in probes))


def _probe(transform: Mapping[str, Formula], parameters: Values, posed: Posed, seed: int) -> Probe:
    outputs, sizes = arbitrary(posed.fields, posed.bounds, seed), _sizes(parameters, posed)

    def fields(coordinates: Values) -> dict[str, Any]:
        raw = {name: sizes[name] * output for name, output in outputs(coordinates).items()}
        return assemble(transform, posed.definitions, parameters, raw, coordinates)

    return Probe(posed.bounds, fields, parameters)


def _sizes(parameters: Values, posed: Posed) -> dict[str, float]:
    """How large the values that conditions give each field are, in whatever units; 1 where they give none."""
    sizes = dict.fromkeys(posed.fields, 0.0)
    known = {name: np.asarray(value) for name, value in parameters.items()}
    points = dict(zip(posed.bounds, points_of_box(posed.bounds, POINTS), strict=True))
    for condition in posed.conditions:
        found = explicit_value(condition)
        if found is None or found[0].field not in sizes:
            continue
        there = {**known, **points, **{name: np.float64(value) for name, value in condition.fixed.items()}}
        sides = [high - low for low, high in posed.bounds.values()]
        length = np.prod([side**order for side, order in zip(sides, found[0].index, strict=True)])
        sizes[found[0].field] = max(sizes[found[0].field], float(length) * largest(found[1], there))
    return {name: size or 1.0 for name, size in sizes.items()}


def automatic_transform(posed: Posed) -> tuple[dict[str, Formula], dict[str, str]]:
    """A transform of each field that has values on faces, and why the other conditions stay soft, by name."""
    reasons: dict[str, str] = {}
    faces: list[Face] = []
    surfaces: list[Held] = []
    for condition in posed.conditions:
        found = (_face if condition.surface is None else held)(condition, posed)
        if isinstance(found, Face):
            faces.append(found)
        elif isinstance(found, Held):
            surfaces.append(found)
        else:
            reasons[condition.name] = found
    faces = _supported(faces, reasons)
    if transform := _with_surfaces(faces, surfaces, reasons, posed):
        return transform, reasons
    if transform := _with_kink(faces, posed):
        return transform, reasons
    transform = _blended(faces, posed)
    if transform is None or left_soft([face.condition for face in faces], transform, posed):
        transform = _greedy(faces, reasons, posed)
    elif released := _released(faces, transform, posed):
        soon = _transform(faces, posed, released)
        if not left_soft([face.condition for face in faces], soon, posed):
            transform = soon
    if not transform:
        why = "; ".join(f"{name} {reason}" for name, reason in reasons.items()) or "there are none"
        raise InputError(f"hard = true, but no condition can be built into the network: {why}")
    return transform, reasons


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


def _released(
    faces: Sequence[Face], transform: Mapping[str, Formula], posed: Posed
) -> dict[tuple[str, str], float]:
    """By field and coordinate, how soon those with value and slope at the lower end are let go, where that is soon."""
    found: dict[tuple[str, str], float] = {}
    for coordinate in posed.coordinates:
        mine = [face for face in faces if face.coordinate == coordinate]
        given = {f: [face.upper for face in mine if face.field == f] for f in posed.fields}
        fields = [f for f, sides in given.items() if sides == [False, False]]
        time = release(transform, coordinate, fields, posed) if fields else None
        found |= {(field, coordinate): time for field in fields} if time else {}
    return found


def _transform(
    faces: Sequence[Face],
    posed: Posed,
    released: Mapping[tuple[str, str], float] | None = None,
) -> dict[str, Formula]:
    """`g + D N` for each field that has faces; `released` says by field and coordinate how soon g lets go."""
    transform = {}
    for field in posed.fields:
        along: dict[str, dict[tuple[bool, int], Expression]] = {}
        mine = sorted((face for face in faces if face.field == field), key=lambda face: -face.order)
        coordinates = [face.coordinate for face in mine if face.order] + list(posed.bounds)
        for coordinate in dict.fromkeys(
            coordinates
        ):  # the one with derivatives first, as g is yet zero there
            data = {(face.upper, face.order): face.data for face in mine if face.coordinate == coordinate}
            if data:
                along[coordinate] = data
        if along:
            soon = {c: time for (f, c), time in (released or {}).items() if f == field}
            expression = blend(field, along, posed.bounds, posed.constants, soon)
            transform[field] = Formula(text_of(expression), expression)
    return transform


def _blended(faces: Iterable[Face], posed: Posed) -> dict[str, Formula] | None:
    """The transform of faces; None where their data have no value at an edge, as `sin(x)/x` has none at 0."""
    try:
        return _transform(list(faces), posed)
    except ArithmeticError:
        return None


def _with_surfaces(
    faces: Sequence[Face],
    surfaces: Sequence[Held],
    reasons: dict[str, str],
    posed: Posed,
) -> dict[str, Formula]:
    """The transform of faces and surfaces, where their data agree; nothing where there are none, or they do not.

    Faces are blended; where that does not agree with the surfaces, those in space are taken for surfaces themselves.
    """
    if not surfaces:
        return {}
    fields = {one.field for one in surfaces}
    moved = [f for f in faces if f.field in fields and f.coordinate != TIME and not f.order]
    as_surfaces = [held_face(f.condition, f.field, f.coordinate, f.upper, posed) for f in moved]
    others = [face for face in faces if face not in moved]
    tries = [(faces, surfaces), (others, [*surfaces, *as_surfaces])]
    refused: dict[str, str] = {}
    for blended, taken in tries:
        why: dict[str, str] = {}
        values = common_values(taken, why, posed)
        kept = [one for one in taken if one.field in values]
        faced = _blended((_counted(face, values, posed) for face in blended), posed)
        transform = {} if faced is None else on_surfaces(faced, values, kept, posed)
        stated = [one.condition for one in (*blended, *taken)]
        has_slopes = any(face.order and face.field in values for face in blended)
        if not why and not has_slopes and not left_soft(stated, transform, posed):
            return transform
        for one in surfaces:
            name = one.condition.name
            refused[name] = why.get(name, "does not agree with conditions at faces of the box")
    reasons.update(refused)
    return {}


def _counted(face: Face, values: Mapping[str, Expression], posed: Posed) -> Face:
    """The face with its data counted from the value that the field has on surfaces."""
    if face.field not in values:
        return face
    bound = posed.bounds[face.coordinate][face.upper]
    there = substitute(values[face.field], Name(face.coordinate), bound, posed.constants)
    return replace(face, data=minus(face.data, there))


def _with_kink(faces: Sequence[Face], posed: Posed) -> dict[str, Formula]:
    """The transform of initial data with a kink that waves carry or diffusion smooths; nothing where there is none."""
    if any(face.coordinate != TIME or face.upper or face.order for face in faces):
        return {}
    found = carried({face.field: face.data for face in faces}, posed)
    if found is None:
        return {}
    smooth, kinks = found
    transform = _transform([replace(face, data=smooth[face.field]) for face in faces], posed)
    sums = {field: plus(kinks[field], formula.left) for field, formula in transform.items()}
    return {field: Formula(text_of(total), total) for field, total in sums.items()}


def _greedy(faces: Sequence[Face], reasons: dict[str, str], posed: Posed) -> dict[str, Formula]:
    """The transform of as many faces as agree with one another, taken in the order they were stated."""
    kept: list[Face] = []
    transform: dict[str, Formula] = {}
    for face in sorted(faces, key=lambda face: face.order):
        tried = _blended([*kept, face], posed)
        if tried is None:
            reasons[face.condition.name] = "meets a condition before it where one of the two has no value"
        elif left_soft([each.condition for each in [*kept, face]], tried, posed):
            reasons[face.condition.name] = "does not agree with the conditions before it where they meet"
        else:
            kept.append(face)
            transform = tried
    return transform
