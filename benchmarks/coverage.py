"""Do the 95 % intervals hold? Many noisy data sets of one cheap problem, and how often the truth is inside.

Run: `make coverage`, or `python benchmarks/coverage.py [--sets 100] [--out FILE]`. It goes on where it was cut off.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import qres
from qres.results import dumps, loads
from qres.runs import now as date
from qres.runs import versions

TRUE = {"k": 0.8, "s": 1.5}
NOISE, POINTS = 0.02, 40
ITERATIONS = 1200


def solution_of(t: np.ndarray) -> np.ndarray:
    """`u' = k u (1 - u/s)`, `u(0) = 0.2`: logistic growth, in closed form."""
    return TRUE["s"] / (1 + (TRUE["s"] / 0.2 - 1) * np.exp(-TRUE["k"] * t))


def problem_of(number: int) -> qres.Problem:
    """The problem with its own noise and measuring times."""
    generator = np.random.default_rng(number)
    t = np.sort(generator.uniform(0, 8, POINTS))
    u = solution_of(t) + NOISE * generator.standard_normal(POINTS)
    return qres.Problem(
        "u_t = k*u*(1 - u/s)",
        {"t": (0, 8)},
        ["u(0) = 0.2"],
        unknowns={"k": qres.Positive(0.3, true=TRUE["k"]), "s": qres.Positive(1.0, true=TRUE["s"])},
        data=qres.Data({"t": t, "u": u}),
        name="logistic",
    )


def fit(number: int) -> dict[str, object]:
    """One data set: estimates, standard errors, and whether the truth is inside."""
    begun = time.perf_counter()
    found = qres.solve(
        problem_of(number),
        qres.Architecture("qres", width=8, depth=2),
        sampling=qres.Sampling(points=200),
        seed=number,
        progress=False,
        iterations=ITERATIONS,
    )
    unknowns = {
        name: one.to_dict() | {"inside": bool(abs(one.value - one.true) <= 1.96 * one.stderr)}
        for name, one in found.unknowns.items()
    }
    return {
        "set": number, "unknowns": unknowns, "noise": found.result.noise, "stopped": found.result.stopped.to_dict(),
        "seconds": round(time.perf_counter() - begun, 2),
    }  # fmt: skip


def main() -> None:
    """All data sets, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("results/coverage.json"))
    asked = parser.parse_args()
    partial = asked.out.with_suffix(".partial.jsonl")
    done = [loads(line) for line in partial.read_text().splitlines()] if partial.exists() else []
    done = done[: asked.sets]
    for number in range(len(done), asked.sets):
        done.append(fit(number))
        with partial.open("a") as file:
            file.write(dumps(done[-1]) + "\n")
        inside = {name: sum(d["unknowns"][name]["inside"] for d in done) for name in TRUE}
        print(f"{number + 1}/{asked.sets}  inside {inside}", flush=True)
    inside = {name: sum(d["unknowns"][name]["inside"] for d in done) for name in TRUE}
    specification = {
        "problem": problem_of(0).to_dict(), "true": TRUE, "noise": NOISE, "points": POINTS, "network": "qres 8x2",
        "collocation_points": 200, "optimizer": "ssbroyden", "iterations": ITERATIONS, "seeds": list(range(asked.sets)),
    }  # fmt: skip
    result = {
        "command": f"python benchmarks/coverage.py --sets {asked.sets}", "date": date(), "versions": versions(),
        "seconds": round(sum(d["seconds"] for d in done), 1), "specification": specification,
        "sets": asked.sets, "inside": inside, "runs": done,
    }  # fmt: skip
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(dumps(result, indent=1) + "\n")
    partial.unlink()
    print(f"{asked.out}: of {asked.sets} data sets, the 95 % interval holds the truth in {inside}")


if __name__ == "__main__":
    main()
