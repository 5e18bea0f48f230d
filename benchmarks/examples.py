"""Every example with a known solution, within a minute each; the built-in problems are in `accuracy.py`.

Run: `make examples`, or `python benchmarks/examples.py [--time-limit 60] [--out FILE]`. It goes on where it was.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from recording import Run, record

EXAMPLES = Path(__file__).parent.parent / "examples"
WITHOUT_TRUTH = ("lotka-volterra", "rod", "hares", "confounded", "plate")


def main() -> None:
    """One run after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("results/examples.json"))
    asked = parser.parse_args()
    limit = ["--time-limit", f"{asked.time_limit:g}"]
    files = [path for path in sorted(EXAMPLES.glob("*.toml")) if path.stem not in WITHOUT_TRUTH]
    jobs = {path.stem: [str(path), *limit] for path in files}

    def errors(run: Run) -> str:
        return ", ".join(f"{name} {error:.1e}" for name, error in run["errors"].items())

    record(jobs, asked.out, f"python benchmarks/examples.py --time-limit {asked.time_limit:g}", errors)


if __name__ == "__main__":
    main()
