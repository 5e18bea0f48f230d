"""Makes golden files: solutions and run folders of a release, with their values at fixed points.

Run once a release, `python tests/golden/make.py tests/golden/0.2`, and keep what it writes: later code must read it.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import qres

KEPT = "release"  # the case whose checkpoint is kept, with what comes of going on
RESUMED = 15  # iterations then
PERIODIC = {"t": [0, 0.5], "x": [-1, 1]}
CASES: dict[str, Any] = {
    "faces": "burgers",
    "waves": "schrodinger",
    "smoothing": "allen-cahn",
    "release": {
        "equations": "u_tt + 400*u = 0",
        "domain": {"t": [0, 3]},
        "conditions": ["u(0) = 1", "u_t(0) = 0"],
    },
    "surfaces": {
        "equations": "u_xx + u_yy = -4",
        "domain": {"x": [-1, 1], "y": [-1, 1]},
        "inside": "x^2 + y^2 < 1",
        "conditions": "u = 0 on boundary",
        "hard": True,
    },
    "soft": {
        "equations": "u_t = k*u_xx",
        "domain": PERIODIC,
        "conditions": ["u(0, x) = cos(pi*x)", "u_x(t, -1) = 0", "u_x(t, 1) = 0"],
        "unknowns": {"k": 0.3},
    },
    "discrete": "kdv-inverse",
    "windows": {
        "equations": "u_t = 0.1*u_xx + u*(1 - u)",
        "domain": {"t": [0, 1], "x": [0, 1]},
        "conditions": ["u(0, x) = x*(1 - x)", "u(t, 0) = 0", "u(t, 1) = 0"],
        "hard": True,
    },
}
WINDOWS = {"windows": qres.Windows(2, features=40)}


def points(problem: qres.Problem) -> dict[str, np.ndarray]:
    """Points inside the box, the same ever after."""
    share = (np.arange(1, 8) * 0.381966) % 1.0
    return {
        name: low + (high - low) * (0.2 + 0.6 * ((share * (place + 1)) % 1.0))
        for place, (name, (low, high)) in enumerate(problem.bounds.items())
    }


def values(solution: qres.Solution, where: dict[str, np.ndarray]) -> dict[str, Any]:
    """Fields, and their slopes where time is continuous."""
    names = list(solution.problem.fields)
    if solution.scheme is None:
        names += [f"{field}_{c}" for field in solution.problem.fields for c in solution.problem.coordinates]
    return {name: solution(name, **where).tolist() for name in names}


def solve(name: str, folder: Path) -> qres.Solution:
    """A case after a few iterations, in a run folder."""
    stated = CASES[name]
    problem = qres.read_specification(stated) if isinstance(stated, str) else qres.Problem(**stated)
    discrete = isinstance(problem, qres.Specification) and problem.time is not None
    return qres.solve(
        problem,
        qres.Architecture("qres", 6, 2),
        optimizer="ssbroyden",
        sampling=None if discrete else qres.Sampling(points=200),
        windows=WINDOWS.get(name),
        iterations=10,
        run=folder,
        progress=False,
        estimate=False,
    )


def resumed(folder: Path) -> qres.Solution:
    """A copy of a run, gone on with."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = shutil.copytree(folder, Path(scratch) / "run")
        return qres.resume(copy, iterations=RESUMED, progress=False, estimate=False)


def main(folder: Path) -> None:
    """Solve every case for a few iterations, and keep the run folder and its values."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    expected = {}
    for name in CASES:
        solution = solve(name, folder / name)
        where = points(solution.problem)
        if solution.scheme is not None:
            where["t"] = np.full(7, solution.scheme.edges[-1])
        shown = {coordinate: column.tolist() for coordinate, column in where.items()}
        expected[name] = {"at": shown, "values": values(solution, where)}
        if name == KEPT:
            expected[name]["resumed"] = values(resumed(folder / name), where)
        for file in (".lock", "report.html", *([] if name == KEPT else ["checkpoint.safetensors"])):
            (folder / name / file).unlink(missing_ok=True)
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
