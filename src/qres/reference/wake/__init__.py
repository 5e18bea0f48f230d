"""The wake of a cylinder at Re = 100, simulated by this project, at any time, anywhere in the paper's window.

`python -m qres.reference.wake` computes it again, which needs `ngsolve`; to read it needs nothing.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Float

from qres.runtime.errors import InputError

from .._gridded import Gridded
from .modes import FIELDS, WINDOW, Modes

REYNOLDS = 100.0
FILE = Path(__file__).with_name("wake.npz")
EQUATION = (
    "u_t + u*u_x + v*u_y = -p_x + 0.01*(u_xx + u_yy), v_t + u*v_x + v*v_y = -p_y + 0.01*(v_xx + v_yy), "
    "u_x + v_y = 0, cylinder of diameter 1 at the origin in a stream (1, 0), x in [1, 8], y in [-2, 2]"
)


@lru_cache(maxsize=1)
def load() -> Modes:
    """The time-Fourier modes that the package ships, with the facts of the run that made them."""
    return Modes.load(FILE)


def fields(
    t: Float[np.ndarray, " t"],
    x: Float[np.ndarray, " x"],
    y: Float[np.ndarray, " y"],
    order: tuple[int, int, int] = (0, 0, 0),
) -> dict[str, Float[np.ndarray, "t x y"]]:
    """The velocity u, v and the pressure p on the grid that t, x, y span, or exact derivatives of them.

    Args:
        t: any times; the flow is periodic, and at t = 0 the lift on the cylinder is 0 and rises.
        x: in [1, 8].
        y: in [-2, 2].
        order: of the derivative in t, x and y: `(1, 0, 0)` gives u_t, v_t, p_t.
    """
    if len(order) != 3 or any(m < 0 for m in order):
        raise InputError(f"order must be three numbers from 0, for t, x and y, not {order!r}")
    t, x, y = (np.atleast_1d(np.asarray(axis, float)) for axis in (t, x, y))
    for name, points, (low, high) in zip("xy", (x, y), WINDOW, strict=True):
        if not np.all((points >= low - 1e-9) & (points <= high + 1e-9)):
            raise InputError(
                f"{name} must be in [{low:g}, {high:g}], not from {points.min():g} to {points.max():g}"
            )
    return dict(zip(FIELDS, load().evaluate(t, x, y, order), strict=True))


def gridded() -> Gridded:
    """The paper's data: 200 snapshots 0.1 apart on 100 × 50 points."""
    t, x, y = 0.1 * np.arange(200), np.linspace(*WINDOW[0], 100), np.linspace(*WINDOW[1], 50)
    facts = dict(load().facts)
    attributes = {
        "equation": EQUATION,
        "method": "Taylor–Hood finite elements P6/P5, SBDF3; time-Fourier modes as Chebyshev series",
        "modes": load().coefficients.shape[1],
        "step": 0.005,
        "error": facts["momentum_residual"],
        "error_meaning": "residual of the momentum equations relative to u_t, v_t (L2)",
        **facts,
    }
    return Gridded({"t": t, "x": x, "y": y}, fields(t, x, y), attributes)
