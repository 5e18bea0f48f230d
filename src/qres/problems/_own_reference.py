"""User-supplied reference solutions: a file with the coordinates and some of the fields."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from qres import reference
from qres.data import READERS, Data
from qres.posed import Posed
from qres.reference import Gridded
from qres.runtime.errors import InputError, check_keys, did_you_mean, listed, shorten

from ._data_tables import check_tables

SPECTRAL = "spectral"
_KEYS = ("file", "columns", "axes")


@dataclass(frozen=True)
class ReferenceFile:
    """Where the answer is, and what `Data.read` needs to know to read it."""

    file: str
    columns: tuple[tuple[str, str], ...] = ()
    axes: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return self.file

    def to_dict(self) -> dict[str, Any]:
        """As a table of a file."""
        found = {"file": self.file, "columns": dict(self.columns), "axes": list(self.axes or ())}
        return {key: value for key, value in found.items() if value}

    def known(self, posed: Posed) -> Gridded | Data:
        """Its values inside the domain: on a grid where they have one, else at points."""
        names = (*posed.fields, *posed.definitions)
        try:
            changed = Path(self.file).stat().st_mtime_ns
        except OSError:
            changed = 0  # reading says what is wrong
        data = _read(self, changed)
        for part in data.complete(names):
            part.check(posed.bounds, names)
        columns = {name: data.columns[name] for name in (*posed.coordinates, *data.measured(names))}
        if posed.region is not None:
            inside = posed.region.covers(data.points(posed.coordinates))
            if not inside.any():
                raise InputError(f"reference {self.file}: none of its points is inside")
            columns |= {
                name: np.where(inside, columns[name], np.nan)
                for name in columns
                if name not in posed.coordinates
            }
        found = Data(columns, source=self.file)
        return _on_grid(found, posed.coordinates, found.measured(names)) or found


@lru_cache(maxsize=2)
def _read(file: ReferenceFile, changed: int) -> Data:
    """The file as it was when it was changed last."""
    del changed
    return Data.read(file.file, dict(file.columns), axes=file.axes)


def reference_names() -> tuple[str, ...]:
    """The references that are no files."""
    return (*reference.names(), SPECTRAL)


def read_reference(stated: Any) -> str | ReferenceFile | None:
    """A name that is known, or a file: `"mine.nc"`, `{ file = "mine.mat", columns = { u = "usol" } }`."""
    if stated is None or stated in (names := reference_names()):
        return stated
    if isinstance(stated, Mapping):
        table = check_keys(stated, _KEYS, "reference")
        file, axes = table.get("file"), table.get("axes")
        if not isinstance(file, str | Path):
            raise InputError(f'reference: file must be a name, such as "mine.nc", not {shorten(repr(file))}')
        check_tables(table, ("columns",), "reference")
        if axes is not None and not (
            isinstance(axes, list | tuple) and all(isinstance(a, str) for a in axes)
        ):
            raise InputError(f'reference: axes must be a list, such as ["x", "t"], not {shorten(repr(axes))}')
        columns = tuple((str(ours), str(theirs)) for ours, theirs in table.get("columns", {}).items())
        return ReferenceFile(str(Path(file).absolute()), columns, None if axes is None else tuple(axes))
    if isinstance(stated, str | Path) and Path(stated).suffix.lower() in READERS:
        return ReferenceFile(str(Path(stated).absolute()))
    if not isinstance(stated, str):
        raise InputError(f"reference must be a name or a file, not {shorten(repr(stated))}")
    hint = did_you_mean(stated, names) or ";"
    raise InputError(
        f"reference {shorten(repr(stated))} is not known{hint} allowed: {listed(names)}, "
        f"or a file that ends in {listed(READERS)}"
    )


def check_reference(stated: str | ReferenceFile | None, posed: Posed) -> None:
    """An error where the reference is not one of this problem."""
    if isinstance(stated, ReferenceFile):
        stated.known(posed)
    elif stated not in (None, SPECTRAL):
        axes = reference.axes_of(stated)
        if set(axes) != set(posed.coordinates):
            raise InputError(
                f"reference {stated!r} has the coordinates {listed(axes)}, and the problem {listed(posed.coordinates)}"
            )


def resolve_reference(stated: Any, folder: Path) -> Any:
    """What was stated of a reference in a file of this folder, with the path from here."""
    if isinstance(stated, Mapping) and isinstance(stated.get("file"), str):
        return {**stated, "file": str(folder / stated["file"])}
    if isinstance(stated, str) and Path(stated).suffix.lower() in READERS:
        return str(folder / stated)
    return stated


def _on_grid(data: Data, coordinates: Sequence[str], names: Sequence[str]) -> Gridded | None:
    """Points as a grid, where they are one."""
    found = [np.unique(data.columns[name], return_inverse=True) for name in coordinates]
    shape = tuple(len(values) for values, _ in found)
    if math.prod(shape) != data.count or data.count == 1:
        return None
    places = np.ravel_multi_index(tuple(inverse for _, inverse in found), shape)
    order = np.argsort(places)
    if not np.array_equal(places[order], np.arange(data.count)):
        return None
    axes = {name: values for name, (values, _) in zip(coordinates, found, strict=True)}
    return Gridded(
        axes, {name: data.columns[name][order].reshape(shape) for name in names}, {"source": data.source}
    )
