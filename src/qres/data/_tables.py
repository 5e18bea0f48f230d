"""Reading measurements: columns and arrays by name from CSV, NPZ, NetCDF, MAT and Parquet files."""

from __future__ import annotations

import csv
import math
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from qres.runtime.errors import InputError, listed, shorten
from qres.runtime.memory import check_memory

from ._mat import read_apart

Columns = dict[str, np.ndarray]


def read_arrays(path: str | Path) -> Columns:
    """All numbers in a file, by name, without axes of length one; which format it is, its suffix says.

    A complex array `w` is two, `w.real` and `w.imag`. What is not numbers is left out.
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
        columns = reader(path)
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
        raise InputError(f"{path}: there are no numbers in it")
    return columns


def _check_size(path: Path, needed: float) -> None:
    """An error where a file would fill the memory, which packed ones of a few megabytes can."""
    check_memory(needed, f"{path}: what is in this file", "keep fewer values in it")


def _read_csv(path: Path) -> Columns:
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
    values = np.empty((len(lines) - 1, len(names)))
    for number, row in enumerate(lines[1:]):
        if len(row) != len(names):
            raise InputError(
                f"{path}: data row {number + 1} has {len(row)} values, the first line names {len(names)}"
            )
        for place, text in enumerate(row):
            values[number, place] = _number(text, path, number + 1, names[place])
    return {name: values[:, place] for place, name in enumerate(names)}


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


def _number(text: str, path: Path, row: int, name: str) -> float:
    text = text.strip()
    if not text:
        return float("nan")
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{path}: data row {row}, column {name}: {shorten(text, 30)!r} is not a number"
        ) from None


def _read_npz(path: Path) -> Columns:
    with zipfile.ZipFile(path) as packed:
        _check_size(path, 3 * sum(part.file_size for part in packed.infolist()))
    with np.load(path, allow_pickle=False) as arrays:
        return _numbers({name: arrays[name] for name in arrays.files})


def _read_mat(path: Path) -> Columns:
    return _numbers(read_apart(path))


def _read_netcdf(path: Path) -> Columns:
    import xarray as xr

    with xr.open_dataset(path, engine="h5netcdf") as dataset:
        points = math.prod(dataset.sizes.values())
        _check_size(path, 16 * points * (len(dataset.variables) + 1))
        frame = dataset.to_dataframe().reset_index()
    return {str(name): np.asarray(frame[name], dtype=float) for name in frame.columns}


def _read_parquet(path: Path) -> Columns:
    import pandas as pd
    from pyarrow import parquet  # pyright: ignore[reportMissingImports]

    stated = parquet.read_metadata(path)
    _check_size(path, 16 * stated.num_rows * stated.num_columns)
    frame = pd.read_parquet(path)
    return {str(name): np.asarray(frame[name], dtype=float) for name in frame.columns}


def _numbers(arrays: Mapping[str, Any]) -> Columns:
    found: Columns = {}
    for name, array in arrays.items():
        array = np.squeeze(np.asarray(array))
        if array.dtype.kind == "c":
            found |= {
                f"{name}.real": np.real(array).astype(float),
                f"{name}.imag": np.imag(array).astype(float),
            }
        elif array.dtype.kind in "fiub":
            found[name] = array.astype(float)
    return found


READERS: dict[str, Callable[[Path], Columns]] = {
    ".csv": _read_csv, ".txt": _read_csv, ".tsv": _read_csv, ".npz": _read_npz, ".nc": _read_netcdf, ".mat": _read_mat,
    ".parquet": _read_parquet,
}  # fmt: skip
