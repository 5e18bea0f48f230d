"""Colour scales of values and errors, and maps drawn with them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm, Normalize

from ._style import INK, MUTED, TICK_SIZE, set_ticks

_DECADES = 5


@dataclass(frozen=True)
class Colours:
    """A colour map and the values at its ends."""

    map: str
    low: float
    high: float
    log: bool = False

    def norm(self) -> Normalize:
        """For Matplotlib: values outside get the colour of the nearer end."""
        return (LogNorm if self.log else Normalize)(self.low, self.high, clip=True)


def value_colours(*values: Float[np.ndarray, "..."] | None) -> Colours:
    """Colours for arrays shown side by side: diverging about zero for values of both signs, else sequential.

    Args:
        values: arrays of any shape; None and what is not finite do not count.
    """
    low, high = _range([array for array in values if array is not None])
    if low < 0 < high and min(-low, high) > 0.1 * max(-low, high):
        most = max(-low, high)
        return Colours("RdBu_r", -most, most)
    if high - low <= 1e-12 * max(abs(low), abs(high)):  # a constant field
        middle, half = (low + high) / 2, 0.5 * abs(high) or 1.0
        return Colours("viridis", middle - half, middle + half)
    return Colours("viridis", low, high)


def error_colours(*errors: Float[np.ndarray, "..."]) -> Colours:
    """Logarithmic colours for absolute errors: from the largest down to what few points are under."""
    flat = np.concatenate([np.ravel(array) for array in errors])
    positive = flat[np.isfinite(flat) & (flat > 0)]
    if not positive.size:
        return Colours("magma", 1e-17, 1e-16, log=True)
    high = float(positive.max())
    low = max(float(np.quantile(positive, 0.02)), high * 10.0**-_DECADES)
    return Colours("magma", min(low, high / 2), high, log=True)


def draw_map(
    axes: Axes,
    across: Float[np.ndarray, "m"],
    up: Float[np.ndarray, "n"],
    values: Float[np.ndarray, "n m"],
    colours: Colours,
) -> QuadMesh:
    """A map of values with its colour bar; as pixels also in vector formats, which keeps files small.

    Args:
        axes: to draw into.
        across: the horizontal coordinate.
        up: the vertical coordinate.
        values: rows go up.
        colours: see `value_colours` and `error_colours`.
    """
    mesh = axes.pcolormesh(
        across, up, values, cmap=colours.map, norm=colours.norm(), shading="nearest", rasterized=True
    )
    axes.set_xlim(float(np.min(across)), float(np.max(across)))
    axes.set_ylim(float(np.min(up)), float(np.max(up)))
    figure = axes.get_figure()
    assert figure is not None
    bar = figure.colorbar(mesh, ax=axes, pad=0.02, aspect=22)
    assert bar.solids is not None
    bar.solids.set_rasterized(True)
    bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
    bar.ax.tick_params(which="both", colors=MUTED, labelcolor=INK, labelsize=TICK_SIZE, width=0.6, length=2)
    bar.ax.yaxis.get_offset_text().set(color=INK, size=TICK_SIZE)
    bar.ax.minorticks_off()
    if not colours.log:
        set_ticks(bar.ax.yaxis)
    return mesh


def _range(arrays: list[Float[np.ndarray, "..."]]) -> tuple[float, float]:
    finite = [array[np.isfinite(array)] for array in map(np.ravel, arrays)]
    flat = np.concatenate([*finite, np.empty(0)])
    return (float(flat.min()), float(flat.max())) if flat.size else (0.0, 1.0)
