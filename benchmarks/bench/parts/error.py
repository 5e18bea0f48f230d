"""Seconds to an error of 1e-2, 1e-3 and 1e-4 on Burgers' equation, each by its own documented recipe."""

from __future__ import annotations

import tempfile
from statistics import median
from typing import Any

from bench.jobs import run_job
from bench.pace import Pace
from bench.store import Store
from bench.tables import Table, seconds

TITLE = "Time to an error on Burgers' equation"
LEVELS = (1e-2, 1e-3, 1e-4)
RECIPES: dict[str, tuple[str, dict[str, Any]]] = {
    "qres (QRes 10×8, SSBroyden)": ("qres_error", {}),
    "DeepXDE (PINN 20×3, Adam + L-BFGS), float32": ("deepxde_error", {"dtype": "float32"}),
    "DeepXDE (PINN 20×3, Adam + L-BFGS), float64": ("deepxde_error", {"dtype": "float64"}),
    "jinns (PINN 16×3, natural gradient)": ("jinns_error", {"iterations": 300}),
    "the paper (QRes 10×8, L-BFGS-B), run by qres": ("qres_error", {"preset": "paper", "time_limit": 900}),
}


def run(store: Store, pace: Pace) -> None:
    for seed in range(pace.seeds):
        for name, (job, arguments) in RECIPES.items():
            asked = {"adam": 15_000, "lbfgs": 15_000} | arguments | {"seed": seed}
            if pace.quick:
                asked |= {"adam": 50, "lbfgs": 100, "iterations": 20, "time_limit": None}
            store.measure(_key(name, seed), lambda job=job, asked=asked: _measure(job, asked))


def _key(name: str, seed: int) -> str:
    return f"time to error, {name}, seed {seed}"


def _measure(job: str, asked: dict[str, Any]) -> Any:
    """Nothing is compiled before."""
    with tempfile.TemporaryDirectory() as cache:
        return run_job(
            job, 2, asked, DDE_BACKEND="pytorch", JAX_COMPILATION_CACHE_DIR=cache, QRES_CACHE=cache
        )


def first_below(run: Any, level: float) -> float | None:
    """When an error was first seen below a level, from the start of the process."""
    return next((line[0] for line in run["history"] if line[2] <= level), None)


def without_compiling(run: Any, level: float) -> float | None:
    """The same, less what compiling took until then."""
    for line in run["history"]:
        if line[2] <= level:
            compiled = line[3] if len(line) > 3 else run.get("compile_seconds", 0.0)
            return line[0] - compiled
    return None


def runs(store: Store, name: str) -> list[Any]:
    """All seeds that were run."""
    found = [store.get(_key(name, seed)) for seed in range(10)]
    return [one for one in found if one is not None]


def _middle(values: list[float | None]) -> float | None:
    """The median over seeds, where one that was never reached counts as later than all."""
    reached = median([1e300 if value is None else value for value in values])
    return None if reached >= 1e299 else reached


def tables(store: Store) -> list[Table]:
    """Medians over the seeds, with and without compiling; the best error and when the run ended."""
    rows, to_middle = [], {}
    for name in RECIPES:
        if not (found := runs(store, name)):
            continue
        cells = []
        for level in LEVELS:
            cells.append(seconds(_middle([first_below(run, level) for run in found])))
        to_middle[name] = _middle([first_below(run, 1e-3) for run in found])
        excluded = _middle([without_compiling(run, 1e-3) for run in found])
        best = median([min(line[2] for line in run["history"]) for run in found])
        end = median([run["history"][-1][0] for run in found])
        rows.append((name, *cells, seconds(excluded), f"{best:.1e}", seconds(end), str(len(found))))
    if not rows:
        return []
    head = (
        "recipe",
        *(f"to {level:g}" for level in LEVELS),
        "to 0.001, not compiling",
        "best error",
        "end",
        "seeds",
    )
    return [
        Table("Seconds from the start of the process, imports included, median over seeds", head, rows),
        _target(store, to_middle),
    ]


def _target(store: Store, to_middle: dict[str, float | None]) -> Table:
    """Against DeepXDE's recipe; where that never gets there, the time at which it ended is a lower bound."""
    ours = to_middle.get("qres (QRes 10×8, SSBroyden)")
    rows = []
    for name, theirs in to_middle.items():
        if name.startswith("qres") or ours is None:
            continue
        if theirs is None:
            end = median([run["history"][-1][0] for run in runs(store, name)])
            rows.append((name, f"> {end / ours:.1f} (never reached; ended after {seconds(end)})"))
        else:
            rows.append((name, f"{theirs / ours:.1f}"))
    return Table("qres is faster to 1e-3 by (target: 20 against DeepXDE)", ("recipe", "factor"), rows)
