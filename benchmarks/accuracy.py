"""The built-in problems with their defaults: errors against the true solutions after a given time, over seeds.

Run: `make accuracy`, or `python benchmarks/accuracy.py [--seeds 3] [--only burgers "kdv 5 min"]`. It goes on where it
was; afterwards the curves and the table of `docs/accuracy.md` are drawn again (`--draw` does nothing else).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from accuracy_cases import CASES, figures, summarise
from accuracy_page import update
from recording import Run, record

from qres.results import loads


def describe(run: Run) -> str:
    """All figures of a run."""
    return ", ".join(f"{name} {value:.2e}" for name, value in figures(run).items())


def main() -> None:
    """One run after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, help="by default 5, and 3 for runs of 10 minutes and more")
    parser.add_argument("--only", nargs="*", help="the problems to run, e.g. `kdv`, or `kdv 5 min`")
    parser.add_argument("--draw", action="store_true", help="only draw the curves and the table")
    parser.add_argument("--out", type=Path, default=Path("results/accuracy.json"))
    asked = parser.parse_args()
    chosen = [
        case for case in CASES if not asked.only or case.problem in asked.only or case.name in asked.only
    ]
    jobs = {
        f"{case.name}, seed {seed}": case.arguments(seed)
        for case in ([] if asked.draw else chosen)
        for seed in range(asked.seeds or case.seeds)
    }
    if jobs:
        record(jobs, asked.out, "python benchmarks/accuracy.py", describe, summarise, curve=True)
    update(asked.out.parent, Path("docs"))
    runs = loads(asked.out.read_text())["runs"] if asked.out.exists() else {}
    for name, row in summarise(runs).items():
        for figure, found in row.items():
            if isinstance(found, dict):
                medians = f"median {found['median']:.2e}  worst {found['worst']:.2e}"
                print(f"{name:40} {figure:10} {medians}  asked {found['asked']:.0e}")
        if row["failed silently"]:
            print(f"{name:40} failed without saying so: seeds {row['failed silently']}")


if __name__ == "__main__":
    main()
