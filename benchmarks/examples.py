"""Every example with a known solution, solved from the command line within a time limit; the errors go to one file.

Run: `make examples`, or `python benchmarks/examples.py [--time-limit 60] [--out FILE]`. It goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from qres.training import now, versions

EXAMPLES = Path(__file__).parent.parent / "examples"
WITHOUT_TRUTH = ("lotka-volterra", "rod", "hares", "confounded")


def solve(source: str, seed: int, time_limit: float) -> dict[str, Any]:
    """One run of `qres solve … --json`, in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "qres", "solve", source, "--seed", str(seed), "--json"]
        command += ["--time-limit", f"{time_limit:g}", "--out", str(Path(folder) / "run")]
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        summary = json.loads(printed.splitlines()[-1])
        specification = tomllib.loads((Path(folder) / "run" / "specification.toml").read_text())
    return {k: v for k, v in summary.items() if k != "run"} | {"specification": specification, "date": now()}


def main() -> None:
    """The flagship with three seeds, then all examples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("results/examples.json"))
    asked = parser.parse_args()
    jobs = [("burgers", seed) for seed in range(3)]
    jobs += [(path.stem, 0) for path in sorted(EXAMPLES.glob("*.toml")) if path.stem not in WITHOUT_TRUTH]
    recorded = json.loads(asked.out.read_text())["runs"] if asked.out.exists() else {}
    for name, seed in jobs:
        if f"{name}-{seed}" in recorded:
            continue
        source = name if name == "burgers" else str(EXAMPLES / f"{name}.toml")
        recorded[f"{name}-{seed}"] = run = solve(source, seed, asked.time_limit)
        print(f"{name:22} seed {seed}  {run['seconds']:6.1f} s  {run['errors']}", flush=True)
        command = f"python benchmarks/examples.py --time-limit {asked.time_limit:g}"
        content = {"command": command, "versions": versions(), "runs": recorded}
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
