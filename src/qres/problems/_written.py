"""What was stated, with the text of every function that could be traced in place of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qres.formulas import Formula
from qres.geometry import Region
from qres.posed import At, Posed, sequence, table


def as_text(stated: Mapping[str, Any], posed: Posed, transform: Mapping[str, Formula]) -> dict[str, Any]:
    """The arguments of a Problem as text, as far as they can be; fields are named, as text may not show all of them."""
    equations = sequence(stated["equations"], "equations")
    conditions = sequence(stated["conditions"], "conditions")
    by_entry = {condition.entry: condition.formula for condition in posed.conditions}
    inside = sequence(stated["inside"], "inside")
    tables = {"definitions": posed.definitions, "exact": posed.exact, "transform": transform}
    if not _has_functions(
        (*equations, *conditions, *inside, *(v for key in tables for v in _values(stated[key])))
    ):
        return dict(stated)
    formulas = [equation.formula for equation in posed.equations]
    return {
        **stated,
        "fields": list(posed.fields),
        "equations": [_written(one, formula) for one, formula in zip(equations, formulas, strict=True)],
        "inside": [_written_region(one, posed.region, place) for place, one in enumerate(inside)],
        "conditions": [_written(one, by_entry[entry]) for entry, one in enumerate(conditions)],
        **{
            key: {name: _written(one, known[name]) for name, one in table(stated[key], key).items()}
            for key, known in tables.items()
        },
    }


def _values(stated: Any) -> tuple[Any, ...]:
    return tuple(stated.values()) if isinstance(stated, Mapping) else ()


def _has_functions(stated: tuple[Any, ...]) -> bool:
    return any(callable(one) or isinstance(one, At) for one in stated)


def _written(stated: Any, formula: Formula) -> Any:
    is_function = callable(stated) or isinstance(stated, At)
    return formula.text if is_function and formula.is_text else stated


def _written_region(stated: Any, region: Region | None, place: int) -> Any:
    return region.texts[place] if callable(stated) and region is not None and region.is_text else stated
