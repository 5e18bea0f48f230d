"""Fields of time and one more coordinate: a map, and slices at a few times."""

from __future__ import annotations

from functools import partial

from matplotlib import colormaps
from matplotlib.axes import Axes

from ._colours import value_colours
from ._gridded import TIME, Gridded
from ._labels import equals, label
from ._lines import draw_curve, draw_measured
from ._maps import places, spacetime_row
from ._panel import Panel
from ._style import NARROW, WIDE, add_grid, add_legend, style_axes

_SLICES = (0.25, 0.5, 0.75, 1.0)


def slice_rows(field: Gridded) -> list[list[Panel]]:
    """The map with its error, and below it each slice over its reference; else the map beside all slices."""
    indices = places(field, TIME, _SLICES)
    last = float(field.along(TIME).max())
    maps = spacetime_row(field, [time for i in indices if (time := float(field.along(TIME)[i])) < last])
    slices = [field.at(TIME, index) for index in indices]
    if field.reference is None:
        return [
            [*maps, Panel(partial(_draw_together, slices=slices), f"{field.name} at a few times", WIDE, 2.4)]
        ]
    limits = _limits(field)
    narrow = [
        Panel(partial(_draw_slice, field=cut, limits=limits), cut.words(), NARROW, 1.95) for cut in slices
    ]
    return [maps, narrow]


def _draw_slice(axes: Axes, field: Gridded, limits: tuple[float, float]) -> None:
    axes.set(title=field.where(), ylim=limits)
    draw_curve(axes, field, legend=False)


def _draw_together(axes: Axes, slices: list[Gridded]) -> None:
    """Curves from dark to light as time goes on."""
    (coordinate,) = slices[0].coordinates
    along = slices[0].along(coordinate)
    shades = colormaps["viridis"]
    for number, cut in enumerate(slices):
        shade = shades(0.25 + 0.55 * number / max(len(slices) - 1, 1))
        axes.plot(along, cut.prediction, color=shade, linewidth=1.6, label=equals(TIME, cut.fixed[TIME]))
        if len(cut.measured.get(coordinate, ())):
            draw_measured(axes, cut, edgecolors=[shade])
    axes.set(xlabel=label(coordinate), ylabel=label(slices[0].name), xlim=(along.min(), along.max()))
    style_axes(axes)
    add_grid(axes)
    add_legend(axes)


def _limits(field: Gridded) -> tuple[float, float]:
    """The same for all slices, with some room."""
    found = value_colours(
        field.prediction.to_numpy(), None if field.reference is None else field.reference.to_numpy()
    )
    pad = 0.06 * (found.high - found.low)
    return found.low - pad, found.high + pad
