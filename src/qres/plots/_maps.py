"""Fields of two and more coordinates: maps, slices and snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from ._colours import Colours, draw_map, error_colours, value_colours
from ._gridded import TIME, Gridded
from ._labels import label, math
from ._lines import draw_curve
from ._panel import Panel
from ._style import dress

SLICES = (0.25, 0.5, 0.75, 1.0)
SNAPSHOTS = (0.0, 0.5, 1.0)

Kind = Literal["network", "reference", "error"]


def spacetime_row(field: Gridded) -> list[Panel]:
    """The field over time and space, with the places of the slices, and its error."""
    time = field.along(TIME)
    marks = [float(time[i]) for i in _places(len(time), SLICES)[:-1]]
    colours = _colours(field)
    return [_map_panel(field, kind, colours[kind], width=5.0, marks=marks) for kind in _kinds(field)]


def slice_row(field: Gridded) -> list[Panel]:
    """The field over space at a few times, the reference over it."""
    panels = []
    values = [field.prediction] if field.reference is None else [field.prediction, field.reference]
    limits = _padded(values)
    for index in _places(len(field.along(TIME)), SLICES):
        draw = partial(_draw_slice, field=field, index=index, limits=limits)
        panels.append(Panel(draw, f"{field.name} at t = {field.along(TIME)[index]:.4g}", 2.5, 2.3))
    return panels


def map_row(field: Gridded) -> list[Panel]:
    """The field, its reference, and its error, as maps."""
    colours = _colours(field)
    return [_map_panel(field, kind, colours[kind]) for kind in _kinds(field, "network", "reference", "error")]


def snapshot_rows(field: Gridded) -> list[list[Panel]]:
    """Maps at a few values of time, or of the last coordinate; the errors below them."""
    coordinate = field.coordinates[0] if TIME in field.coordinates else field.coordinates[-1]
    colours = _colours(field)
    places = _places(len(field.along(coordinate)), SNAPSHOTS)
    return [
        [_snapshot(field, kind, colours[kind], coordinate, index) for index in places]
        for kind in _kinds(field)
    ]


def _snapshot(field: Gridded, kind: Kind, colours: Colours, coordinate: str, index: int) -> Panel:
    value = field.along(coordinate)[index]
    where = rf"${math(coordinate)} = {value:.3g}$"
    return _map_panel(
        field.at(coordinate, index), kind, colours, where=where, words=f" at {coordinate} = {value:.4g}"
    )


def _map_panel(
    field: Gridded,
    kind: Kind,
    colours: Colours,
    *,
    width: float = 3.5,
    marks: Sequence[float] = (),
    where: str = "",
    words: str = "",
) -> Panel:
    across, up = field.coordinates
    values = {"network": field.prediction, "reference": field.reference, "error": field.error}[kind]
    assert values is not None
    title = {
        "network": field.written(),
        "reference": f"{field.written()}, reference",
        "error": field.written("error"),
    }
    draw = partial(
        _draw,
        values=values.transpose(up, across),
        colours=colours,
        title=f"{title[kind]}  {where}",
        marks=marks,
    )
    subject = {"network": "", "reference": "reference of ", "error": "error of "}[kind]
    return Panel(draw, f"{subject}{field.name} over {across} and {up}{words}", width, 2.7)


def _draw(axes: Axes, values: xr.DataArray, colours: Colours, title: str, marks: Sequence[float]) -> None:
    up, across = (str(name) for name in values.dims)
    horizontal, vertical = (np.asarray(values[name], dtype=float) for name in (across, up))
    draw_map(axes, horizontal, vertical, np.asarray(values, dtype=float), colours)
    for place in marks:
        axes.axvline(place, color="black", alpha=0.5, linewidth=0.8, linestyle=(0, (4, 4)))
    axes.set(xlabel=label(across), ylabel=label(up), title=title)
    dress(axes, frame=True)
    if across != TIME and 0.4 < np.ptp(vertical) / np.ptp(horizontal) < 2.5:
        axes.set_aspect("equal")


def _draw_slice(axes: Axes, field: Gridded, index: int, limits: tuple[float, float] | None) -> None:
    axes.set(title=f"$t = {field.along(TIME)[index]:.3g}$", ylim=limits)
    draw_curve(axes, field.at(TIME, index), legend=False)


def _kinds(field: Gridded, *kinds: Kind) -> Sequence[Kind]:
    return ("network",) if field.reference is None else kinds or ("network", "error")


def _colours(field: Gridded) -> dict[Kind, Colours]:
    reference, error = field.reference, field.error
    values = value_colours(np.asarray(field.prediction), None if reference is None else np.asarray(reference))
    errors = values if error is None else error_colours(np.asarray(error))
    return {"network": values, "reference": values, "error": errors}


def _places(count: int, fractions: Sequence[float]) -> list[int]:
    return sorted({round(fraction * (count - 1)) for fraction in fractions})


def _padded(values: Sequence[xr.DataArray]) -> tuple[float, float] | None:
    low, high = (float(f([f(v) for v in values])) for f in (np.nanmin, np.nanmax))
    pad = 0.06 * (high - low)
    return (low - pad, high + pad) if np.isfinite(pad) and pad > 0 else None
