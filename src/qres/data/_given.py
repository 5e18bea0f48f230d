"""Measurements in the forms that people have them in: tables of pandas and xarray, arrays by name, files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from qres.runtime.errors import InputError

from ._data import Data
from ._tables import frame_columns

# A Dataset is a mapping, and a DataFrame and a list of these are iterable.
Given: TypeAlias = Data | str | os.PathLike[str] | Mapping[str, Any] | Iterable[Any]
_ALLOWED = "qres.Data, a pandas.DataFrame, an xarray.Dataset, arrays by name, or the name of a file"


def as_data(given: Given) -> tuple[Data, ...]:
    """Measurements from one of the forms that are allowed, or from a list of them.

    Args:
        given: `Data`, a `pandas.DataFrame`, an `xarray.Dataset`, a dictionary of arrays or a file's name.
    """
    one = _one(given)
    if one is not None:
        return (one,)
    if not isinstance(given, Sequence):
        raise InputError(f"data must be {_ALLOWED}, or a list of such, not {type(given).__name__}")
    return tuple(_listed(item, place) for place, item in enumerate(given))


def _listed(item: Any, place: int) -> Data:
    found = _one(item)
    if found is None:
        raise InputError(f"data[{place}] must be {_ALLOWED}, not {type(item).__name__}")
    return found


def _one(given: Any) -> Data | None:
    """None where this is no form of measurements."""
    if isinstance(given, Data):
        return given
    if isinstance(given, str | os.PathLike):
        return Data.read(os.fspath(given))
    if _is_made_by("xarray", "Dataset", given):
        given = given.to_dataframe().reset_index()
    if _is_made_by("pandas", "DataFrame", given):
        columns, left_out = frame_columns(given)
        return Data(columns, source="the DataFrame", left_out=left_out)
    if isinstance(given, Mapping):
        return Data({str(name): _array(name, values) for name, values in given.items()})
    return None


def _array(name: Any, values: Any) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"data: {name} must be an array of numbers, not {type(values).__name__}") from None


def _is_made_by(package: str, kind: str, value: Any) -> bool:
    """Whether a value is of a class of another package, which takes long to import and may not be there."""
    loaded = sys.modules.get(package)
    return loaded is not None and isinstance(value, getattr(loaded, kind, ()))
