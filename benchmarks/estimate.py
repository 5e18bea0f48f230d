"""How well does `solution.estimate()` follow the true error? Solutions on their way, from 1e-1 to 1e-8, and a picture.

Run: `make estimate`, or `python benchmarks/estimate.py [--only heat kdv]`. It goes on where it was: solutions are kept
in a folder, estimates in the JSON file.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import marked
import numpy as np
import xarray as xr
from matplotlib.axes import Axes

import qres
from qres import plots
from qres.fields import relative_error
from qres.results import dumps, loads
from qres.runs import now, versions
from qres.runtime.files import replace_file
from qres.solution import Solution

ROOT = Path(__file__).parent.parent
PROBLEMS = (
    "oscillator", "heat", "poisson-2d", "robin", "fisher", "wave", "periodic", "helmholtz", "beam",
    "schroedinger-linear", "stokes-stream", "kuramoto-sivashinsky", "burgers", "allen-cahn", "schrodinger", "kdv",
)  # fmt: skip
ITERATIONS = (40, 120, 360, 900)
Piece = dict[str, Any]


def snapshots(name: str, folder: Path) -> dict[int, Solution]:
    """One run's solution at each of `ITERATIONS`; made if the folder does not have them."""
    files = {count: folder / f"{name}-{count}.qres" for count in ITERATIONS}
    if not all(file.exists() for file in files.values()):
        example = ROOT / "examples" / f"{name}.toml"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as place:
            run = Path(place) / "run"
            source = example if example.exists() else name
            qres.solve(source, snapshots=ITERATIONS[:-1], iterations=ITERATIONS[-1], run=run, progress=False)
            for count, file in files.items():
                kept = run / "snapshots" / f"{count}.qres"
                shutil.copy(kept if kept.exists() else run / "solution.qres", file)
    return {count: qres.load(file) for count, file in files.items()}


def measure(solution: Solution, later: Solution | None) -> Piece:
    """The true error of each field, its estimate, and what else might be taken for one."""
    begun, cpu = time.perf_counter(), time.process_time()
    found = solution.estimate()
    cost = {"seconds": time.perf_counter() - begun, "cpu_seconds": time.process_time() - cpu}
    truth = solution.reference
    assert truth is not None
    change = {} if later is None else _change(solution.on_grid_of(truth), later.on_grid_of(truth), truth)
    return {
        "true": solution.errors, "estimate": found.errors, "unexplained": found.unexplained, "change": change,
        "residual": max(one["fresh"] or 0.0 for one in found.residuals.values()), "verdict": found.verdict,
        "warnings": list(found.warnings), **{name: round(value, 2) for name, value in cost.items()},
    }  # fmt: skip


def _change(now: xr.Dataset, later: xr.Dataset, truth: xr.Dataset) -> dict[str, float]:
    """What a solution and a later one differ by, in the measure of its error."""
    names = [str(name) for name in truth.data_vars if name in now]
    return {n: relative_error((truth[n] + now[n] - later[n]).values, truth[n].values) for n in names}


def pairs(runs: dict[str, Piece], what: str) -> tuple[np.ndarray, np.ndarray]:
    """True errors, and the estimates of them of one kind; the residual counts for every field."""
    found = [
        (true, piece[what] if what == "residual" else piece[what][name])
        for piece in runs.values()
        for name, true in piece["true"].items()
        if what == "residual" or name in piece[what]
    ]
    return np.array([a for a, _ in found]), np.array([b for _, b in found])


def summarise(runs: dict[str, Piece]) -> dict[str, Any]:
    """For each kind of estimate, its ratio to the true error: median, and how many are within factors of it."""
    summary: dict[str, Any] = {}
    for what in ("estimate", "change", "residual"):
        true, guess = pairs(runs, what)
        ratio = np.maximum(guess, 1e-300) / true
        off = np.maximum(ratio, 1 / ratio)
        summary[what] = {
            "fields": len(true), "median ratio": float(np.median(ratio)), "within 20 %": float(np.mean(off < 1.2)),
            "within a factor of 2": float(np.mean(off < 2)), "within a factor of 10": float(np.mean(off < 10)),
            "worst factor": float(off.max()),
        }  # fmt: skip
    summary["cpu seconds, median"] = float(np.median([piece["cpu_seconds"] for piece in runs.values()]))
    return summary


