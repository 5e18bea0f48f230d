"""The history of a run as a figure: loss, its terms, errors, unknowns."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from qres.results import Record

from ._labels import label, plain
from ._panel import Panel, Rows, compose
from ._style import INK, MUTED, SERIES, TICK_SIZE, WIDE, add_grid, add_legend, series_colours, style_axes

History = Sequence[Record]
_MOST_RECORDS = 1500


@dataclass(frozen=True)
class Track:
    """A thinned history: iterations counted over all stages, and where each stage begins."""

    records: History
    iterations: Float[np.ndarray, "n"]
    stages: tuple[tuple[float, str], ...]

    def curve(self, group: str, name: str) -> Float[np.ndarray, "n"]:
        """One number of each record, NaN where it is missing: ("terms", "initial")."""
        found = (getattr(record, group).get(name) for record in self.records)
        return np.array([math.nan if value is None else float(value) for value in found])

    def names(self, group: str) -> list[str]:
        """The names in a group, in the order of their first appearance."""
        return list(dict.fromkeys(str(name) for record in self.records for name in getattr(record, group)))


def track(history: History) -> Track:
    """A history in order, made small enough to draw.

    Args:
        history: records.
    """
    stages = [
        (float(history[max(number - 1, 0)].total), record.optimizer)  # where the last one ended
        for number, record in enumerate(history)
        if number == 0 or record.stage != history[number - 1].stage
    ]
    step = math.ceil(len(history) / _MOST_RECORDS) or 1
    kept = sorted({*range(0, len(history), step), len(history) - 1}) if history else []
    records = [history[i] for i in kept]
    return Track(records, np.array([float(record.total) for record in records]), tuple(stages))


def loss_figure(history: History) -> Figure:
    """The loss and its terms against the iterations, and the errors where they are known.

    Args:
        history: records.
    """
    return compose(loss_rows(history))


def loss_rows(history: History) -> Rows:
    """The panels of `loss_figure`."""
    path = track(history)
    panels = [Panel(lambda axes: _draw_loss(axes, path), "loss and its terms over the iterations", WIDE, 2.6)]
    if path.names("errors"):
        panels.append(Panel(lambda axes: _draw_errors(axes, path), "errors over the iterations", WIDE, 2.6))
    return [panels]


def _draw_loss(axes: Axes, path: Track) -> None:
    loss = np.array([record.loss for record in path.records])
    colours = series_colours()
    terms = _term_curves(path)
    axes.set_yscale("log")
    for name, curve in terms.items():
        _plot(axes, path, curve, color=next(colours), linewidth=1, label=plain(name))
    _plot(axes, path, loss, color=INK, linewidth=1.6, label="loss" if terms else None)
    axes.set(xlabel="iteration", ylabel="loss")
    _finish(axes, path)


def _term_curves(path: Track) -> dict[str, Float[np.ndarray, "n"]]:
    """The terms of the loss by name; of many numbered ones, boundary_1 to boundary_8, the largest at each record."""
    curves = {name: path.curve("terms", name) for name in path.names("terms")}
    if len(curves) <= len(SERIES):
        return curves
    kinds: dict[str, list[str]] = {}
    for name in curves:
        kinds.setdefault(re.sub(r"_\d+$", "", name), []).append(name)
    return {
        names[0] if len(names) == 1 else f"{kind}, largest of {len(names)}":
            np.fmax.reduce([curves[name] for name in names])
        for kind, names in kinds.items()
    }  # fmt: skip


def _draw_errors(axes: Axes, path: Track) -> None:
    axes.set_yscale("log")
    for name, colour in zip(path.names("errors"), series_colours(), strict=False):
        _plot(axes, path, path.curve("errors", name), color=colour, linewidth=1.6, label=label(name))
    axes.set(xlabel="iteration", ylabel="relative $L^2$ error")
    _finish(axes, path)


def _finish(axes: Axes, path: Track) -> None:
    style_axes(axes)
    mark_stages(axes, path)
    add_grid(axes)
    add_legend(axes)


def mark_stages(axes: Axes, path: Track) -> None:
    """Iterations as the horizontal axis, with a line where each stage begins, and its optimizer's name."""
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    if len(path.iterations):
        axes.set_xlim(path.iterations[0], max(path.iterations[-1], path.iterations[0] + 1))
    for number, (begin, optimizer) in enumerate(path.stages):
        if number:  # the first begins where the axis does
            axes.axvline(begin, color=MUTED, linewidth=0.8, linestyle=(0, (2, 2)))
        written = axes.annotate(
            plain(optimizer), (begin, 0.02), xycoords=("data", "axes fraction"),
            xytext=(3, 0), textcoords="offset points", va="bottom", size=TICK_SIZE - 0.5, color=MUTED,
        )  # fmt: skip
        written.set_in_layout(False)


def _plot(axes: Axes, path: Track, values: Float[np.ndarray, "n"], **look: Any) -> None:
    """A curve through the records that have the value, whether or not those between them have it."""
    shown = np.isfinite(values) & (values > 0)
    marker = "o" if np.sum(shown) == 1 else None
    axes.plot(path.iterations[shown], values[shown], marker=marker, markersize=3, **look)
