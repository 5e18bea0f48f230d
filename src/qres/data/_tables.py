"""Reading measurements: columns and arrays by name from CSV, NPZ, NetCDF, MAT and Parquet files."""

from __future__ import annotations

import csv
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qres.runtime.errors import InputError, listed, shorten
from qres.runtime.memory import check_memory

from ._mat import read_apart

Columns = dict[str, np.ndarray]
Reasons = dict[str, str]  # why something in a file is not among the columns, by name
_MISSING = ("", "na", "n/a", "null", "none")  # in a column of numbers, as spreadsheets write it


def read_arrays(path: str | Path) -> tuple[Columns, Reasons]:
    """All numbers in a file, by name, without axes of length one; which format it is, its suffix says.

    A complex array `w` is two, `w.real` and `w.imag`. What is not numbers is left out, with the reason.
    """
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path}: data must be in a file that ends in {listed(READERS)}, not {path.suffix or 'nothing'!r}"
        )
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(f"{path} is not a regular file")  # but a device, or a pipe, which may never end
    try:
        columns, left_out = reader(path)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"no such file: {path}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file") from None
    except ImportError as error:
        raise InputError(
            f"{path}: reading this needs a package that is not installed: {error.name}"
        ) from None
    except Exception as error:  # a damaged file may raise anything in the readers of others
        raise InputError(f"{path}: cannot be read as {path.suffix}: {shorten(str(error))}") from None
    if not columns:
        said = "; ".join(f"{shorten(name, 30)} {reason}" for name, reason in list(left_out.items())[:3])
        raise InputError(f"{path}: there are no numbers in it{': ' * bool(said)}{said}")
    return columns, left_out


def _check_size(path: Path, needed: float) -> None:
    """An error where a file would fill the memory, which packed ones of a few megabytes can."""
    check_memory(needed, f"{path}: what is in this file", "keep fewer values in it")


def _read_csv(path: Path) -> tuple[Columns, Reasons]:
    _check_size(path, 20 * path.stat().st_size)  # a number of a few letters is a text of 60 bytes
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = [
            row
            for row in csv.reader(file, dialect=_dialect(path))
            if row and not row[0].lstrip().startswith("#")
        ]
    if not lines:
        raise InputError(f"{path}: the file is empty")
    names = [name.strip() for name in lines[0]]
    if any(_is_number(name) for name in names):
        raise InputError(
            f"{path}: the first line must name the columns, such as t,x,u; it is {shorten(','.join(names))}"
        )
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two columns have the same name: {listed(names)}")
    for number, row in enumerate(lines[1:]):
        if len(row) != len(names):
            raise InputError(
                f"{path}: data row {number + 1} has {len(row)} values, the first line names {len(names)}"
            )
    columns: Columns = {}
    left_out: Reasons = {}
    for place, name in enumerate(names):
        found = parse_numbers([row[place] for row in lines[1:]])
        if isinstance(found, str):
            left_out[name] = found
        else:
            columns[name] = found
    return columns, left_out


def _dialect(path: Path) -> Any:
    """Commas, semicolons or tabs, as the first line has them."""
    with path.open(encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip() and not line.startswith("#")), "")
    separator = max(",;\t", key=first.count)

    class Dialect(csv.excel):
        delimiter = separator
        skipinitialspace = True

    return Dialect


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parse_numbers(texts: Sequence[str]) -> np.ndarray | str:
    """Numbers from texts, NaN for an empty one; else which of them is the first that is no number."""
    values = np.empty(len(texts))
    for row, text in enumerate(texts):
        text = text.strip()
        try:
            values[row] = np.nan if text.lower() in _MISSING else float(text)
        except ValueError:
            return f"is not a number in data row {row + 1}: {shorten(text, 30)!r}"
    return values


def _read_npz(path: Path) -> tuple[Columns, Reasons]:
    with zipfile.ZipFile(path) as packed:
        _check_size(path, 3 * sum(part.file_size for part in packed.infolist()))
    with np.load(path, allow_pickle=False) as arrays:
        return _numbers({name: arrays[name] for name in arrays.files})


def _read_mat(path: Path) -> tuple[Columns, Reasons]:
    return _numbers(read_apart(path))


def _read_netcdf(path: Path) -> tuple[Columns, Reasons]:
    import xarray as xr

    with xr.open_dataset(path, engine="h5netcdf") as dataset:
        points = math.prod(dataset.sizes.values())
        _check_size(path, 16 * points * (len(dataset.variables) + 1))
        return frame_columns(dataset.to_dataframe().reset_index())


def _read_parquet(path: Path) -> tuple[Columns, Reasons]:
    import pandas as pd
    from pyarrow import parquet  # pyright: ignore[reportMissingImports]

    stated = parquet.read_metadata(path)
    _check_size(path, 16 * stated.num_rows * stated.num_columns)
    return frame_columns(pd.read_parquet(path))


def frame_columns(frame: Any) -> tuple[Columns, Reasons]:
    """The columns of a `pandas.DataFrame` that are numbers, or texts of numbers; why others are left out."""
    found: Columns = {}
    left_out: Reasons = {}
    for name in frame.columns:
        array = np.asarray(frame[name])
        if array.dtype.kind == "O":
            texts = ["" if value is None else str(value) for value in array]
            parsed = parse_numbers(texts)
            if isinstance(parsed, str):
                left_out[str(name)] = parsed
            else:
                found[str(name)] = parsed
            continue
        columns, reasons = _numbers({str(name): array})
        found |= columns
        left_out |= reasons
    return found, left_out


def _numbers(arrays: Mapping[str, Any]) -> tuple[Columns, Reasons]:
    found: Columns = {}
    left_out: Reasons = {}
    for name, array in arrays.items():
        array = np.squeeze(np.asarray(array))
        if array.dtype.kind == "c":
            found |= {
                f"{name}.real": np.real(array).astype(float),
                f"{name}.imag": np.imag(array).astype(float),
            }
        elif array.dtype.kind in "fiub":
            found[name] = array.astype(float)
        else:
            what = _KINDS.get(array.dtype.kind, f"values of type {array.dtype}")
            left_out[name] = f"is {what}, not numbers"
    return found, left_out


_KINDS = {"U": "text", "S": "text", "T": "text", "M": "dates", "m": "durations"}
READERS: dict[str, Callable[[Path], tuple[Columns, Reasons]]] = {
    ".csv": _read_csv, ".txt": _read_csv, ".tsv": _read_csv, ".npz": _read_npz, ".nc": _read_netcdf, ".mat": _read_mat,
    ".parquet": _read_parquet,
}  # fmt: skip
