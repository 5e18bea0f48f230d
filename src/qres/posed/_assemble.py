"""Fields from raw network outputs: a hard transform, then the definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qres.formulas import Formula, Values
from qres.jets import Jet, MultiIndex, Recording


def assemble(
    transform: Mapping[str, Formula],
    definitions: Mapping[str, Formula],
    parameters: Values,
    raw: Values,
    coordinates: Values,
) -> dict[str, Any]:
    """`u = T(raw, coordinates)` for fields that have a transform, then each definition of those before.

    Jets carry what an equation was seen to need; a definition that takes more is not in it, and is left out.
    """
    known = {**parameters, **coordinates}
    given = {**known, **raw}
    fields = dict(raw)
    for name, formula in transform.items():
        fields[name] = as_field(formula(given), coordinates)
    position = next(iter(coordinates.values()))
    needs: dict[str, frozenset[MultiIndex]] = {}
    if definitions and isinstance(position, Jet):
        needs = _needs(transform, definitions, parameters, tuple(raw), tuple(coordinates))
    for name, formula in definitions.items():
        if isinstance(position, Jet) and not needs[name].issubset(position.truncation.indices):
            continue
        fields[name] = as_field(formula({**known, **fields}), coordinates)
    return fields


def _needs(
    transform: Mapping[str, Formula],
    definitions: Mapping[str, Formula],
    parameters: Values,
    raw: tuple[str, ...],
    coordinates: tuple[str, ...],
) -> dict[str, frozenset[MultiIndex]]:
    """Which derivatives each definition takes of the raw outputs and the coordinates."""
    noted = {name: Recording.field(coordinates) for name in (*raw, *coordinates)}
    outputs = {name: noted[name] for name in raw}
    numbers = {name: value for name, value in parameters.items() if not isinstance(value, Jet)}
    fields = assemble(transform, definitions, numbers, outputs, {name: noted[name] for name in coordinates})
    return {name: fields[name].needs for name in definitions}


def as_field(value: Any, coordinates: Values) -> Any:
    """The value as something that has derivatives, also where it is the same everywhere."""
    if isinstance(value, Jet | Recording):
        return value
    position = next(iter(coordinates.values()))
    if isinstance(position, Recording):
        return Recording.constant(position.coordinates, value)
    return position * 0.0 + value
