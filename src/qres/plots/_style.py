"""The style of all figures: colours, sizes, axes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import MaxNLocator, ScalarFormatter

# A page may replace these four by its own colours, so nothing else uses them.
INK = "#1f2a37"
MUTED = "#64707d"
GRID = "#dfe3e9"
PAPER = "#fffffe"
NEUTRAL = {"ink": INK, "muted": MUTED, "grid": GRID, "paper": PAPER}

# Clear on white and on black alike, and to people who do not see all colours.
PREDICTION = "#2f7de1"
ERROR = "#d8574a"
MEASURED = "#e08a2e"
SERIES = (PREDICTION, "#e08a2e", "#2a9d8f", "#b45fc0", "#8a8f2c", "#7f7ff0")

TICK_SIZE = 7.5
LABEL_SIZE = 8.5

# Inches: two wide, three middle or four narrow panels fill a row.
FULL, WIDE, MIDDLE, NARROW = 8.9, 4.4, 2.95, 2.2
_LEGEND_LETTERS = 60  # about as many fit above a wide panel


def series_colours() -> Iterator[str]:
    """Colours for curves in one axes, one after another."""
    return cycle(SERIES)


class _Numbers(ScalarFormatter):
    """Tick labels of which only the common power of ten is mathematics, which takes long to set."""

    def get_offset(self) -> str:
        offset = super().get_offset()
        power = re.fullmatch("1e(.*)", offset.replace("\N{MINUS SIGN}", "-"))
        return rf"$\times 10^{{{power[1]}}}$" if power else offset


def style_axes(axes: Axes, *, frame: bool = False) -> None:
    """Thin muted lines, small ticks and few of them; numbers far from 1 get a power of ten.

    Args:
        axes: whose scales, labels and title are set already.
        frame: keep the upper and the right line, as around a map.
    """
    axes.set_facecolor("none")
    for side, spine in axes.spines.items():
        spine.set_color(MUTED)
        spine.set_linewidth(0.6)
        spine.set_visible(frame or side in ("left", "bottom"))
    axes.tick_params(which="both", colors=MUTED, labelcolor=INK, labelsize=TICK_SIZE, width=0.6, length=3)
    axes.tick_params(which="minor", length=1.5)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set(color=INK, size=LABEL_SIZE)
        axis.get_offset_text().set(color=INK, size=TICK_SIZE)
        if axis.get_scale() == "linear":
            set_ticks(axis)
    axes.title.set(color=INK, size=LABEL_SIZE)


def set_ticks(axis: Axis) -> None:
    """About five round numbers, with a common power of ten where they are far from 1."""
    formatter = _Numbers()
    formatter.set_powerlimits((-3, 4))
    axis.set_major_formatter(formatter)
    axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))


def add_grid(axes: Axes) -> None:
    """Lines to read values by."""
    axes.grid(True, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def add_legend(axes: Axes) -> None:
    """A legend above the axes, right, where it covers no curve and no power of ten; none without names."""
    handles, names = axes.get_legend_handles_labels()
    if handles:
        longest = max(len(re.sub(r"[$\\{}_^]|times", "", str(name))) for name in names)
        columns = max(1, min(4, len(handles), _LEGEND_LETTERS // (longest + 6)))
        axes.legend(
            handles, names, loc="lower right", bbox_to_anchor=(1, 1), ncols=columns,
            frameon=False, fontsize=TICK_SIZE, labelcolor=INK, borderaxespad=0.2, handlelength=1.6,
            columnspacing=1.2, borderpad=0.1,
        )  # fmt: skip
