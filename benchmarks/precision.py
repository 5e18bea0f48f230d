"""Runs of the paper once more, with loss and gradient in float32: what the paper's software computed in.

Run: `make precision`, or `python benchmarks/precision.py [--seeds 5] [--only "burgers, QRes"]`. SciPy's L-BFGS-B with
the paper's options goes on until it ends by itself. It writes `results/precision.json`, and goes on where it was; it
takes two hours.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import jax
import numpy as np
from recording import Run, record
from scipy.optimize import minimize

from qres.fields import known_solution
from qres.optimizers import LBFGS, parse_stages
from qres.results import dumps, loads
from qres.runs import now, read_specification
from qres.runtime.jax_config import configure
from qres.solution import Solution
from qres.training._assembly import build_model, build_objective

PRESETS = {"PINN": "paper-pinn", "QRes": "paper"}
PROBLEMS = ("burgers", "burgers-inverse", "kdv-inverse", "allen-cahn-discrete")
_EVALUATIONS = 50_000  # the paper's limit


def solved(problem: str, preset: str, seed: int) -> dict[str, Any]:
    """One run in this process, which computes in float32 from here on."""
    configure()
    jax.config.update("jax_enable_x64", False)
    specification = replace(read_specification(problem, preset=preset), seed=seed).measured()
    network = build_model(specification, None)
    model = jax.tree.map(lambda leaf: np.asarray(leaf, np.float32), network)
    objective = build_objective(specification, specification.problem, model)
    target, start = objective.engine.target, objective.start
    batch = objective.batch(objective.draw(jax.random.key(seed)))
    assert start.dtype == np.float32
    begun = time.perf_counter()
    for stage in parse_stages(specification.stages)[:-1]:  # Adam, where the paper has it
        assert stage.iterations is not None
        start = stage.step(target, stage.init(target, start, batch), batch, stage.iterations).theta

    def evaluate(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, grad = target.evaluate(jax.device_put(theta.astype(np.float32), start.sharding), batch)
        return float(value), np.asarray(grad, dtype=float)

    options = {
        "maxcor": LBFGS.memory, "maxls": LBFGS.line_search, "ftol": LBFGS.ftol, "gtol": LBFGS.gtol,
        "maxiter": _EVALUATIONS, "maxfun": _EVALUATIONS,
    }  # fmt: skip
    found = minimize(evaluate, np.asarray(start, dtype=float), jac=True, method="L-BFGS-B", options=options)
    model = objective.model(found.x.astype(np.float32))
    solution = Solution(specification.problem, model, scheme=objective.scheme)
    truth = known_solution(specification.problem, objective.scheme)
    assert truth is not None
    unknowns = {name: float(value) for name, value in model.parameters(specification.problem).items()}
    true = {name: unknown.true for name, unknown in specification.problem.unknowns.items()}
    percents = {
        n: 100 * abs(v / float(t) - 1) for n, v in unknowns.items() if isinstance(t := true[n], float)
    }
    return {
        "date": now(), "seed": seed, "seconds": round(time.perf_counter() - begun, 1), "parameters": len(found.x),
        "options": options, "iterations": int(found.nit), "evaluations": int(found.nfev), "stopped": found.message,
        "loss": float(found.fun), "errors": solution.errors_against(truth), "percents": percents,
        "specification": specification.to_dict(),
    }  # fmt: skip


def _alone(arguments: list[str], *, curve: bool, core: int | None) -> Run:
    """A run in a process of its own, on one core."""
    one = [] if core is None else ["taskset", "-c", str(core)]
    command = [*one, sys.executable, __file__, "--one", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return loads(done.stdout.splitlines()[-1])


def main() -> None:
    """All runs that the file does not hold yet, one a core."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("results/precision.json"))
    parser.add_argument("--only", metavar="TEXT", default="", help="runs whose names begin with it")
    parser.add_argument(
        "--one", nargs=3, metavar=("PROBLEM", "PRESET", "SEED"), help="one run, printed as JSON"
    )
    asked = parser.parse_args()
    if asked.one:
        problem, preset, seed = asked.one
        print(dumps(solved(problem, preset, int(seed))))
        return
    jobs = {
        f"{problem}, {label}, seed {seed}": [problem, preset, str(seed)]
        for seed, problem in product(range(asked.seeds), PROBLEMS)
        for label, preset in PRESETS.items()
    }
    jobs = {name: arguments for name, arguments in jobs.items() if name.startswith(asked.only)}

    def describe(run: Run) -> str:
        shown = ", ".join(f"{key} {value:.2e}" for key, value in (run["percents"] or run["errors"]).items())
        return f"{shown} after {run['iterations']} iterations"

    cores = sorted(os.sched_getaffinity(0))
    record(jobs, asked.out, "python benchmarks/precision.py", describe, cores=cores, runner=_alone)


if __name__ == "__main__":
    main()
