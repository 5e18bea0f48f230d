"""The unknowns of a run by name, which a notebook shows as a table with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ._unknown import UnknownEstimate
from .display import name, number, rounded, table

NORMAL_95 = 1.96
_TITLES = ("unknown", "estimate", "standard error", "95 % interval", "true value", "off by, %")


class Unknowns(dict[str, UnknownEstimate]):
    """Estimates by name: a dictionary, with a table for notebooks."""

    def _repr_html_(self) -> str:
        return unknowns_table(self)


def scalars(values: Mapping[str, Any]) -> dict[str, float]:
    """Numbers by name; a vector k becomes k[0], k[1], …; what is None is left out."""
    import numpy as np  # not where only types are needed, as by the command line

    flat: dict[str, float] = {}
    for key, value in values.items():
        if value is None:
            continue
        if np.ndim(value):
            flat |= scalars({f"{key}[{i}]": entry for i, entry in enumerate(np.ravel(value))})
        else:
            flat[key] = float(value)
    return flat


def unknown_parts(unknowns: Mapping[str, UnknownEstimate], part: str) -> dict[str, float]:
    """One of "value", "stderr", "true" and "percent" of each unknown for which it is known."""
    return scalars({key: getattr(found, part) for key, found in unknowns.items()})


def unknowns_table(unknowns: Mapping[str, UnknownEstimate]) -> str:
    """Each unknown with its 95 % interval and, where known, its true value, as HTML; empty without unknowns."""
    value, stderr, true, percent = (
        unknown_parts(unknowns, part) for part in ("value", "stderr", "true", "percent")
    )
    rows = []
    for key, estimate in value.items():
        error = stderr.get(key)
        cells = [name(key), rounded(estimate, error), number(error, 2), _interval(estimate, error)]
        if true:
            cells += [number(true.get(key), 6), number(percent.get(key), 2)]
        rows.append(cells)
    return table(_TITLES if true else _TITLES[:4], rows)


def _interval(estimate: float, stderr: float | None) -> str:
    if stderr is None or not math.isfinite(stderr):
        return "not known"
    half = NORMAL_95 * stderr
    return f"{rounded(estimate - half, stderr)} … {rounded(estimate + half, stderr)}"
