"""Names that a sweep may vary: the settings of a file, the number of measurements, and their noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qres.runs import Place, place, short_name, unknown
from qres.runtime.errors import InputError

from ._job import MEASURED

_MEASURED: dict[str, Place] = {"data_points": (MEASURED, "points"), "noise": (MEASURED, "noise")}


def varied(name: str, tables: Mapping[str, Any]) -> Place:
    """The section, key and inner keys that a name means for a file with these tables."""
    if name in ("seed", "seeds", "training.seed"):
        raise InputError(f"{name!r} is not varied by name: say how many seeds, with --seeds 5")
    if name.startswith(f"{MEASURED}."):
        dotted = {".".join(found): found for found in _MEASURED.values()}
        if name not in dotted:
            raise unknown(name, list(dotted))
        return dotted[name]
    return _MEASURED.get(name.replace("-", "_")) or place(name, tables)


def shown_name(where: Place) -> str:
    """The inverse of `varied`, for tables and figures."""
    return next((name for name, found in _MEASURED.items() if found == where), None) or short_name(where)
