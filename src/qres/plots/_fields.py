"""A solution as a figure, by the number of its coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from jaxtyping import Float
from matplotlib.figure import Figure

from ._gridded import TIME, Gridded, gridded_fields
from ._lines import line_row
from ._maps import map_row, middle_rows, snapshot_rows
from ._panel import Panel, Rows, compose
from ._slices import slice_rows
from ._style import FULL


def field_figure(
    prediction: xr.Dataset, reference: xr.Dataset | None = None, fields: Sequence[str] | None = None
) -> Figure:
    """Fields as lines, maps or snapshots, with their errors `|û - u|` where a reference is known.

    One coordinate: lines. Time and one more: a map with slices. Two others: maps. Three: snapshots in time,
    or in the last coordinate. Four: slices through the middle.

    Args:
        prediction: fields over 1 to 4 coordinates; the time is called t.
        reference: the same fields, or some of them, on the same grid.
        fields: which to show, by default all.
    """
    return compose(field_rows(prediction, reference, fields))


def field_rows(
    prediction: xr.Dataset,
    reference: xr.Dataset | None = None,
    fields: Sequence[str] | None = None,
    measured: Sequence[Mapping[str, Float[np.ndarray, " n"]]] = (),
) -> Rows:
    """The panels of `field_figure`: rows of each field, then the fields of one panel, side by side.

    Args:
        prediction: fields over 1 to 4 coordinates.
        reference: the same fields, or some of them, on the same grid.
        fields: which to show, by default all.
        measured: tables of measurements, drawn on curves, and as places on maps.
    """
    rows: list[list[Panel]] = []
    singles: list[Panel] = []
    for field in gridded_fields(prediction, reference, fields, measured):
        match _rows(field):
            case [[single]]:
                singles.append(single)
            case own:
                rows += own
    for panel in singles:
        shared = rows[-1] if rows and rows[-1][0] in singles else []
        if not shared or sum(other.width for other in [*shared, panel]) > FULL:
            rows.append([panel])
        else:
            shared.append(panel)
    return rows


def _rows(field: Gridded) -> list[list[Panel]]:
    match len(field.coordinates):
        case 1:
            return [line_row(field)]
        case 2 if TIME in field.coordinates:
            return slice_rows(field)
        case 2:
            return [map_row(field)]
        case 3:
            return snapshot_rows(field)
        case _:
            return middle_rows(field)
