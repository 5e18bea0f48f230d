"""A stated problem as plain data: the text of traced functions, and the names of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from qres.formulas import Formula, Opaque
from qres.geometry import Region, surfaces_of
from qres.posed import At, Posed, sequence, table

_LISTS, _TABLES = ("equations", "conditions", "inside"), ("definitions", "exact", "transform")
FUNCTION = "function"  # the key under which a file names a function that it does not hold


def as_text(stated: Mapping[str, Any], posed: Posed, transform: Mapping[str, Formula]) -> dict[str, Any]:
    """The arguments of a Problem as text, as far as they can be; fields are named, as text may not show all of them."""
    if not functions_in(stated):
        return dict(stated)
    formulas = [equation.formula for equation in posed.equations]
    by_entry = {condition.entry: condition.formula for condition in posed.conditions}
    tables = {"definitions": posed.definitions, "exact": posed.exact, "transform": transform}
    return {
        **stated,
        "fields": list(posed.fields),
        "equations": [_text(one, formulas[k]) for k, one in enumerate(_entries(stated, "equations"))],
        "conditions": [_text(one, by_entry[k]) for k, one in enumerate(_entries(stated, "conditions"))],
        "inside": [_inside(one, k, posed.region) for k, one in enumerate(_entries(stated, "inside"))],
        **{
            key: {name: _text(one, known[name]) for name, one in table(stated[key], key).items()}
            for key, known in tables.items()
        },
    }


def functions_in(stated: Mapping[str, Any]) -> list[Any]:
    """What of the arguments of a Problem is Python, and not text."""
    lists = [one for key in _LISTS for one in _entries(stated, key)]
    tables = [one for key in _TABLES for one in table(stated.get(key), key).values()]
    return [one for one in (*lists, *tables) if _is_function(one)]


def with_names(stated: Mapping[str, Any], posed: Posed) -> dict[str, Any]:
    """The arguments of a Problem with a table in place of each function, which says its name."""

    def substituted(one: Any) -> Any:
        return {FUNCTION: _name_of(one)} if _is_function(one) else one

    lists = {key: [substituted(one) for one in _entries(stated, key)] for key in _LISTS if key in stated}
    tables = {
        key: {n: substituted(one) for n, one in stated[key].items()} for key in _TABLES if key in stated
    }
    return {**stated, **lists, **tables, "fields": list(posed.fields)}


def names_of_functions(stated: Mapping[str, Any]) -> list[str]:
    """The names that `with_names` left, in what a file states."""
    lists = [one for key in _LISTS for one in _entries(stated, key)]
    tables = [one for key in _TABLES for one in table(stated.get(key), key).values()]
    return [str(one[FUNCTION]) for one in (*lists, *tables) if isinstance(one, Mapping) and FUNCTION in one]


def _entries(stated: Mapping[str, Any], key: str) -> tuple[Any, ...]:
    return sequence(stated.get(key), key)


def _is_function(stated: Any) -> bool:
    return callable(stated) or isinstance(stated, At)


def _name_of(stated: At | Callable[..., Any]) -> str:
    function = stated.function if isinstance(stated, At) else stated
    return getattr(function, "__name__", type(function).__name__)


def _text(stated: Any, formula: Formula) -> Any:
    return formula.text if _is_function(stated) and formula.is_text else stated


def _inside(stated: Any, place: int, region: Region | None) -> Any:
    assert region is not None
    levels = [surface.level for surface in surfaces_of(region.solids[place])]
    is_text = not any(isinstance(level, Opaque) for level in levels)
    return region.texts[place] if _is_function(stated) and is_text else stated
