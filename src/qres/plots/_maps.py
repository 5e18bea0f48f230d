"""Fields of two and more coordinates as maps, and snapshots of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
import xarray as xr
from jaxtyping import Float
from matplotlib.axes import Axes

from ._colours import Colours, draw_map, error_colours, value_colours
from ._gridded import TIME, Gridded, thinned
from ._labels import error_label, label
from ._panel import Panel
from ._style import MIDDLE, WIDE, style_axes

_IN_TIME = (0.0, 0.5, 1.0)
_IN_SPACE = (0.25, 0.5, 0.75)  # at the walls a field is often given

Kind = Literal["network", "reference", "error"]


def spacetime_row(field: Gridded, marks: Sequence[float]) -> list[Panel]:
    """The field over time and space, and its error.

    Args:
        field: of the time and one other coordinate.
        marks: times to draw a line at.
    """
    colours = _colours(field)
    return [_map_panel(field, kind, colours, width=WIDE, marks=marks) for kind in _kinds(field)]


def map_row(field: Gridded) -> list[Panel]:
    """The field, its reference, and its error, as maps."""
    colours = _colours(field)
    return [_map_panel(field, kind, colours) for kind in _kinds(field, "network", "reference", "error")]


def snapshot_rows(field: Gridded) -> list[list[Panel]]:
    """Maps at a few values of time, or of the last coordinate; the errors below them."""
    coordinate = _stepped(field)
    fractions = _IN_TIME if coordinate == TIME else _IN_SPACE
    return _cut_rows(field, [(coordinate, i) for i in places(field, coordinate, fractions)])


def middle_rows(field: Gridded) -> list[list[Panel]]:
    """Maps of the three planes through the middle, at the middle of the time or of the last coordinate."""
    fixed = _stepped(field)
    inside = field.at(fixed, len(field.along(fixed)) // 2)
    return _cut_rows(inside, [(name, len(inside.along(name)) // 2) for name in reversed(inside.coordinates)])


def places(field: Gridded, coordinate: str, fractions: Sequence[float]) -> list[int]:
    """Indices along a coordinate, at fractions of their number."""
    last = len(field.along(coordinate)) - 1
    return sorted({round(fraction * last) for fraction in fractions})


def _cut_rows(field: Gridded, cuts: Sequence[tuple[str, int]]) -> list[list[Panel]]:
    colours = _colours(field)
    return [
        [_map_panel(field.at(name, index), kind, colours) for name, index in cuts] for kind in _kinds(field)
    ]


def _map_panel(
    field: Gridded,
    kind: Kind,
    colours: dict[Kind, Colours],
    *,
    width: float = MIDDLE,
    marks: Sequence[float] = (),
) -> Panel:
    across, up = field.coordinates
    name = label(field.name)
    values, title, subject = {
        "network": (field.prediction, name, ""),
        "reference": (field.reference, f"{name}, reference", "reference of "),
        "error": (field.error, error_label(field.name), "error of "),
    }[kind]
    assert values is not None
    draw = partial(
        _draw,
        values=values.transpose(up, across),
        colours=colours[kind],
        title=", ".join(filter(None, [title, field.where()])),
        marks=marks,
        measured=thinned(field.measured) if kind == "network" else {},
    )
    return Panel(draw, subject + field.words(), width, 2.4)


def _draw(
    axes: Axes,
    values: xr.DataArray,
    colours: Colours,
    title: str,
    marks: Sequence[float],
    measured: Mapping[str, Float[np.ndarray, " n"]],
) -> None:
    up, across = (str(name) for name in values.dims)
    horizontal, vertical = (np.asarray(values[name], dtype=float) for name in (across, up))
    draw_map(axes, horizontal, vertical, np.asarray(values, dtype=float), colours)
    if measured:
        for colour, width in (("white", 1.3), ("black", 0.6)):  # to be seen on dark and on light
            axes.scatter(
                measured[across], measured[up], s=6, facecolors="none", edgecolors=colour, linewidths=width,
                alpha=0.8, rasterized=True,
            )  # fmt: skip
        axes.set(xlim=(horizontal.min(), horizontal.max()), ylim=(vertical.min(), vertical.max()))
    for place in marks:
        axes.axvline(place, color="black", alpha=0.5, linewidth=0.8, linestyle=(0, (4, 4)))
    axes.set(xlabel=label(across), ylabel=label(up), title=title)
    style_axes(axes, frame=True)
    shape = np.ptp(vertical) / np.ptp(horizontal)
    if across != TIME and 0.4 < shape < 2.5:
        axes.set_aspect("equal")
        axes.locator_params(axis="x", nbins=max(2, round(5 / max(shape, 1))))


def _stepped(field: Gridded) -> str:
    return TIME if TIME in field.coordinates else field.coordinates[-1]


def _kinds(field: Gridded, *kinds: Kind) -> Sequence[Kind]:
    return ("network",) if field.reference is None else kinds or ("network", "error")


def _colours(field: Gridded) -> dict[Kind, Colours]:
    reference, error = field.reference, field.error
    values = value_colours(np.asarray(field.prediction), None if reference is None else np.asarray(reference))
    errors = values if error is None else error_colours(np.asarray(error))
    return {"network": values, "reference": values, "error": errors}
