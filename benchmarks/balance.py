"""Soft conditions with equal weights, and with weights that balance themselves: the same iterations, the same starts.

Run: `make balance`, or `python benchmarks/balance.py [--only wave kdv] [--seeds 3]`. Each core runs one at a time. It
goes on where it was; all of it takes about a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
import os
from itertools import product
from pathlib import Path

from accuracy_page import update
from balance_table import ITERATIONS, PROBLEMS, WEIGHTS, figure, name_of
from compare import source
from recording import Run, record


def main() -> None:
    """All runs, as many at a time as there are cores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=PROBLEMS, choices=PROBLEMS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--out", type=Path, default=Path("results/balance.json"))
    asked = parser.parse_args()
    limits = ["--iterations", str(asked.iterations), "--set", "tolerance=0", "--no-estimate"]
    jobs = {
        name_of(problem, balance, seed): [
            source(problem), "--set", "hard=false", "--set", f"balance={balance}", "--seed", str(seed), *limits,
        ]
        for seed in range(asked.seeds)
        for problem, balance in product(asked.only, WEIGHTS)
    }  # fmt: skip

    def describe(run: Run) -> str:
        return f"{figure(run):.2e}"

    cores = sorted(os.sched_getaffinity(0))
    record(jobs, asked.out, "python benchmarks/balance.py", describe, cores=cores)
    if asked.out.parent == Path("results"):
        update(asked.out.parent, Path("docs"))


if __name__ == "__main__":
    main()
