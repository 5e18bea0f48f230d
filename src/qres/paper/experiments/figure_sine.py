"""Figure 1 of the paper: a sine from eight points, without and with its differential equation."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres.plots import INK, SERIES, WIDE, Panel, add_grid, add_legend, compose, label, style_axes
from qres.runs import RunFolder
from qres.sweep import Outcome

from .._curves import THIN
from .._experiment import Experiment, Variant, line
from .._record import Records, rounded
from .._table import Table

_POINTS = 241


def _curve(outcome: Outcome) -> dict[str, Any]:
    """The fit, and the points that it was given."""
    solution = outcome.solution()
    ((low, high),) = solution.problem.bounds.values()
    x = np.linspace(low, high, _POINTS)
    (data,) = RunFolder.open(outcome.folder).specification().problem.data  # a saved solution has none
    return {
        "x": rounded(x),
        "y": rounded(solution("y", x=x)),
        "data": {n: rounded(data.columns[n]) for n in "xy"},
    }


_NO_EQUATION = {"weights": {"equation": 0.0}, "sampling": {"resample_every": 0}}
_DATA = Variant("sine-data", "data", "sine", "paper", _NO_EQUATION, milliseconds=1, measure=_curve)
_PHYSICS = Variant("sine-physics", "data and physics", "sine", "paper", milliseconds=3, measure=_curve)


def table(records: Records) -> Table:
    """The relative error of both."""
    return Table(
        ("supervision", "quantity"),
        [
            line(records, variant, (variant.label, "error y"), lambda r: r.result.errors["y"])
            for variant in (_DATA, _PHYSICS)
        ],
    )


def figure(records: Records) -> Figure | None:
    """Left data only, right with the equation; the first seed thick."""
    panels = [_panel(records, variant) for variant in (_DATA, _PHYSICS) if records[variant.name]]
    return compose([panels]) if panels else None


def _panel(records: Records, variant: Variant) -> Panel:
    def draw(axes: Axes) -> None:
        for number, record in enumerate(records[variant.name]):
            x, y = record.measured["x"], record.measured["y"]
            width, alpha = THIN if number else (1.8, 1.0)
            name = None if number else "network"
            axes.plot(x, y, color=SERIES[0], linewidth=width, alpha=alpha, label=name)
        first = records[variant.name][0].measured
        x = np.linspace(first["x"][0], first["x"][-1], 600)
        axes.plot(x, np.sin(6 * x), color=INK, linewidth=0.9, linestyle=(0, (4, 3)), label="sin 6x")
        axes.plot(first["data"]["x"], first["data"]["y"], "o", color="#d8574a", markersize=4, label="data")
        axes.set(xlabel=label("x"), ylabel=label("y"), title=variant.label, xlim=(x[0], x[-1]))
        axes.set_ylim(-1.6, 1.6)
        axes.title.set_horizontalalignment("left")
        axes.title.set_x(0.0)
        style_axes(axes)
        add_grid(axes)
        add_legend(axes)

    return Panel(draw, f"sine from eight points, {variant.label}", WIDE, 2.6)


EXPERIMENT = Experiment(
    "figure-sine",
    "Figure 1: a sine from eight points",
    "A plain network of 3 layers of 20 with ELU, 10k epochs of Adam: fitted to eight points of sin 6x "
    "only, and with dy/dx = 6 cos 6x at 8 random points an epoch, of weight 0.01.",
    (_DATA, _PHYSICS),
    table,
    figure,
)
