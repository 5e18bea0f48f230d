"""The comparison of `make compare` as tables: QRes against the plain network, under each optimizer."""

from __future__ import annotations

from statistics import median

from recording import Run

KINDS = ("qres", "mlp")
OPTIMIZERS = ("adam", "lbfgsb", "bfgs", "ssbroyden", "lm")
PROBLEMS = (
    "burgers", "schrodinger", "allen-cahn", "kdv", "allen-cahn-discrete", "burgers-inverse", "kdv-inverse",
    "navier-stokes-inverse", "convection", "reaction", "wave-modes",
)  # fmt: skip
_FAILED = {"": 0.1, " (%)": 10.0}  # a tenth of the solution or of the unknown: nothing was found
_NOTHING = "Nothing is recorded yet."

Pair = list[list[Run]]  # the runs of QRes, and those of the plain network


def figure(run: Run) -> float:
    """What counts: the largest percentage that an unknown is off, or else the largest error of a field."""
    found = [unknown["percent"] for unknown in run["unknowns"].values()]
    return max(found or run["errors"].values())


def unit(pair: Pair) -> str:
    """Of `figure`, behind a problem's name: percent where there are unknowns."""
    return " (%)" if pair[0][0]["unknowns"] else ""


def pairs(runs: dict[str, Run]) -> dict[tuple[str, str], Pair]:
    """Both networks' runs by problem and optimizer, where there are some of both."""
    found = {
        (problem, optimizer): [
            [run for name, run in runs.items() if name.startswith(f"{problem}, {kind}, {optimizer}, seed")]
            for kind in KINDS
        ]
        for problem in PROBLEMS
        for optimizer in OPTIMIZERS
    }
    return {names: pair for names, pair in found.items() if all(pair)}


def summary(runs: dict[str, Run]) -> str:
    """A row an optimizer: how often each network is ahead, and by how much, of what either of them solved."""
    head = "| optimizer | problems | neither below 10 % | QRes ahead | plain ahead | plain ÷ QRes, median (range) |"
    rows = [head, "|" + "---|" * (head.count("|") - 1)]
    compared = pairs(runs)
    for optimizer in OPTIMIZERS:
        of_it = [pair for (_, method), pair in compared.items() if method == optimizer]
        solved = [pair for pair in of_it if min(medians(pair)[0]) < _FAILED[unit(pair)]]
        ratios = [middle[1] / middle[0] for middle, _ in map(medians, solved)]
        if not of_it:
            continue
        ahead = sum(ratio > 1 for ratio in ratios)
        cells = (optimizer, len(of_it), len(of_it) - len(solved), ahead, len(ratios) - ahead)
        spread = f"{median(ratios):.2g} ({min(ratios):.2g} to {max(ratios):.2g})" if ratios else ""
        rows.append("| " + " | ".join(map(str, (*cells, spread))) + " |")
    return "\n".join(rows) if len(rows) > 2 else _NOTHING


def table(runs: dict[str, Run]) -> str:
    """A row a problem and optimizer: medians and worst of both, and how many times smaller QRes' median is."""
    head = "| problem | optimizer | parameters | seeds | QRes, median (worst) | plain, median (worst) | plain ÷ QRes |"
    rows = [head, "|" + "---|" * (head.count("|") - 1)]
    rows += [_row(problem, optimizer, pair) for (problem, optimizer), pair in pairs(runs).items()]
    return "\n".join(rows) if len(rows) > 2 else _NOTHING


def medians(found: list[list[Run]]) -> tuple[list[float], list[str]]:
    """Of several runs each: the medians, and `median (worst)` as cells, the best in bold."""
    middle = [median(map(figure, runs)) for runs in found]
    cells = [f"{m:.1e} ({max(map(figure, runs)):.1e})" for m, runs in zip(middle, found, strict=True)]
    best = middle.index(min(middle))
    cells[best] = f"**{cells[best]}**"
    return middle, cells


def _row(problem: str, optimizer: str, pair: Pair) -> str:
    middle, cells = medians(pair)
    parameters = " / ".join(str(runs[0]["parameters"]) for runs in pair)
    seeds = " / ".join(dict.fromkeys(str(len(runs)) for runs in pair))
    row = (f"`{problem}`{unit(pair)}", optimizer, parameters, seeds, *cells, f"{middle[1] / middle[0]:.2g}")
    return "| " + " | ".join(row) + " |"
