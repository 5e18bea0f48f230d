"""What `make balance` found, as a table: soft conditions with equal weights, and with weights that balance."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from accuracy_cases import source_of
from compare_table import medians
from recording import Run

ITERATIONS = 1500
WEIGHTS = {"false": "equal weights", "true": "balanced"}
TEXTBOOK = Path(__file__).parent / "textbook"  # problems with soft conditions and an exact solution
_TEXTBOOK = tuple(sorted(file.stem for file in TEXTBOOK.glob("*.toml")))
PROBLEMS = (
    "wave", "beam", "stokes-stream", "ring", "periodic", "heat", "fisher", "burgers", "allen-cahn", "kdv",
    "schrodinger", *_TEXTBOOK,
)  # fmt: skip


def file_of(problem: str) -> str:
    """What `qres solve` is given: a textbook problem's file, an example's, or the name of a built-in problem."""
    return str(TEXTBOOK / f"{problem}.toml") if problem in _TEXTBOOK else source_of(problem)


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
