"""Fields of one coordinate, or cut along one: curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ._gridded import Gridded, thinned
from ._labels import error_label, label
from ._panel import Panel
from ._style import ERROR, INK, MEASURED, PREDICTION, WIDE, add_grid, add_legend, style_axes


def line_row(field: Gridded) -> list[Panel]:
    """The curve over its reference, and the error on a logarithmic scale."""
    panels = [Panel(lambda axes: draw_curve(axes, field), field.words(), WIDE, 2.5)]
    if field.reference is not None:
        panels.append(Panel(lambda axes: _draw_error(axes, field), f"error of {field.words()}", WIDE, 2.5))
    return panels


def draw_curve(axes: Axes, field: Gridded, *, legend: bool = True) -> None:
    """A field of one coordinate, the prediction solid, the reference dashed above it."""
    (coordinate,) = field.coordinates
    along = field.along(coordinate)
    axes.plot(along, field.prediction, color=PREDICTION, linewidth=2, label="network")
    if field.reference is not None:
        axes.plot(along, field.reference, color=INK, linewidth=1, linestyle=(0, (4, 3)), label="reference")
    if len(field.measured.get(coordinate, ())):
        draw_measured(axes, field, label="measured")
    axes.set(xlabel=label(coordinate), ylabel=label(field.name), xlim=(along.min(), along.max()))
    style_axes(axes)
    add_grid(axes)
    if legend and (field.reference is not None or field.measured):
        add_legend(axes)


def draw_measured(axes: Axes, field: Gridded, **look: Any) -> None:
    """The measurements of a field of one coordinate, as rings."""
    (coordinate,) = field.coordinates
    shown = thinned(field.measured)
    axes.scatter(
        shown[coordinate],
        shown[field.name],
        **{"s": 12, "facecolors": "none", "edgecolors": MEASURED, "linewidths": 0.7, "zorder": 3} | look,
    )


def _draw_error(axes: Axes, field: Gridded) -> None:
    (coordinate,) = field.coordinates
    along, error = field.along(coordinate), np.asarray(field.error, dtype=float)
    shown = np.where(error > 0, error, np.nan)
    axes.set_yscale("log")
    axes.plot(along, shown, color=ERROR, linewidth=1.2)
    if not np.isfinite(shown).any():
        axes.set_ylim(1e-17, 1e-16)
    axes.set(xlabel=label(coordinate), ylabel=error_label(field.name), xlim=(along.min(), along.max()))
    style_axes(axes)
    add_grid(axes)
