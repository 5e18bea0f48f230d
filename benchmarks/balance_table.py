"""What `make balance` found, as a table: soft conditions with equal weights, and with weights that balance."""

from __future__ import annotations

from statistics import median

from compare_table import medians
from recording import Run

ITERATIONS = 1500
WEIGHTS = {"false": "equal weights", "true": "balanced"}
PROBLEMS = (
    "wave", "beam", "stokes-stream", "ring", "periodic", "heat", "fisher", "burgers", "allen-cahn", "kdv",
    "schrodinger",
)  # fmt: skip


def name_of(problem: str, balance: str, seed: int) -> str:
    """Under which a run is recorded."""
    return f"{problem}, {WEIGHTS[balance]}, seed {seed}"


def table(runs: dict[str, Run]) -> str:
    """A row a problem: median and worst of both, how many times smaller the balanced median is, and the weight."""
    head = "| problem | seeds | " + " | ".join(f"{name}, median (worst)" for name in WEIGHTS.values())
    head += " | ratio | largest weight |"
    rows = [head, "|" + "---|" * (head.count("|") - 1)]
    for problem in PROBLEMS:
        found = [
            [run for name, run in runs.items() if name.startswith(f"{problem}, {weights}, seed")]
            for weights in WEIGHTS.values()
        ]
        if all(found):
            rows.append(_row(problem, found))
    return "\n".join(rows) if len(rows) > 2 else "Nothing is recorded yet."


def _row(problem: str, found: list[list[Run]]) -> str:
    middle, cells = medians(found)
    weight = median(max(run["weights"].values()) for run in found[1])
    row = (f"`{problem}`", str(len(found[1])), *cells, f"{middle[0] / middle[1]:.2g}", f"{weight:.0f}")
    return "| " + " | ".join(row) + " |"
