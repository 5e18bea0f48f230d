"""The comparison of `make compare` as a table: QRes against the plain network, under each optimizer."""

from __future__ import annotations

from statistics import median

from recording import Run

KINDS = ("qres", "mlp")
OPTIMIZERS = ("adam", "lbfgsb", "bfgs", "ssbroyden", "lm")
PROBLEMS = (
    "burgers", "schrodinger", "allen-cahn", "kdv", "allen-cahn-discrete", "burgers-inverse", "kdv-inverse",
    "navier-stokes-inverse", "convection", "reaction", "wave-modes",
)  # fmt: skip


def figure(run: Run) -> float:
    """What counts: the largest percentage that an unknown is off, or else the largest error of a field."""
    found = [unknown["percent"] for unknown in run["unknowns"].values()]
    return max(found or run["errors"].values())


def table(runs: dict[str, Run]) -> str:
    """A row a problem and optimizer: medians and worst of both, and how many times smaller QRes' median is."""
    head = "| problem | optimizer | parameters | seeds | QRes, median (worst) | plain, median (worst) | plain ÷ QRes |"
    rows = [head, "|" + "---|" * (head.count("|") - 1)]
    for problem in PROBLEMS:
        for optimizer in OPTIMIZERS:
            found = [
                [
                    run
                    for name, run in runs.items()
                    if name.startswith(f"{problem}, {kind}, {optimizer}, seed")
                ]
                for kind in KINDS
            ]
            if all(found):
                rows.append(_row(problem, optimizer, found))
    return "\n".join(rows) if len(rows) > 2 else "Nothing is recorded yet."


def medians(found: list[list[Run]]) -> tuple[list[float], list[str]]:
    """Of several runs each: the medians, and `median (worst)` as cells, the best in bold."""
    middle = [median(map(figure, runs)) for runs in found]
    cells = [f"{m:.1e} ({max(map(figure, runs)):.1e})" for m, runs in zip(middle, found, strict=True)]
    best = middle.index(min(middle))
    cells[best] = f"**{cells[best]}**"
    return middle, cells


def _row(problem: str, optimizer: str, found: list[list[Run]]) -> str:
    middle, cells = medians(found)
    parameters = " / ".join(str(runs[0]["parameters"]) for runs in found)
    seeds = " / ".join(dict.fromkeys(str(len(runs)) for runs in found))
    unit = " (%)" if found[0][0]["unknowns"] else ""
    row = (f"`{problem}`{unit}", optimizer, parameters, seeds, *cells, f"{middle[1] / middle[0]:.2g}")
    return "| " + " | ".join(row) + " |"
