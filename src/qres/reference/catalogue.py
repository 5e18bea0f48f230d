"""The paper's problems by name, each with an answer one can trust."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from . import burgers, wake
from ._choice import choose
from .cache import cached
from .periodic import PROBLEMS

if TYPE_CHECKING:
    import xarray as xr

RESOLUTIONS = ("truth", "paper")


def names() -> tuple[str, ...]:
    """The names that `solve` knows."""
    return ("burgers", *PROBLEMS, "wake")


def _burgers() -> xr.Dataset:
    import xarray as xr  # with pandas half a second: where it is needed

    t, x = np.linspace(0, 0.99, 100), np.linspace(-1, 1, 256)
    attributes = {
        "equation": "u_t + u*u_x = (0.01/pi)*u_xx, u(0, x) = -sin(pi*x), u(t, -1) = u(t, 1) = 0",
        "method": "Cole–Hopf transform, trapezoid rule",
        "error": 1e-14,
        "error_meaning": "absolute, against 40 digits: a bound",
    }
    return xr.Dataset({"u": (("t", "x"), burgers.cole_hopf(t, x))}, {"t": t, "x": x}, attributes)


def _periodic(name: str, resolution: str) -> xr.Dataset:
    problem = PROBLEMS[name]
    chosen = problem.truth if resolution == "truth" else problem.paper
    reference = None if chosen == problem.truth else _periodic(name, "truth")
    specification = [problem.specification(chosen), dataclasses.astuple(problem.truth)]
    return cached(name, specification, lambda: problem.dataset(chosen, reference))


def solve(name: str, resolution: str = "truth") -> xr.Dataset:
    """The answer to one of the paper's problems, on the paper's grid.

    The coordinates are `t`, `x` (and `y` for the wake); the fields have their names. The attributes say
    `equation`, `method`, `modes`, `step`, and the `error` that remains, with its `error_meaning`.

    Args:
        name: one of `names()`.
        resolution: `truth` is converged, to measure errors against; `paper` is computed with as many modes
            as the published data, to compare with published figures. Burgers and the wake have only one.
    """
    choose("name", name, names())
    choose("resolution", resolution, RESOLUTIONS)
    if name == "burgers":
        dataset = _burgers()
    elif name == "wake":
        dataset = wake.dataset()
    else:
        dataset = _periodic(name, resolution)
    return dataset.assign_attrs(name=name, resolution=resolution)
