"""What `make points` found, as a table: points that adapt, and all of them from the first, as in `make compare`."""

from __future__ import annotations

from statistics import median

from compare_table import medians, unit
from recording import Run

PROBLEMS = (
    "burgers", "schrodinger", "allen-cahn", "kdv", "burgers-inverse", "navier-stokes-inverse", "convection", "reaction",
    "wave-modes",
)  # fmt: skip


def table(runs: dict[str, Run], compare: dict[str, Run]) -> str:
    """A row a problem: median and worst of both, how many times smaller the median is, and the iterations made."""
    head = "| problem | seeds | all points, median (worst) | adaptive, median (worst) | ratio | iterations |"
    rows = [head, "|" + "---|" * (head.count("|") - 1)]
    for problem in PROBLEMS:
        adaptive = [run for name, run in runs.items() if name.startswith(f"{problem}, seed")]
        fixed = [run for name, run in compare.items() if name.startswith(f"{problem}, qres, ssbroyden, seed")]
        if adaptive and fixed:
            rows.append(_row(problem, [fixed, adaptive]))
    return "\n".join(rows) if len(rows) > 2 else "Nothing is recorded yet."


def _row(problem: str, found: list[list[Run]]) -> str:
    middle, cells = medians(found)
    seeds, made = (
        " / ".join(dict.fromkeys(f"{value:.0f}" for value in values))
        for values in (map(len, found), (median(run["iterations"] for run in runs) for runs in found))
    )
    row = (f"`{problem}`{unit(found)}", seeds, *cells, f"{middle[0] / middle[1]:.2g}", made)
    return "| " + " | ".join(row) + " |"
