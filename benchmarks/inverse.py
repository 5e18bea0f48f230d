"""Noisy inverse problems within a minute each: unknowns, intervals, and whether the truth is inside.

Run: `make inverse`, or `python benchmarks/inverse.py [--draws 5] [--out FILE]`. It goes on where it was.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from typing import Any

from recording import Run, record

EXAMPLES = Path(__file__).parent.parent / "examples"


def describe(run: Run) -> str:
    """Every unknown: its error in percent, its standard error likewise, and whether the truth is inside."""
    parts = []
    for name, found in run["unknowns"].items():
        if found["true"] is None:
            parts.append(f"{name} {found['value']:.4g} ± {1.96 * found['stderr']:.1g}")
            continue
        inside = "inside" if abs(found["value"] - found["true"]) <= 1.96 * found["stderr"] else "outside"
        parts.append(
            f"{name} off {found['percent']:.2g} % (stderr {100 * found['stderr'] / abs(found['true']):.2g} %, {inside})"
        )
    return "; ".join(parts)


def summarise(runs: dict[str, Run]) -> dict[str, Any]:
    """Medians over the draws."""
    summary: dict[str, Any] = {}
    chosen = [run for name, run in runs.items() if name.startswith("burgers, noise")]
    for unknown in ("lambda_1", "lambda_2") if chosen else ():
        found = [run["unknowns"][unknown] for run in chosen]
        inside = sum(abs(one["value"] - one["true"]) <= 1.96 * one["stderr"] for one in found)
        percents = [one["percent"] for one in found]
        summary[f"noise, {unknown}"] = {
            "median percent": median(percents),
            "worst percent": max(percents),
            "inside the 95 % interval": f"{inside} of {len(found)}",
        }
    return summary


def main() -> None:
    """One run after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("results/inverse.json"))
    asked = parser.parse_args()
    limit = ["--time-limit", "60"]
    noisy = {
        f"burgers, noise 1 %, {seed}": ["burgers-inverse", "--noise", "0.01", "--seed", str(seed), *limit]
        for seed in range(asked.draws)
    }
    files = {name: [str(EXAMPLES / f"{name}.toml"), *limit] for name in ("rod", "hares", "confounded")}
    record(
        {**noisy, **files},
        asked.out,
        f"python benchmarks/inverse.py --draws {asked.draws}",
        describe,
        summarise,
    )


if __name__ == "__main__":
    main()
