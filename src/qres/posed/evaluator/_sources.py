"""Field sources: anything that gives the fields of a problem as functions of its coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.formulas import Formula, Values
from qres.jets import Jet, MultiIndex, Recording, Truncation, factorial

from .._assemble import transformed
from .._posed import Posed


@runtime_checkable
class FieldSource(Protocol):
    """The fields of a problem: a network with its ansatz, trial functions, splines, an exact solution, a recording.

    The coordinates carry all that a source needs to know: their values are the points, and their truncation says which
    derivatives are asked for. Recordings in place of jets find out which ones are needed.
    """

    def __call__(self, coordinates: Values, /) -> Mapping[str, Any]:
        """The fields by name, in kind: jets or recordings. Definitions may be among them; others are made of these."""
        ...


def coordinate_jets(names: Sequence[str], truncation: Truncation, points: Any) -> dict[str, Jet]:
    """The coordinates of points, `(d, n)` of JAX or NumPy, as jets of one row."""
    return {name: Jet.coordinate(truncation, name, points[i : i + 1]) for i, name in enumerate(names)}


def recorded_coordinates(names: tuple[str, ...]) -> dict[str, Recording]:
    """Recordings in place of the coordinates."""
    return {name: Recording.field(names) for name in names}


@dataclass(frozen=True)
class Outputs:
    """What stands for network outputs: recordings, constants, given jets; the same at all points."""

    values: Values

    def __call__(self, coordinates: Values) -> Values:
        """The outputs, whatever the coordinates."""
        return self.values

    @staticmethod
    def recorded(posed: Posed) -> Outputs:
        """Recordings in place of the fields."""
        return Outputs({name: Recording.field(posed.coordinates) for name in posed.fields})


@dataclass(frozen=True)
class Transformed:
    """Fields that an ansatz makes of the outputs of another source.

    Args:
        posed: whose constants the ansatz may use.
        transform: the ansatz, by field.
        outputs: the source of the raw outputs.
        parameters: unknowns, and jets of backgrounds by their text where they have been computed before.
    """

    posed: Posed
    transform: Mapping[str, Formula]
    outputs: FieldSource
    parameters: Values = field(default_factory=dict)

    def __call__(self, coordinates: Values) -> dict[str, Any]:
        """The fields."""
        known = self.posed.known({}, self.parameters)
        return transformed(self.transform, known, self.outputs(coordinates), coordinates)


@dataclass(frozen=True)
class Tabulated:
    """Fields whose derivatives are given at the points that are asked for.

    Args:
        fields: their names.
        indices: the derivatives that are given; all others are zero.
        derivatives: of all fields.
    """

    fields: tuple[str, ...]
    indices: Sequence[MultiIndex]
    derivatives: Float[Array, "fields indices n"] | Float[np.ndarray, "fields indices n"]

    def __call__(self, coordinates: Values) -> dict[str, Jet]:
        """The fields as jets of one row."""
        truncation = next(iter(coordinates.values())).truncation
        place = {index: i for i, index in enumerate(self.indices)}

        def series(row: Any) -> list[Any]:
            return [
                row[place[index]][None] / factorial(index) if index in place else None
                for index in truncation.indices
            ]

        table = jnp.asarray(self.derivatives)
        return {name: Jet(truncation, series(row)) for name, row in zip(self.fields, table, strict=True)}
