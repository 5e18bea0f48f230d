"""Errors of many runs against the sizes of their networks."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from ._labels import label, plain
from ._panel import Panel, compose
from ._style import SERIES, WIDE, add_grid, add_legend, style_axes

Sizes = Sequence[tuple[int, Sequence[float]]]
_DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)))  # for more series than colours


def parameters_figure(quantities: Mapping[str, Mapping[str, Sizes]]) -> Figure:
    """Each quantity against the number of parameters, on logarithmic axes: a dot a run, a line through the medians.

    Args:
        quantities: by name ("error u", "lambda_1 off %"); in each, series by name, a colour each: the number of
            parameters and the values of all runs of that size.
    """
    panels = [
        Panel(partial(_draw, series=series, name=name), f"{name} against the number of parameters", WIDE, 3.0)
        for name, series in quantities.items()
    ]
    return compose([panels[i : i + 2] for i in range(0, len(panels), 2)])


def _draw(axes: Axes, series: Mapping[str, Sizes], name: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for number, (title, sizes) in enumerate(series.items()):
        colour, dashes = SERIES[number % len(SERIES)], _DASHES[number // len(SERIES) % len(_DASHES)]
        runs = [(count, value) for count, values in sizes for value in values if _can_be_drawn(value)]
        axes.plot(*_columns(runs), "o", color=colour, markersize=3.5, alpha=0.45, markeredgewidth=0)
        medians = [
            (count, statistics.median(values)) for count, values in sorted(sizes, key=lambda size: size[0])
        ]
        drawn = [(count, value) for count, value in medians if _can_be_drawn(value)]
        axes.plot(
            *_columns(drawn),
            color=colour,
            linewidth=1.6,
            linestyle=dashes,
            marker="_",
            markersize=9,
            label=plain(title),
        )
    axes.set(xlabel="parameters", ylabel=_axis_label(name))
    style_axes(axes)
    _mark_sizes(axes)
    add_grid(axes)
    add_legend(axes)


def _columns(pairs: Sequence[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [first for first, _ in pairs], [second for _, second in pairs]


def _can_be_drawn(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _mark_sizes(axes: Axes) -> None:
    """Round numbers of parameters, written out; more of them where the axis is short."""
    low, high = axes.get_xlim()
    subs = (1.0, 2.0, 5.0) if high / low > 8 else (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    axes.xaxis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter(NullFormatter())


def _axis_label(name: str) -> str:
    if name.startswith("error "):
        return f"relative $L^2$ error of {label(name.removeprefix('error '))}"
    if name.endswith(" off %"):
        return f"{label(name.removesuffix(' off %'))} off by (%)"
    return plain(name)
