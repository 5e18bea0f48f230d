"""Measurements against the fit, and its residuals."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres.runtime.errors import InputError

from ._labels import label
from ._panel import Panel, Rows, compose
from ._style import INK, PREDICTION, WIDE, add_grid, add_legend, style_axes

Arrays = Mapping[str, Float[np.ndarray, "n"]]
_VECTOR_POINTS = 3000


def data_figure(measured: Arrays, fitted: Arrays) -> Figure:
    """For each measured field: measurements against the fit, and the histogram of `measured - fitted`.

    Args:
        measured: the measurements of each field; NaN where one is missing.
        fitted: the network's values at the same places.
    """
    return compose(data_rows(measured, fitted))


def data_rows(measured: Arrays, fitted: Arrays) -> Rows:
    """The panels of `data_figure`, one row a field."""
    rows = []
    for name, values in measured.items():
        if name not in fitted or np.shape(fitted[name]) != np.shape(values):
            raise InputError(f"fitted: {name!r} needs as many values as are measured, {np.size(values)}")
        both = np.isfinite(values) & np.isfinite(fitted[name])
        pair = np.asarray(values, float)[both], np.asarray(fitted[name], float)[both]
        agreement, residual = (
            partial(draw, name=name, pair=pair) for draw in (_draw_agreement, _draw_residual)
        )
        rows.append(
            [
                Panel(agreement, f"measured {name} against the fit", WIDE, 2.7),
                Panel(residual, f"histogram of the residuals of {name}", WIDE, 2.7),
            ]
        )
    return rows


Pair = tuple[Float[np.ndarray, "n"], Float[np.ndarray, "n"]]


def _draw_agreement(axes: Axes, name: str, pair: Pair) -> None:
    measured, fitted = pair
    size = float(np.clip(400 / max(len(measured), 1), 2, 16))
    axes.scatter(
        fitted,
        measured,
        s=size,
        color=PREDICTION,
        alpha=0.6,
        linewidths=0,
        rasterized=len(measured) > _VECTOR_POINTS,
    )
    if len(measured):
        ends = [float(min(measured.min(), fitted.min())), float(max(measured.max(), fitted.max()))]
        axes.plot(ends, ends, color=INK, linewidth=1, linestyle=(0, (4, 3)), label="measured = fitted")
    axes.set(xlabel=f"{label(name)} fitted", ylabel=f"{label(name)} measured")
    style_axes(axes)
    add_grid(axes)
    add_legend(axes)


def _draw_residual(axes: Axes, name: str, pair: Pair) -> None:
    residual = pair[0] - pair[1]
    deviation = float(np.std(residual)) if len(residual) else 0.0
    bins = int(np.clip(2 * len(residual) ** (1 / 3), 5, 60))
    axes.hist(residual, bins=bins, density=True, color=PREDICTION, alpha=0.55)
    if deviation > 0:
        mean = float(np.mean(residual))
        at = np.linspace(mean - 4 * deviation, mean + 4 * deviation, 200)
        bell = np.exp(-(((at - mean) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi))
        axes.plot(at, bell, color=INK, linewidth=1, label=f"normal, standard deviation {deviation:.2g}")
    axes.set(xlabel=f"{label(name)} measured − fitted", ylabel="density")
    style_axes(axes)
    add_grid(axes)
    add_legend(axes)
