"""Measurements: values of some fields at points, checked against the problem that they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.geometry import Region
from qres.results.display import table
from qres.runtime.errors import InputError, did_you_mean, listed

from ._draw import Draw
from ._grids import as_columns
from ._tables import read_arrays

_HEAD = 5  # rows that a notebook shows


@dataclass(frozen=True, eq=False, repr=False)  # arrays have no single truth value
class Data:
    """Columns of equal length, named after coordinates and fields; `noise` is the standard deviation where known.

    It is a number by field, or the name of a column that has it for each value: then a value counts the more the surer
    it is. NaN is a value that was not measured. `origin` is what the rows were drawn from, where they were. `left_out`
    says by name what of a file is not in the columns, and why.
    """

    columns: Mapping[str, Float[np.ndarray, " n"]]
    noise: Mapping[str, float | str] = field(default_factory=dict)
    source: str = "data"
    origin: Draw | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = {name: np.asarray(column, dtype=float) for name, column in self.columns.items()}
        for name, array in arrays.items():
            if array.ndim != 1:
                raise InputError(
                    f"{self.source}: {name} has shape {array.shape}; every column must be one-dimensional"
                )
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise InputError(f"{self.source}: all columns must have the same length; they have {shown}")
        if not arrays or not next(iter(lengths.values())):
            raise InputError(f"{self.source}: there are no data in it")
        object.__setattr__(self, "columns", arrays)
        object.__setattr__(self, "noise", {name: self._checked(name, n) for name, n in self.noise.items()})

    def __repr__(self) -> str:
        return f"Data({self.source!r}, {self.count} rows of {listed(self.columns)})"

    def _repr_html_(self) -> str:
        shown = zip(*(column[:_HEAD] for column in self.columns.values()), strict=True)
        rows = [[str(row), *(f"{value:.6g}" for value in values)] for row, values in enumerate(shown)]
        more = f"<p>… {self.count - _HEAD} more rows</p>" if self.count > _HEAD else ""
        return f"<p><b>{escape(self.source)}</b></p>{table(['', *self.columns], rows)}{more}"

    @staticmethod
    def read(
        path: str | Path,
        columns: Mapping[str, str] | None = None,
        noise: Mapping[str, float | str] | None = None,
        axes: Sequence[str] | None = None,
    ) -> Data:
        """Measurements from a file: columns, or arrays on a grid, whose axes are matched to vectors by length.

        Args:
            path: CSV, NPZ, NetCDF, MAT or Parquet.
            columns: what the file calls a coordinate or field, `{"u": "velocity"}`.
            noise: the standard deviation by field, where known, or the column that has it: `{"u": "u_sd"}`.
            axes: the coordinates along the axes of arrays, in order, where lengths do not tell: `["x", "t"]`.
        """
        found, not_numbers = read_arrays(path)
        columns = columns or {}
        for ours, theirs in columns.items():
            if theirs in not_numbers:
                raise InputError(f"{path}: {theirs} (for {ours}) {not_numbers[theirs]}")
            if theirs not in found:
                hint = did_you_mean(str(theirs), list(found)) or ";"
                raise InputError(f"{path}: no column {theirs!r} (for {ours}){hint} there are {listed(found)}")
        others = {n: a for n, a in found.items() if n not in {*columns, *columns.values()}}
        arrays = {ours: found[theirs] for ours, theirs in columns.items()} | others
        table, left_out = as_columns(arrays, str(path), axes)
        for name in columns:
            if name in left_out:
                raise InputError(f"{path}: {columns[name]} (for {name}) {left_out[name]}")
        for name in (noise or {}).values():
            if name in not_numbers:
                raise InputError(f"{path}: {name}, which has the noise, {not_numbers[str(name)]}")
        return Data(table, noise or {}, str(path), left_out={**not_numbers, **left_out})

    def _checked(self, name: str, level: Any) -> float | str:
        """The noise of a column as it is kept; an error where it cannot be that."""
        if name not in self.columns:
            known = listed(self.columns)
            raise InputError(f"{self.source}: noise of {name}, which is no column; there are {known}")
        if not isinstance(level, str):
            if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < np.inf:
                raise InputError(
                    f"{self.source}: noise of {name} must be a number above 0, or the name of a column, not {level!r}"
                )
            return float(level)
        if level not in self.columns:
            hint = did_you_mean(level, list(self.columns)) or ";"
            raise InputError(
                f"{self.source}: no column {level!r} (noise of {name}){hint} there are {listed(self.columns)}"
            )
        column = self.columns[level]
        wrong = np.flatnonzero(~np.isnan(self.columns[name]) & ~((column > 0) & (column < np.inf)))
        if len(wrong):
            raise InputError(
                f"{self.source}: {level}, the noise of {name}, must be above 0 for every value; in row "
                f"{wrong[0] + 1} it is {column[wrong[0]]:g}"
            )
        return level

    def complete(self, fields: Sequence[str]) -> tuple[Data, ...]:
        """The data without missing values; fields with different missing values get separate tables."""
        gaps = {name: np.isnan(self.columns[name]) for name in self.measured(fields)}
        if not any(gap.any() for gap in gaps.values()):
            return (self,)
        groups: dict[bytes, list[str]] = {}
        for name, gap in gaps.items():
            if gap.all():
                raise InputError(f"{self.source}: no value of {name} is there: all {self.count} are missing")
            groups.setdefault(gap.tobytes(), []).append(name)
        return tuple(self._part(names, ~gaps[names[0]], set(gaps)) for names in groups.values())

    def _part(self, names: Sequence[str], rows: np.ndarray, measured: set[str]) -> Data:
        """Some of the fields where all of them were measured."""
        missing = int(self.count - rows.sum())
        reasons = {n: f"{missing} of {self.count} values are missing, and left out" for n in names if missing}
        return Data(
            {n: column[rows] for n, column in self.columns.items() if n in names or n not in measured},
            {n: level for n, level in self.noise.items() if n in names or n not in measured},
            self.source,
            left_out={**self.left_out, **reasons},
        )

    def drawn(
        self,
        seed: int,
        place: int,
        fields: Sequence[str],
        *,
        points: int | None = None,
        noise: float | None = None,
    ) -> Data:
        """The measurements sampled with a seed: the requested number of points, with the requested noise.

        Those of a file are all taken, as they are, where neither is asked for.
        """
        origin = self.origin
        if origin is None and (points is not None or noise is not None):
            origin = Draw(self.columns, self.measured(fields))
        if origin is None:
            return self
        origin = origin.with_options(points, noise)
        return replace(self, columns=origin.columns(seed, place), origin=origin)

    @property
    def count(self) -> int:
        """How many points."""
        return len(next(iter(self.columns.values())))

    def measured(self, names: Sequence[str]) -> tuple[str, ...]:
        """Which of these fields were measured."""
        return tuple(name for name in names if name in self.columns)

    def points(self, coordinates: Sequence[str]) -> Float[np.ndarray, "d n"]:
        """Where, features first."""
        return np.stack([self.columns[name] for name in coordinates])

    def values(self, names: Sequence[str]) -> Float[np.ndarray, "fields n"]:
        """What was measured of each field."""
        return np.stack([self.columns[name] for name in names])

    def noise_level(self, name: str) -> float | None:
        """The standard deviation of a column; where each value has its own, `1/σ²` is the mean of theirs."""
        level = self.noise.get(name)
        return float(np.mean(self.columns[level] ** -2) ** -0.5) if isinstance(level, str) else level

    def precision_weights(self, names: Sequence[str]) -> Float[np.ndarray, "fields n"]:
        """Weights `1/σ²` of the values, normalized to mean 1, where each has a standard deviation of its own."""
        levels = [self.noise.get(name) for name in names]
        squares = [self.columns[n] ** -2 if isinstance(n, str) else np.ones(self.count) for n in levels]
        return np.stack([square / square.mean() for square in squares])

    def resampled(self, generator: np.random.Generator) -> Data:
        """A bootstrap resample: as many points, drawn with replacement."""
        chosen = generator.integers(0, self.count, self.count)
        return self._rows(chosen)

    def split(self, share: float, generator: np.random.Generator) -> tuple[Data, Data]:
        """A random split: the training part, and the held-out fraction `share`."""
        chosen = np.zeros(self.count, dtype=bool)
        chosen[generator.permutation(self.count)[: max(1, round(share * self.count))]] = True
        if chosen.all():
            raise InputError(f"{self.source}: {self.count} points are too few to hold {share:g} of them out")
        return self._rows(~chosen), replace(self._rows(chosen), source=f"{self.source} (held out)")

    def _rows(self, chosen: np.ndarray) -> Data:
        columns = {name: column[chosen] for name, column in self.columns.items()}
        return replace(self, columns=columns, origin=None)

    def check(self, bounds: Mapping[str, tuple[float, float]], fields: Sequence[str]) -> list[str]:
        """Whether the data fit a problem: raises where they cannot be used, returns what is doubtful."""
        for name in (*bounds, *fields):
            if name in self.left_out and name not in self.columns:
                raise InputError(f"{self.source}: {name} {self.left_out[name]}")
        missing = [name for name in bounds if name not in self.columns]
        if missing:
            raise InputError(
                f"{self.source}: no column for the coordinate {listed(missing)}; there are {listed(self.columns)} "
                "([problem.data.columns] maps other names)"
            )
        measured = self.measured(fields)
        if not measured:
            raise InputError(
                f"{self.source}: no column is one of the fields {listed(fields)}; there are {listed(self.columns)} "
                "([problem.data.columns] maps other names)"
            )
        for name in (*bounds, *measured):
            self._check_finite(name)
        for name, interval in bounds.items():
            self._check_inside(name, interval)
        return self._warnings(bounds, measured)

    def outside(self, region: Region, coordinates: Sequence[str]) -> list[str]:
        """What is doubtful of points that are in the domain's box, and not inside."""
        off = int(np.sum(~region.covers(self.points(coordinates), 1e-6)))
        warning = f"{self.source}: {off} of {self.count} points are not inside, and are fitted all the same"
        return [warning] if off else []

    def _check_finite(self, name: str) -> None:
        wrong = np.flatnonzero(~np.isfinite(self.columns[name]))
        if len(wrong):
            raise InputError(
                f"{self.source}: {len(wrong)} of {self.count} values of {name} are missing or not finite, the first in "
                f"row {wrong[0] + 1}; leave these rows out"
            )

    def _check_inside(self, name: str, interval: tuple[float, float]) -> None:
        low, high = interval
        column, slack = self.columns[name], 1e-9 * (high - low)
        outside = np.flatnonzero((column < low - slack) | (column > high + slack))
        if not len(outside):
            return
        ratio = np.max(np.abs(column)) / max(abs(low), abs(high))
        power = 3 * round(float(np.log10(max(ratio, 1e-300))) / 3)
        hint = f"; the values are about 10^{power} times the domain's: is a unit off?" if power >= 3 else ""
        raise InputError(
            f"{self.source}: {len(outside)} of {self.count} points are outside the domain in {name}, "
            f"[{low:g}, {high:g}]: they go from {column.min():g} to {column.max():g}, the first in row "
            f"{outside[0] + 1}{hint}"
        )

    def _warnings(self, bounds: Mapping[str, tuple[float, float]], measured: Sequence[str]) -> list[str]:
        doubts, coordinates = [], tuple(bounds)
        distinct = np.unique(self.points(coordinates), axis=1).shape[1]
        if distinct < self.count:
            doubts.append(f"{self.source}: {self.count - distinct} of {self.count} points are repeated")
        for name in coordinates if self.origin is None else ():
            doubts += self._narrow(name, bounds[name])
        doubts += [
            f"{self.source}: {name}: {self.left_out[name]}" for name in measured if name in self.left_out
        ]
        known = (*coordinates, *measured, *self.noise.values())
        unused = [name for name in {**self.columns, **self.left_out} if name not in known]
        if unused:
            doubts.append(
                f"{self.source}: not used, as no coordinate or field has this name: {listed(unused)}"
            )
        return doubts

    def _narrow(self, name: str, interval: tuple[float, float]) -> list[str]:
        """Points that cover next to nothing of the domain in a coordinate: perhaps a unit is off."""
        low, high = float(self.columns[name].min()), float(self.columns[name].max())
        if self.count == 1 or high - low > 5e-3 * (interval[1] - interval[0]):
            return []
        if low == high:
            return [f"{self.source}: all points have {name} = {low:g}"]
        return [
            f"{self.source}: the points go from {low:g} to {high:g} in {name}, a small part of the domain, "
            f"[{interval[0]:g}, {interval[1]:g}]: is a unit off?"
        ]
