"""Solutions as pandas tables, and as what a notebook shows."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from qres.results import Result, sentence, unknowns_table
from qres.runtime.errors import InputError, listed

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_SMALL = 80  # dots per inch of the picture in a notebook


def coordinates_of(table: Any, coordinates: Sequence[str]) -> dict[str, np.ndarray]:
    """The columns of a table of points that a solution is evaluated at."""
    columns = getattr(table, "columns", table)
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        raise InputError(
            f"predict takes a DataFrame or a mapping with the columns {listed(coordinates)}, not {type(table).__name__}"
        )
    missing = [name for name in coordinates if name not in columns]
    if missing:
        raise InputError(f"predict: no column {listed(missing)}; there are {listed(map(str, columns))}")
    return {name: np.asarray(table[name], dtype=float) for name in coordinates}


def table_of(values: Mapping[str, Any], like: Any = None) -> pd.DataFrame:
    """Columns as a DataFrame, with the index of another where that is one."""
    import pandas as pd  # only here: it takes half a second to import

    return pd.DataFrame(dict(values), index=like.index if isinstance(like, pd.DataFrame) else None)


def solution_html(result: Result, found: xr.Dataset, truth: xr.Dataset | None) -> str:
    """The result in a sentence, the unknowns, and a small picture of the first field."""
    from qres.plots import compose, field_rows, render  # only here: they take long to import

    picture = base64.b64encode(render(compose(field_rows(found, truth)[:1]), "png", _SMALL)).decode()
    image = (
        f'<img alt="{escape(result.problem)}" src="data:image/png;base64,{picture}" style="max-width: 44em">'
    )
    return f"<p><b>{escape(result.problem)}</b></p><p>{sentence(result)}</p>{unknowns_table(result.unknowns)}{image}"
