"""The built-in problems with their defaults: errors against the true solutions after a given time, over seeds.

Run: `make accuracy`, or `python benchmarks/accuracy.py [--seeds 3] [--only burgers kdv]`. It goes on where it was.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from recording import Run, record


@dataclass(frozen=True)
class Case:
    """A problem, how long it may take, and the figures that are asked for: error by field, percent by unknown."""

    problem: str
    minutes: float
    wanted: dict[str, float]
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Of the problem, its options and its time."""
        return " ".join([self.problem, *self.options, f"{self.minutes:g} min"])

    def arguments(self, seed: int) -> list[str]:
        """Of `qres solve`."""
        return [self.problem, *self.options, "--seed", str(seed), "--time-limit", f"{60 * self.minutes:g}"]


CASES = (
    Case("kdv-inverse", 1, {"lambda_1": 0.005, "lambda_2": 0.005}),
    Case("allen-cahn-discrete", 2, {"u": 1e-3}),
    Case("allen-cahn", 2, {"u": 5e-4}),
    Case("schrodinger", 2, {"h": 1e-3}),
    Case("kdv", 3, {"u": 1e-3}),
    Case("navier-stokes-inverse", 10, {"lambda_1": 0.04, "lambda_2": 2.0, "p": 0.02}),
    Case("burgers", 1, {"u": 1e-5}),
    Case("burgers-inverse", 1, {"lambda_1": 5e-4, "lambda_2": 1e-2}),
    Case("kdv", 5, {"u": 1e-4}),
    Case("navier-stokes-inverse", 10, {"lambda_1": 0.05, "lambda_2": 4.0}, ("--noise", "0.01")),
    Case("burgers", 5, {"u": 5e-7}),
    Case("allen-cahn-discrete", 10, {"u": 2e-4}),
    Case("schrodinger", 20, {"h": 2e-4}),
    Case("allen-cahn", 20, {"u": 5e-5}),
    Case("burgers", 20, {"u": 3e-8}),
)


def figures(run: Run) -> dict[str, float]:
    """Errors of the fields, and of the unknowns in percent."""
    return {**run["errors"], **{name: found["percent"] for name, found in run["unknowns"].items()}}


def describe(run: Run) -> str:
    """All figures of a run."""
    return ", ".join(f"{name} {value:.2e}" for name, value in figures(run).items())


def summarise(runs: dict[str, Run]) -> dict[str, Any]:
    """Median and worst over the seeds, beside what is asked for."""
    summary: dict[str, Any] = {}
    for case in CASES:
        found = [figures(run) for name, run in runs.items() if name.startswith(f"{case.name}, seed")]
        if found:
            summary[case.name] = {
                name: {
                    "median": median(one[name] for one in found),
                    "worst": max(one[name] for one in found),
                    "asked": asked,
                    "seeds": len(found),
                }
                for name, asked in case.wanted.items()
            }
    return summary


def main() -> None:
    """One run after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="the problems to run, e.g. `kdv`, or `kdv 5 min`")
    parser.add_argument("--out", type=Path, default=Path("results/accuracy.json"))
    asked = parser.parse_args()
    chosen = [
        case for case in CASES if not asked.only or case.problem in asked.only or case.name in asked.only
    ]
    jobs = {
        f"{case.name}, seed {seed}": case.arguments(seed) for case in chosen for seed in range(asked.seeds)
    }
    command = f"python benchmarks/accuracy.py --seeds {asked.seeds}"
    for name, row in summarise(record(jobs, asked.out, command, describe, summarise, curve=True)).items():
        for figure, found in row.items():
            medians = f"median {found['median']:.2e}  worst {found['worst']:.2e}"
            print(f"{name:32} {figure:10} {medians}  asked {found['asked']:.0e}")


if __name__ == "__main__":
    main()
