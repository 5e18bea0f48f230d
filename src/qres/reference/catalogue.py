"""Reference solutions of the paper's problems, by name."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from qres.runtime.errors import one_of

from . import burgers, wake
from ._gridded import Gridded
from .cache import cached
from .periodic import PROBLEMS

if TYPE_CHECKING:
    import xarray as xr

COMPLEX = {"schrodinger": {"h": ("u", "v")}}  # of a complex field, the names of its parts
RESOLUTIONS = ("truth", "paper")


def names() -> tuple[str, ...]:
    """The names that `solve` knows."""
    return ("burgers", *PROBLEMS, "wake")


def _burgers() -> Gridded:
    t, x = np.linspace(0, 0.99, 100), np.linspace(-1, 1, 256)
    attributes = {
        "equation": "u_t + u*u_x = (0.01/pi)*u_xx, u(0, x) = -sin(pi*x), u(t, -1) = u(t, 1) = 0",
        "method": "Cole–Hopf transform, trapezoid rule",
        "error": 1e-14,
        "error_meaning": "absolute, against 40 digits: a bound",
    }
    return Gridded({"t": t, "x": x}, {"u": burgers.cole_hopf(t, x)}, attributes)


def _periodic(name: str, resolution: str) -> Gridded:
    problem = PROBLEMS[name]
    chosen = problem.truth if resolution == "truth" else problem.paper
    reference = None if chosen == problem.truth else _periodic(name, "truth")
    specification = [problem.specification(chosen), dataclasses.astuple(problem.truth)]
    return cached(name, specification, lambda: problem.gridded(chosen, reference))


def solve(name: str, resolution: str = "truth") -> xr.Dataset:
    """The answer to one of the paper's problems, on the paper's grid.

    The coordinates are `t`, `x` (and `y` for the wake); the fields have their names. The attributes say
    `equation`, `method`, `modes`, `step`, and the `error` that remains, with its `error_meaning`.

    Args:
        name: one of `names()`.
        resolution: `truth` is converged, to measure errors against; `paper` is computed with as many modes
            as the published data, to compare with published figures. Burgers and the wake have only one.
    """
    return gridded(name, resolution).to_xarray()


def axes_of(name: str) -> tuple[str, ...]:
    """The coordinates of a reference."""
    return ("t", "x", "y") if one_of(name, names(), "reference") == "wake" else ("t", "x")


def gridded(name: str, resolution: str = "truth") -> Gridded:
    """What `solve` gives, as plain arrays."""
    one_of(name, names(), "reference")
    one_of(resolution, RESOLUTIONS, "resolution")
    if name == "burgers":
        found = _burgers()
    elif name == "wake":
        found = wake.gridded()
    else:
        found = _periodic(name, resolution)
    return dataclasses.replace(found, attributes={**found.attributes, "name": name, "resolution": resolution})