def table(runs: dict[str, Piece]) -> str:
    """The summary, a row for each thing that may be taken for the error."""
    summary = summarise(runs)
    names = {
        "estimate": ("**the correction in splines**", f"{summary['cpu seconds, median']:.1f} s of one core"),
        "change": ("the change by training up to three times as long", "twice the run"),
        "residual": ("the largest residual, as a share of its terms", "nothing"),
    }
    head = "| taken for the error | median ratio to it | within 20 % | a factor of 2 | of 10 | worst factor | cost |"
    rows = [head, "|" + "---|" * (head.count("|") - 1)]
    for what, (title, cost) in names.items():
        one = summary[what]
        shares = (one["within 20 %"], one["within a factor of 2"], one["within a factor of 10"])
        cells = [
            f"{one['median ratio']:.2f}",
            *(f"{100 * s:.0f} %" for s in shares),
            f"{one['worst factor']:.2g}",
        ]
        rows.append(f"| {' | '.join([title, *cells, cost])} |")
    return "\n".join(rows)


def draw(runs: dict[str, Piece], path: Path) -> None:
    """Estimates against true errors; beside them, residuals, which say little of an error."""

    def panel(what: str, title: str, colour: str) -> Any:
        def paint(axes: Axes) -> None:
            true, guess = pairs(runs, what)
            ends = [1e-9, 10]
            axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel="true error", ylabel=title)
            axes.plot(ends, ends, color=plots.MUTED, linewidth=0.8)
            for factor in (0.1, 10):
                axes.plot(
                    ends, [factor * end for end in ends], color=plots.MUTED, linewidth=0.6, linestyle=":"
                )
            axes.plot(true, guess, "o", color=colour, markersize=3.5, alpha=0.8, markeredgewidth=0)
            plots.add_grid(axes)
            plots.style_axes(axes)

        return plots.Panel(paint, f"{title} against the true error", plots.WIDE, plots.WIDE)

    row = [
        panel("estimate", "estimate", plots.SERIES[0]),
        panel("residual", "residual, as a share of its terms", plots.SERIES[1]),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    plots.save(plots.compose([row]), path)


def main() -> None:
    """One problem after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=PROBLEMS)
    parser.add_argument("--solutions", type=Path, default=Path("runs/estimate"))
    parser.add_argument("--out", type=Path, default=Path("results/estimate.json"))
    parser.add_argument("--picture", type=Path, default=Path("docs/images/estimate.png"))
    asked = parser.parse_args()
    runs: dict[str, Piece] = loads(asked.out.read_text())["runs"] if asked.out.exists() else {}
    for name in asked.only or PROBLEMS:
        if all(f"{name}, {count} iterations" in runs for count in ITERATIONS):
            continue
        found = snapshots(name, asked.solutions)
        for count, later in zip(ITERATIONS, [*ITERATIONS[1:], None], strict=True):
            piece = measure(found[count], None if later is None else found[later])
            runs[f"{name}, {count} iterations"] = {"date": now(), **piece}
            print(f"{name:22} {count:5}  true {piece['true']}  estimate {piece['estimate']}", flush=True)
        content = {
            "command": "python benchmarks/estimate.py", "versions": versions(), "summary": summarise(runs),
            "runs": runs,
        }  # fmt: skip
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(dumps(content, indent=1) + "\n")
    draw(runs, asked.picture)
    page = ROOT / "docs" / "estimate.md"
    replace_file(page, marked.filled(page.read_text(), {"table": table(runs)}).encode())
    print(dumps(summarise(runs), indent=1))


if __name__ == "__main__":
    main()
