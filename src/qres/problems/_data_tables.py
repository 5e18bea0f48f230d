"""The data of a problem's file: `[problem.data]`, or several `[[problem.data]]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qres.data import EXACT, Data, from_exact, from_reference
from qres.posed import Posed
from qres.runtime.errors import InputError, check_keys

_KEYS = ("file", "columns", "axes", "points", "noise")


def read_data(stated: Any, folder: Path, posed: Posed) -> tuple[Data, ...]:
    """The data of a file's `[problem.data]`, or of several `[[problem.data]]`; paths are relative to the file.

    A table with `reference` takes them from a known answer: of seed 0, until `Data.drawn` draws others.
    """
    tables = stated if isinstance(stated, list) else [stated]
    return tuple(
        data for place, table in enumerate(tables) for data in _from_table(table, folder, place, posed)
    )


def _from_table(table: Any, folder: Path, place: int, posed: Posed) -> list[Data]:
    if isinstance(table, Mapping) and "reference" in table:
        if table["reference"] == EXACT:
            draw, source = from_exact(table, posed.bounds, posed.exact_fields)
        else:
            draw, source = from_reference(table)
        return [Data(draw.columns(0, place), source=source, origin=draw)]
    table = check_keys(table, _KEYS, "[problem.data]")
    files = table.get("file")
    files = [files] if isinstance(files, str) else files
    if not isinstance(files, list) or not files or not all(isinstance(name, str) for name in files):
        raise InputError(
            '[problem.data] needs file = "points.csv", or a list of such names, or reference = "burgers"'
        )
    check_tables(table, ("columns", "noise"), "[problem.data]")
    options = [table.get(key) for key in ("columns", "noise", "axes")]
    found = [Data.read(folder / name, *options) for name in files]
    if "points" not in table:
        return found
    names = (*posed.fields, *posed.definitions)
    parts = [part for data in found for part in data.complete(names)]
    return [part.drawn(0, place, names, points=table["points"]) for part in parts]


def check_tables(table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    """Whether these keys are tables, where they are there."""
    for key in keys:
        if not isinstance(table.get(key, {}), Mapping):
            raise InputError(
                f"{where} {key} must be a table, such as {{ u = {'0.01' if key == 'noise' else 'velocity'!r} }}"
            )
