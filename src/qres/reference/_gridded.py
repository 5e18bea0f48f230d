"""Fields on a grid as plain arrays, converted to xarray on request only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    import xarray as xr

_SAME_PLACE = 1e-9  # of an axis' length


def mesh(axes: Mapping[str, np.ndarray]) -> tuple[Float[np.ndarray, "d n"], tuple[int, ...]]:
    """All points of a grid, features first, and the grid's shape."""
    grids = np.meshgrid(*axes.values(), indexing="ij")
    return np.stack([grid.ravel() for grid in grids]), grids[0].shape


@dataclass(frozen=True, eq=False)
class Gridded:
    """Values of fields on the grid that axes span; each array has all the axes, in their order.

    People get an `xarray.Dataset`, which takes half a second to import, and more where dask is installed; a run needs
    none before its report.
    """

    axes: Mapping[str, Float[np.ndarray, " n"]]
    fields: Mapping[str, Float[np.ndarray, "*grid"]]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of every field."""
        return tuple(len(values) for values in self.axes.values())

    def points(self) -> Float[np.ndarray, "d n"]:
        """All points of the grid, features first."""
        return mesh(self.axes)[0]

    def nearest(self, axis: str, value: float) -> tuple[int, bool]:
        """The place on an axis that is nearest to a value, and whether that is the value but for rounding."""
        distances = np.abs(self.axes[axis] - value)
        place = int(np.argmin(distances))
        return place, bool(distances[place] <= _SAME_PLACE * np.ptp(self.axes[axis]))

    def take(self, axis: str, places: slice | list[int]) -> Gridded:
        """The same at some places of an axis."""
        chosen = tuple(places if name == axis else slice(None) for name in self.axes)
        return replace(
            self,
            axes={name: values[places] if name == axis else values for name, values in self.axes.items()},
            fields={name: values[chosen] for name, values in self.fields.items()},
        )

    def ordered(self, axes: Sequence[str]) -> Gridded:
        """The same with the axes in another order."""
        order = [list(self.axes).index(axis) for axis in axes]
        return replace(
            self,
            axes={axis: self.axes[axis] for axis in axes},
            fields={name: values.transpose(order) for name, values in self.fields.items()},
        )

    def to_xarray(self) -> xr.Dataset:
        """For people."""
        import xarray as xr  # with pandas half a second: where it is needed

        arrays = {name: (tuple(self.axes), values) for name, values in self.fields.items()}
        return xr.Dataset(arrays, dict(self.axes), dict(self.attributes))

    @staticmethod
    def from_xarray(dataset: xr.Dataset, axes: Sequence[str]) -> Gridded:
        """What a dataset has on these axes, in their order; what varies along others, or fewer, is left out."""
        return Gridded(
            {axis: dataset[axis].values for axis in axes},
            {
                str(name): array.transpose(*axes).values
                for name, array in dataset.data_vars.items()
                if set(array.dims) == set(axes)
            },
            {str(name): value for name, value in dataset.attrs.items()},
        )
