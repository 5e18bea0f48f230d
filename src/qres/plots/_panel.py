"""Figures as rows of panels, which a page may also show one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres.runtime.errors import InputError

from ._save import render
from ._style import PAPER


@dataclass(frozen=True)
class Panel:
    """One picture: what draws it into axes, what it shows in words, and its natural size in inches."""

    draw: Callable[[Axes], None]
    description: str
    width: float
    height: float


Row = Sequence[Panel]
Rows = Sequence[Row]


class Picture(Figure):
    """A figure that a notebook shows by itself, also where `matplotlib.pyplot` was never imported."""

    def _repr_png_(self) -> bytes:
        return render(self, "png", 100)


def compose(rows: Rows) -> Picture:
    """A figure of rows of panels, each row as high as its highest panel.

    Args:
        rows: not empty; rows may differ in length.
    """
    rows = [row for row in rows if row]
    if not rows:
        raise InputError("rows: at least one panel is needed")
    heights = [max(panel.height for panel in row) for row in rows]
    width = max(sum(panel.width for panel in row) for row in rows)
    figure = Picture(figsize=(width, sum(heights)), facecolor=PAPER, layout="constrained")
    grid = figure.add_gridspec(len(rows), 1, height_ratios=heights)
    for i, row in enumerate(rows):
        cells = grid[i, 0].subgridspec(1, len(row), width_ratios=[panel.width for panel in row])
        for j, panel in enumerate(row):
            panel.draw(figure.add_subplot(cells[0, j]))
    return figure
