"""Loss against epochs, of several variants and seeds in one picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from qres.plots import SERIES, WIDE, Panel, add_grid, add_legend, style_axes

from ._experiment import Variant
from ._record import Record, Records

# QRes blue, PINN orange, in every figure of the paper; others take what is left.
_COLOURS = {
    "QRes": SERIES[0], "QRes-lite": SERIES[0], "PINN": SERIES[1], "QRes-full": SERIES[5], "ISC": SERIES[2],
    "QSC": SERIES[3], "APINN": SERIES[4], "DNN": SERIES[1],
}  # fmt: skip


THIN = 0.7, 0.45  # width and opacity of what is not the first seed


def colour(label: str) -> str:
    """The colour of a model."""
    return _COLOURS[label]


def loss_panel(records: Records, variants: Sequence[Variant], title: str, *, width: float = WIDE) -> Panel:
    """The loss of every seed: the first drawn thick, the others thin; a dot where Adam hands over to L-BFGS-B.

    Args:
        records: with histories.
        variants: those to draw; what was not run is left out.
        title: of the panel.
        width: in inches.
    """

    def draw(axes: Axes) -> None:
        axes.set_yscale("log")
        longest = 1
        for variant in variants:
            for number, record in enumerate(records[variant.name]):
                first = number == 0
                _draw_run(axes, record, colour(variant.label), variant.label if first else None)
                longest = max(longest, record.history["total"][-1])
        axes.set(xlabel="epoch", ylabel="loss", title=title, xlim=(0, longest))
        style_axes(axes)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.title.set_horizontalalignment("left")
        axes.title.set_x(0.0)
        add_grid(axes)
        add_legend(axes)

    return Panel(draw, title, width, 2.8)


def _draw_run(axes: Axes, record: Record, shade: str, label: str | None) -> None:
    total, loss = (np.asarray(record.history[name], dtype=float) for name in ("total", "loss"))
    width, alpha = (1.6, 1.0) if label else THIN
    axes.plot(total, loss, color=shade, label=label, linewidth=width, alpha=alpha)
    stage = np.asarray(record.history["stage"])
    for place in np.flatnonzero(np.diff(stage)):
        axes.plot(total[place], loss[place], marker="o", markersize=4 if label else 2.5, color=shade)
