"""Points that adapt, against all of them from the first: the default recipes, 60 seconds of one core a run.

Run: `make points`, or `python benchmarks/points.py [--only burgers kdv] [--seeds 3]`. Each core runs one at a time. It
goes on where it was; all of it takes a quarter of an hour on two cores. The runs with all points are `make compare`'s.
"""

from __future__ import annotations

from accuracy_cases import source_of
from accuracy_page import record_each
from compare import time_alone
from compare_table import figure
from points_table import PROBLEMS
from recording import options, parsed


def main() -> None:
    """All runs, as many at a time as there are cores."""
    parser = options(__doc__, PROBLEMS, seeds=3, out="results/points.json")
    parser.add_argument("--time-limit", type=float, default=60.0)
    asked = parsed(parser, "time_limit")
    jobs = {
        f"{problem}, seed {seed}": [source_of(problem), "--seed", str(seed), *time_alone(asked.time_limit)]
        for seed in range(asked.seeds)
        for problem in asked.only
    }
    record_each(jobs, asked.out, "python benchmarks/points.py", lambda run: f"{figure(run):.2e}")


if __name__ == "__main__":
    main()
