"""Convergence of unknown parameters, with their intervals."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres.results import NORMAL_95, scalars

from ._history import History, Track, mark_stages, track
from ._labels import label
from ._panel import Panel, Rows, compose
from ._style import INK, PREDICTION, WIDE, add_grid, add_legend, style_axes


def unknowns_figure(
    history: History, true: Mapping[str, Any] | None = None, stderr: Mapping[str, Any] | None = None
) -> Figure:
    """The path of each unknown, its final interval `value ± 1.96 stderr`, and its true value where known.

    Args:
        history: records; an unknown is a number or a list of them.
        true: by name, where known.
        stderr: standard errors by name, where known.
    """
    return compose(unknown_rows(history, true, stderr))


def unknown_rows(
    history: History, true: Mapping[str, Any] | None = None, stderr: Mapping[str, Any] | None = None
) -> Rows:
    """The panels of `unknowns_figure`, two a row."""
    path = track([replace(record, unknowns=scalars(record.unknowns)) for record in history])
    truth, deviation = scalars(true or {}), scalars(stderr or {})
    panels = [
        Panel(
            partial(_draw, path=path, name=name, true=truth.get(name), stderr=deviation.get(name)),
            f"path of {name} over the iterations", WIDE, 2.3,
        )
        for name in path.names("unknowns")
    ]  # fmt: skip
    return [panels[i : i + 2] for i in range(0, len(panels), 2)]


def _draw(axes: Axes, path: Track, name: str, true: float | None, stderr: float | None) -> None:
    values = path.curve("unknowns", name)
    known = np.isfinite(values)
    iterations, values = path.iterations[known], values[known]
    marker = "o" if values.size == 1 else None
    axes.plot(iterations, values, color=PREDICTION, linewidth=1.6, marker=marker, label="estimate")
    if stderr is not None and np.isfinite(stderr) and values.size:
        _draw_interval(axes, values, NORMAL_95 * stderr, true)
    if true is not None:
        axes.axhline(true, color=INK, linewidth=1, linestyle=(0, (4, 3)), label="true value")
    axes.set(xlabel="iteration", ylabel=label(name))
    style_axes(axes)
    mark_stages(axes, path)
    add_grid(axes)
    add_legend(axes)


def _draw_interval(axes: Axes, values: Float[np.ndarray, "n"], half: float, true: float | None) -> None:
    # An interval may be wider than the whole path: then the axis shows the path, and the band fills it.
    shown = values if true is None else np.append(values, true)
    low, high = float(shown.min()), float(shown.max())
    pad = 0.08 * (high - low) or half
    final = float(values[-1])
    axes.axhspan(final - half, final + half, color=PREDICTION, alpha=0.18, linewidth=0, label="95 % interval")
    axes.set_ylim(
        min(low - pad, final - min(half, high - low)), max(high + pad, final + min(half, high - low))
    )
