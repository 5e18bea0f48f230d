"""Every example and built-in problem, solved within half a minute on one core, with a picture: the gallery of the site.

Run: `make gallery`, or `python benchmarks/gallery.py [--only NAME …] [--time-limit 30]`. It goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from recording import Run, record

import qres
from qres import plots
from qres.problems import library
from qres.results import loads
from qres.runs import now
from qres.runtime.files import replace_file

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "images" / "gallery"
_KEPT = (
    "problem", "network", "parameters", "seed", "optimizer", "iterations", "seconds", "cpu_seconds", "stopped", "loss",
    "errors", "unknowns", "versions",
)  # fmt: skip
_DPI = 80


def jobs(limit: float) -> dict[str, list[str]]:
    """The arguments of `qres solve` by the name of the problem: the library, then the examples."""
    files = {path.stem: str(path) for path in sorted((ROOT / "examples").glob("*.toml"))}
    return {
        name: [what, "--time-limit", f"{limit:g}"]
        for name, what in {**{name: name for name in library.names()}, **files}.items()
    }


def run_with_picture(arguments: list[str], *, core: int | None, **_: Any) -> Run:
    """A run of the command line, and the picture of the fields that it found."""
    name = Path(arguments[0]).stem
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [sys.executable, "-m", "qres", "solve", *arguments, "--json", "--out", str(run)]
        one = [] if core is None else ["taskset", "-c", str(core)]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run([*one, *command], stdout=subprocess.PIPE, text=True, env=environment)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"exit status {done.returncode}: {' '.join(command)}")
        summary = loads(done.stdout.splitlines()[-1])
        draw(qres.load(run / "solution.qres"), PICTURES / f"{name}.png")
    verdict = (summary.get("estimate") or {}).get("verdict", "")
    shown = f"qres solve {Path(arguments[0]).name} {' '.join(arguments[1:])}"
    kept = {key: summary[key] for key in _KEPT if key in summary}
    return {"command": shown, "date": now(), "cores": 1, **kept, "verdict": verdict}


def draw(solution: qres.Solution, path: Path) -> None:
    """The first row of the solution's picture."""
    truth = solution.reference
    found = solution.to_xarray() if truth is None else solution.on_grid_of(truth)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = plots.field_rows(found, truth)[:1]
    replace_file(path, plots.render(plots.compose(rows), "png", _DPI))


def describe(run: Run) -> str:
    """A run in a line."""
    errors = [f"{name} {error:.1e}" for name, error in run["errors"].items()]
    return ", ".join(errors) or run["verdict"]


def main() -> None:
    """One run after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time-limit", type=float, default=30.0)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "gallery.json")
    asked = parser.parse_args()
    wanted = {name: job for name, job in jobs(asked.time_limit).items() if name in (asked.only or [name])}
    command = f"python benchmarks/gallery.py --time-limit {asked.time_limit:g}"
    record(wanted, asked.out, command, describe, cores=[asked.core], runner=run_with_picture)


if __name__ == "__main__":
    main()
