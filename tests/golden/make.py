"""Makes golden files: solutions and a run folder of a release, with their values at fixed points.

Run once a release, `python tests/golden/make.py tests/golden/0.1`, and keep what it writes: later code must read it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import qres

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
}


def points(problem: qres.Problem) -> dict[str, np.ndarray]:
    """Points inside the box, the same ever after."""
    share = (np.arange(1, 8) * 0.381966) % 1.0
    return {
        name: low + (high - low) * (0.2 + 0.6 * ((share * (place + 1)) % 1.0))
        for place, (name, (low, high)) in enumerate(problem.bounds.items())
    }


def main(folder: Path) -> None:
    """Solve every case for a few iterations, and keep the file and its values."""
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, stated in CASES.items():
        is_built_in = isinstance(stated, str)
        problem = qres.read_specification(stated) if is_built_in else qres.Problem(**stated)
        discrete = isinstance(problem, qres.Specification) and problem.time is not None
        solution = qres.solve(
            problem,
            qres.Architecture("qres", 6, 2),
            optimizer="ssbroyden",
            sampling=None if discrete else qres.Sampling(points=200),
            iterations=10,
            run=folder / name,
            progress=False,
            estimate=False,
        )
        where = points(solution.problem)
        scheme = solution.scheme
        if scheme is not None:
            where["t"] = np.full(7, scheme.edges[-1])
        values = {field: solution(field, **where).tolist() for field in solution.problem.fields}
        slopes = {}
        for field in solution.problem.fields if scheme is None else ():
            for coordinate in solution.problem.coordinates:
                slopes[f"{field}_{coordinate}"] = solution(f"{field}_{coordinate}", **where).tolist()
        shown = {coordinate: column.tolist() for coordinate, column in where.items()}
        expected[name] = {"at": shown, "values": values | slopes}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
