"""Derived fields: an ansatz of network outputs, and the definitions of fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qres.formulas import Formula, Values, integrals_in
from qres.jets import Jet, MultiIndex, Recording, Truncation


def assemble(
    transform: Mapping[str, Formula],
    definitions: Mapping[str, Formula],
    parameters: Values,
    raw: Values,
    coordinates: Values,
) -> dict[str, Any]:
    """Fields and definitions from raw network outputs: first the transform, then the definitions."""
    fields = transformed(transform, parameters, raw, coordinates)
    return defined(definitions, parameters, fields, coordinates)


def transformed(
    transform: Mapping[str, Formula], parameters: Values, raw: Values, coordinates: Values
) -> dict[str, Any]:
    """`u = T(raw, coordinates)` for fields that have a transform; the others are the raw outputs themselves."""
    given = {**parameters, **coordinates, **raw}
    return {**raw, **{name: as_field(formula(given), coordinates) for name, formula in transform.items()}}


def defined(
    definitions: Mapping[str, Formula], parameters: Values, fields: Values, coordinates: Values
) -> dict[str, Any]:
    """Fields together with the definitions made of them.

    A definition is left out if the fields already have it, if they lack a field that it is made of, or if their jets
    lack a derivative that it takes: jets carry what an equation was seen to need.
    """
    missing = {name: formula for name, formula in definitions.items() if name not in fields}
    kept = _carried(missing, parameters, fields, coordinates) if missing else missing
    found, known = dict(fields), {**parameters, **coordinates}
    for name, formula in kept.items():
        names = {**known, **found}
        if names.keys() >= {*formula.names, *(one.text for one in integrals_in([formula.residual]))}:
            found[name] = as_field(formula(names), coordinates)
    return found


def _carried(
    definitions: Mapping[str, Formula], parameters: Values, fields: Values, coordinates: Values
) -> Mapping[str, Formula]:
    """The definitions whose derivatives the jets carry; a field that has lost some by an ansatz is evaluated alone."""
    jets = [value for value in (*coordinates.values(), *fields.values()) if isinstance(value, Jet)]
    numbers = {name: value for name, value in parameters.items() if not isinstance(value, Jet)}
    for truncation in dict.fromkeys(jet.truncation for jet in jets):
        noted = [_noted(values, truncation) for values in (fields, coordinates)]
        found = defined(definitions, numbers, *noted)
        needs: dict[str, frozenset[MultiIndex]] = {
            name: found[name].needs for name in definitions if name in found
        }
        definitions = {
            name: formula
            for name, formula in definitions.items()
            if needs.get(name, frozenset()).issubset(truncation.indices)
        }
    return definitions


def _noted(values: Values, truncation: Truncation) -> dict[str, Any]:
    """Recordings in place of jets, which note what is asked of those of one truncation."""
    field = Recording.field(truncation.coordinates)
    nothing = Recording(truncation.coordinates, frozenset())
    return {
        name: (field if value.truncation == truncation else nothing) if isinstance(value, Jet) else value
        for name, value in values.items()
    }


def as_field(value: Any, coordinates: Values) -> Any:
    """The value as something that has derivatives, also where it is the same everywhere."""
    if isinstance(value, Jet | Recording):
        return value
    position = next(iter(coordinates.values()))
    if isinstance(position, Recording):
        return Recording.constant(position.coordinates, value)
    return position * 0.0 + value
