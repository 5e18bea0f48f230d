"""Time to 1e-4 and to 1e-8 with a classical solver and with qres, and unknowns from the same measurements.

Run: `make classical`, or `PYTHONPATH=benchmarks python -m classical [--only NAME …]`. Everything runs on one core;
times are CPU seconds of the process, without imports, with compilation. It goes on where it was;
`--draw` only writes the tables.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from recording import Run

import qres
from classical.forward import CASES, levels
from classical.inverse import INVERSE, measurements
from classical.page import update
from qres.results import dumps, loads
from qres.runs import Specification, now, read_specification, versions
from qres.runtime.files import replace_file

ROOT = Path(__file__).parents[2]
GOALS = (1e-4, 1e-8)
_REPEATS = 3


def _timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """The least CPU time of a few calls, and what came out."""
    best, found = float("inf"), None
    for _ in range(_REPEATS):
        begun = time.process_time()
        found = function()
        best = min(best, time.process_time() - begun)
    return best, found


def classical(name: str) -> Run:
    """The first resolution that reaches each goal."""
    reached, tried, method = {}, [], ""
    for case, level in levels(name):
        seconds, found = _timed(lambda case=case, level=level: case.solve(level))
        error, method = case.error(found), case.method
        tried.append({"level": level, "seconds": seconds, "error": error})
        for goal in GOALS:
            if error <= goal:
                reached.setdefault(f"{goal:g}", seconds)
        if error <= GOALS[-1]:
            break
    return {"method": method, "reached": reached, "tried": tried}


def specification_of(name: str) -> Specification:
    """The problem as an example or as a built-in one, as it comes."""
    file = ROOT / "examples" / f"{name}.toml"
    return read_specification(str(file) if file.exists() else name)


def with_qres(name: str, budget: float) -> Run:
    """CPU seconds until the error was seen to be below each goal, at most `budget` of them."""
    specification = specification_of(name)
    if name == "lotka-volterra":
        specification = _with_reference(specification)
    reached: dict[str, float] = {}
    newest: dict[str, Any] = {}

    def watch(run: Any) -> Any:
        record = run.record
        if record.errors:
            worst = max(record.errors.values())
            newest.update(seconds=record.cpu_seconds, error=worst)
            for goal in GOALS:
                if worst <= goal:
                    reached.setdefault(f"{goal:g}", record.cpu_seconds)
        over = record.cpu_seconds > budget or f"{GOALS[-1]:g}" in reached
        return run.stop("the budget of the benchmark") if over else None

    solution = qres.solve(specification, callbacks=[watch], iterations=100_000, progress=False)
    return {"reached": reached, **newest, "stopped": solution.result.stopped.message}


def _with_reference(specification: Specification) -> Specification:
    """Rates without an exact solution: the reference is a tight tolerance of another method than the one compared."""
    import dataclasses

    import numpy as np
    from scipy.integrate import solve_ivp

    from classical.forward import lotka_volterra

    times = np.linspace(0, 4, 201)
    found = solve_ivp(lotka_volterra, (0, 4), [1.0, 0.5], "Radau", times, rtol=1e-13, atol=1e-14)
    file = Path(os.environ.get("TMPDIR", "/tmp")) / "lotka-volterra-reference.npz"
    np.savez(file, t=times, u=found.y[0], v=found.y[1])
    stated = {**specification.problem.to_dict(), "reference": {"file": str(file)}}
    return dataclasses.replace(specification, problem=qres.Problem.from_dict(stated))


def inverse(name: str, budget: float) -> Run:
    """Unknowns by least_squares around a solver, and by qres, from the same numbers."""
    base, _, noise = name.partition(" --noise ")
    specification = specification_of(base)
    if noise:
        import dataclasses

        problem = specification.problem.measured(0, noise=float(noise))
        specification = dataclasses.replace(specification, problem=problem)
    data = measurements(specification.problem)
    seconds, found = _timed(lambda: INVERSE[name].fit(data))
    limited = qres.solve(specification, time_limit=budget, progress=False)
    true = {key: unknown.true for key, unknown in specification.problem.unknowns.items()}
    return {
        "true": true,
        "classical": {"method": INVERSE[name].method, "seconds": seconds, "unknowns": found},
        "qres": {
            "seconds": limited.result.cpu_seconds,
            "unknowns": {key: (one.value, one.stderr) for key, one in limited.unknowns.items()},
            "stopped": limited.result.stopped.message,
        },
    }


def main() -> None:
    """Everything that is not recorded yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--budget", type=float, default=60.0, help="CPU seconds of qres on a forward problem")
    parser.add_argument("--draw", action="store_true", help="only write the tables of the page")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "classical.json")
    asked = parser.parse_args()
    runs: dict[str, Run] = loads(asked.out.read_text())["runs"] if asked.out.exists() else {}
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for name in [] if asked.draw else [*CASES, *INVERSE]:
        if name in runs or name not in (asked.only or [name]):
            continue
        both = (
            inverse(name, asked.budget)
            if name in INVERSE
            else {"classical": classical(name), "qres": with_qres(name, asked.budget)}
        )
        runs[name] = {"date": now(), **both}
        print(name, runs[name], flush=True)
        command = f"PYTHONPATH=benchmarks python -m classical --budget {asked.budget:g}"
        content = {"command": command, "versions": versions(), "runs": runs}
        replace_file(asked.out, (dumps(content, indent=1) + "\n").encode())
    update(runs, ROOT / "docs" / "when-not.md")


if __name__ == "__main__":
    main()
