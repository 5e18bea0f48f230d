"""One field on a grid, with its reference if there is one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import xarray as xr
from jaxtyping import Float

from qres.runtime.errors import InputError

from ._labels import equals

TIME = "t"
NEAR = 0.01  # of the range of a coordinate: measurements no farther from a slice are drawn with it
_MOST_MEASURED = 1000  # points in one panel


@dataclass(frozen=True)
class Gridded:
    """A field's prediction and reference over the same grid, and the values of coordinates that are fixed.

    `measured` has the coordinates of measurements, and their values under the field's name; empty where there are none.
    """

    name: str
    prediction: xr.DataArray
    reference: xr.DataArray | None
    fixed: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, Float[np.ndarray, " n"]] = field(default_factory=dict)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Their names, time first."""
        names = [str(name) for name in self.prediction.dims]
        return tuple(sorted(names, key=lambda name: name != TIME))

    @property
    def error(self) -> xr.DataArray | None:
        """`|û - u|`, where a reference is known."""
        return None if self.reference is None else abs(self.prediction - self.reference)

    def along(self, coordinate: str) -> Float[np.ndarray, "n"]:
        """The values of a coordinate."""
        return np.asarray(self.prediction[coordinate], dtype=float)

    def at(self, coordinate: str, index: int) -> "Gridded":
        """The field with one coordinate fixed."""
        place = {coordinate: index}
        reference = None if self.reference is None else self.reference.isel(place)
        along = self.along(coordinate)
        fixed = {**self.fixed, coordinate: float(along[index])}
        measured = self.measured
        if measured:
            near = np.abs(measured[coordinate] - along[index]) <= NEAR * np.ptp(along)
            measured = {name: column[near] for name, column in measured.items()}
        return Gridded(self.name, self.prediction.isel(place), reference, fixed, measured)

    def where(self) -> str:
        """What is fixed, as mathematics: `$t = 0.5$, $z = 1$`."""
        return ", ".join(equals(name, value) for name, value in self.fixed.items())

    def words(self) -> str:
        """What is shown, as plain words: u over x and y at t = 0.5."""
        at = ", ".join(f"{name} = {value:.4g}" for name, value in self.fixed.items())
        return f"{self.name} over {' and '.join(self.coordinates)}" + (f" at {at}" if at else "")


def gridded_fields(
    prediction: xr.Dataset,
    reference: xr.Dataset | None = None,
    fields: Sequence[str] | None = None,
    measured: Sequence[Mapping[str, Float[np.ndarray, " n"]]] = (),
) -> list[Gridded]:
    """The fields of a prediction, each with its reference; coordinates with a single value are dropped.

    Args:
        prediction: fields over 1 to 4 coordinates.
        reference: the same grid; it may lack fields.
        fields: which to take, by default all.
        measured: tables of measurements: columns named after coordinates and fields.
    """
    known = [str(name) for name in prediction.data_vars]
    for name in fields or ():
        if name not in known:
            raise InputError(f"fields: no field {name!r}; there are {', '.join(known)}")
    if not known:
        raise InputError("prediction: there is no field in it")
    found = (_gridded(name, prediction, reference) for name in (fields or known))
    return [replace(one, measured=_measured(one, measured)) for one in found]


def _measured(
    field: Gridded, tables: Sequence[Mapping[str, Float[np.ndarray, " n"]]]
) -> dict[str, Float[np.ndarray, " n"]]:
    """Where a field was measured, and the values."""
    names = (*field.coordinates, field.name)
    whole = [table for table in tables if all(name in table for name in names)]
    if not whole:
        return {}
    columns = {name: np.concatenate([np.asarray(table[name], float) for table in whole]) for name in names}
    there = np.isfinite(columns[field.name])
    return {name: column[there] for name, column in columns.items()}


def thinned(columns: Mapping[str, Float[np.ndarray, " n"]]) -> dict[str, Float[np.ndarray, " n"]]:
    """As many measurements as can be told apart in a panel."""
    count = max((len(column) for column in columns.values()), default=0)
    step = -(-count // _MOST_MEASURED) or 1
    return {name: column[::step] for name, column in columns.items()}


def _gridded(name: str, prediction: xr.Dataset, reference: xr.Dataset | None) -> Gridded:
    found = prediction[name].squeeze(drop=True)
    if not 1 <= found.ndim <= 4:
        raise InputError(f"prediction: {name!r} has {found.ndim} coordinates; 1 to 4 can be drawn")
    if reference is None or name not in reference:
        return Gridded(name, found, None)
    exact = reference[name].squeeze(drop=True)
    for coordinate in found.dims:
        if coordinate not in exact.dims or not _same(found[coordinate], exact[coordinate]):
            raise InputError(
                f"reference: {name!r} is not on the prediction's grid, in coordinate {coordinate!r}"
            )
    # Grids that agree to rounding only would be joined to an empty one.
    exact = exact.transpose(*found.dims).assign_coords({key: found[key] for key in found.dims})
    return Gridded(name, found, exact)


def _same(a: xr.DataArray, b: xr.DataArray) -> bool:
    width = float(abs(a.max() - a.min()))
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=1e-9 * width))
