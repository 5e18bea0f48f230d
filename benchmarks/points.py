"""Points that adapt, against all of them from the first: the default recipes, 60 seconds of one core a run.

Run: `make points`, or `python benchmarks/points.py [--only burgers kdv] [--seeds 3]`. Each core runs one at a time. It
goes on where it was; all of it takes a quarter of an hour on two cores. The runs with all points are `make compare`'s.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from accuracy_cases import source_of
from accuracy_page import record_each
from compare import time_alone
from compare_table import figure
from points_table import PROBLEMS


def main() -> None:
    """All runs, as many at a time as there are cores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=PROBLEMS, choices=PROBLEMS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("results/points.json"))
    asked = parser.parse_args()
    if asked.time_limit != 60.0 and asked.out == parser.get_default("out"):
        parser.error("--time-limit: runs of another length need a file of their own, --out")
    jobs = {
        f"{problem}, seed {seed}": [source_of(problem), "--seed", str(seed), *time_alone(asked.time_limit)]
        for seed in range(asked.seeds)
        for problem in asked.only
    }
    record_each(jobs, asked.out, "python benchmarks/points.py", lambda run: f"{figure(run):.2e}")


if __name__ == "__main__":
    main()
