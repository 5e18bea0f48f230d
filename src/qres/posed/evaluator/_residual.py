"""A residual: a named quantity that vanishes at its points: an equation, a condition, a measurement, a term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from qres.data import Data
from qres.formulas import Equation, Formula, Location, Name, Values
from qres.geometry import Surface, placed

from .._condition import Condition
from .._posed import Posed

Kind = Literal["equation", "initial", "boundary", "periodic", "interior", "integral", "data", "term"]


@runtime_checkable
class Term(Protocol):
    """A loss term of the user's own: a residual and the points at which it is to vanish."""

    def points(self, key: PRNGKeyArray) -> Float[np.ndarray, "d n"]:
        """The points of the term, a row for each coordinate of the problem."""
        ...

    def residual(self, fields: Values, points: Values, unknowns: Values) -> Any:
        """What must vanish.

        Args:
            fields: fields and definitions by name; they have derivatives, `fields["u"].xx`.
            points: the coordinates by name.
            unknowns: by name.
        """
        ...


@runtime_checkable
class Evaluated(Protocol):
    """What a residual is of: a `Formula`, or anything that is called as one."""

    def __call__(self, names: Values, places: Mapping[Location, Values] | None = None) -> Any:
        """The value; `places` holds all names at each location."""
        ...


@dataclass(frozen=True)
class Place:
    """Where residuals are taken: the same points at each of some locations, or points of a surface.

    A location has a value for each coordinate, None where that is free.
    """

    coordinates: tuple[str, ...]
    locations: tuple[Location, ...]
    surface: Surface | None = None

    @staticmethod
    def everywhere(coordinates: tuple[str, ...]) -> Place:
        """Any point of the domain."""
        return Place(coordinates, ((None,) * len(coordinates),))

    @property
    def free(self) -> tuple[str, ...]:
        """The coordinates in which points of the place vary."""
        pairs = zip(self.coordinates, self.locations[0], strict=True)
        return tuple(name for name, value in pairs if value is None)

    @property
    def is_inside(self) -> bool:
        """Whether any point of the domain is meant."""
        return self.surface is None and len(self.free) == len(self.coordinates)

    @cached_property
    def fixed(self) -> dict[str, float]:
        """The coordinates that have one value at all locations."""
        columns = zip(self.coordinates, zip(*self.locations, strict=True), strict=True)
        return {name: values[0] for name, values in columns if values[0] is not None and len({*values}) == 1}

    def placed(self, points: Any) -> list[Any]:
        """Points, `(d, n)`, at each location."""
        return [placed(points, location) for location in self.locations]


@dataclass(frozen=True, eq=False)
class Measured:
    """One field of one set of measurements."""

    data: Data
    field: str

    @property
    def target(self) -> Float[np.ndarray, " n"]:
        """The measured values."""
        return self.data.columns[self.field]

    @property
    def precision_weights(self) -> Float[np.ndarray, " n"]:
        """How much each value counts, on average 1."""
        return self.data.precision_weights([self.field])[0]

    @property
    def noise(self) -> float | None:
        """The standard deviation of the values, where it is known."""
        return self.data.noise_level(self.field)


@dataclass(frozen=True, eq=False)
class Residual:
    """One thing that must vanish at a place; of a measurement, what must be as measured."""

    name: str
    kind: Kind
    place: Place
    formula: Evaluated
    measured: Measured | None = None
    term: Term | None = None

    def value(self, names_at: Sequence[Values]) -> Any:
        """The residual from all names at each location of its place.

        A coordinate that is fixed is a jet as well, so that a function may differentiate `x*u` on a face of x.
        """
        place = self.place
        several = {name for name in place.coordinates if name not in place.free and name not in place.fixed}
        shared = {name: value for name, value in names_at[0].items() if name not in several}
        return self.formula({**place.fixed, **shared}, dict(zip(place.locations, names_at, strict=True)))

    def everywhere(self, names: Values) -> Any:
        """The residual where all locations have the same names: to note what it needs."""
        return self.value([names] * len(self.place.locations))

    @property
    def terms(self) -> tuple[Residual, ...]:
        """What is added up in the residual, each a numbered residual of its own."""
        formulas = self.formula.terms if isinstance(self.formula, Formula) else (self.formula,)
        return tuple(
            replace(self, name=f"{self.name}, term {number}", formula=formula)
            for number, formula in enumerate(formulas, start=1)
        )


def equation_residual(posed: Posed, equation: Equation) -> Residual:
    """An equation, at any point of the domain."""
    return Residual(equation.name, "equation", Place.everywhere(posed.coordinates), equation.formula)


def condition_residual(posed: Posed, condition: Condition) -> Residual:
    """A condition, where it holds."""
    place = Place(posed.coordinates, condition.locations, condition.surface)
    return Residual(condition.name, condition.kind, place, condition.formula)


def data_residuals(posed: Posed, data: Sequence[Data]) -> tuple[Residual, ...]:
    """Every measured field of every file; a field that several files have is numbered."""
    known, everywhere = (*posed.fields, *posed.definitions), Place.everywhere(posed.coordinates)
    measured = [field for one in data for field in one.measured(known)]

    def named(field: str, number: int) -> str:
        several = f"_{field}" if len(set(measured)) > 1 else ""
        return f"data{several}" + (f"_{number + 1}" if measured.count(field) > 1 else "")

    return tuple(
        Residual(named(field, number), "data", everywhere, Formula(field, Name(field)), Measured(one, field))
        for number, one in enumerate(data)
        for field in one.measured(known)
    )


def term_residual(posed: Posed, name: str, term: Term) -> Residual:
    """A term of the user's, at points of its own."""

    def formula(names: Values, places: Mapping[Location, Values] | None = None) -> Any:
        fields = {n: names[n] for n in (*posed.fields, *posed.definitions) if n in names}
        coordinates = {n: names[n] for n in posed.coordinates}
        return term.residual(fields, coordinates, {n: names[n] for n in posed.unknowns})

    return Residual(name, "term", Place.everywhere(posed.coordinates), formula, term=term)
