"""The tables of docs/when-not.md, between its markers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import marked

from classical.forward import CASES
from classical.inverse import INVERSE
from qres.runtime.files import replace_file

_NOT_YET = "Nothing is recorded yet: `make classical`."


def update(runs: Mapping[str, Any], page: Path) -> None:
    """Put the tables into the page."""
    if page.exists():
        replace_file(page, filled(page.read_text(), runs).encode())


def filled(text: str, runs: Mapping[str, Any]) -> str:
    """A page with its tables."""
    return marked.filled(text, {"forward": forward_table(runs), "inverse": inverse_table(runs)})


def forward_table(runs: Mapping[str, Any]) -> str:
    """Time to 1e-4 and 1e-8, and how many times faster the classical solver is at 1e-4."""
    rows = []
    for name in CASES:
        if name not in runs:
            continue
        classical, ours = runs[name]["classical"], runs[name]["qres"]
        cells = [
            _seconds(side["reached"].get(goal)) for goal in ("0.0001", "1e-08") for side in (classical, ours)
        ]
        if "0.0001" not in ours["reached"]:
            cells[1] += f" ({ours['error']:.0e})"
        if "1e-08" not in ours["reached"]:
            cells[3] += f" ({ours['error']:.0e})"
        if "1e-08" not in classical["reached"]:
            cells[2] += f" ({classical['tried'][-1]['error']:.0e})"
        rows.append(f"| `{name}` | {classical['method']} | {' | '.join(cells)} |")
    head = [
        "| problem | classical method | 1e-4: classical | qres | 1e-8: classical | qres |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) if rows else _NOT_YET


def inverse_table(runs: Mapping[str, Any]) -> str:
    """What both find, how far off it is, and how long they take."""
    rows = []
    for name in INVERSE:
        if name not in runs:
            continue
        run = runs[name]
        for key, true in run["true"].items():
            sides = []
            for side in ("classical", "qres"):
                value, stderr = run[side]["unknowns"][key]
                off = abs(value / true - 1) * 100
                inside = abs(value - true) <= 1.96 * stderr if stderr else False
                sides.append(
                    f"{off:.2g} %{'' if inside else ' (outside)'} | {_seconds(run[side]['seconds'])}"
                )
            rows.append(f"| `{name}` | `{key}` | {run['classical']['method']} | {' | '.join(sides)} |")
    head = [
        "| problem | unknown | classical method | off by | time | qres off by | time |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) if rows else _NOT_YET


def _seconds(value: float | None) -> str:
    if value is None:
        return "not reached"
    return f"{1000 * value:.2g} ms" if value < 0.1 else f"{value:.2g} s"
