"""The posed problem, read and checked: equations, conditions and unknowns on a box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qres.formulas import Equation, Formula, Integral, Scope, integrals_in
from qres.geometry import Region

from ._assemble import defined, transformed
from ._condition import Bounds, Condition
from ._unknown import Unknown, values_near_start, vectors_of


@dataclass(frozen=True, eq=False)
class Posed:
    """A problem as posed, without measurements and without a way to solve it.

    Args:
        name: what the problem is called.
        bounds: the interval of each coordinate, in the order of a condition's arguments.
        fields: the functions to find.
        definitions: further fields made of others, in the order of their dependence.
        equations: what must vanish everywhere.
        conditions: what must hold on a part of the domain.
        periodic: coordinates in which the fields are periodic.
        region: the part of the box that is meant; None is all of it.
        constants: known numbers.
        unknowns: numbers to find.
        exact: the solution where it is known, by field or definition.
        up_to_constant: fields that are determined up to a constant at each time.
        complex: names whose real and imaginary parts are among fields or definitions, as `part_names` calls them.
    """

    name: str
    bounds: Bounds
    fields: tuple[str, ...]
    definitions: Mapping[str, Formula]
    equations: tuple[Equation, ...]
    conditions: tuple[Condition, ...]
    periodic: tuple[str, ...]
    region: Region | None
    constants: Mapping[str, float]
    unknowns: Mapping[str, Unknown]
    exact: Mapping[str, Formula]
    up_to_constant: tuple[str, ...]
    complex: tuple[str, ...] = ()

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates, in the domain's order."""
        return tuple(self.bounds)

    @property
    def scope(self) -> Scope:
        """What names mean in a formula about this problem."""
        names = tuple(self.definitions), self.constants, tuple(self.unknowns)
        return Scope(self.coordinates, self.fields, *names, vectors_of(self.unknowns))

    @property
    def lower(self) -> tuple[float, ...]:
        """The lower bounds, in the domain's order."""
        return tuple(low for low, _ in self.bounds.values())

    @property
    def upper(self) -> tuple[float, ...]:
        """The upper bounds, in the domain's order."""
        return tuple(high for _, high in self.bounds.values())

    @property
    def integrals(self) -> tuple[Integral, ...]:
        """The integrals that formulas of the problem have in them."""
        stated = [one.formula for one in (*self.equations, *self.conditions)]
        return integrals_in(one.residual for one in (*stated, *self.definitions.values()))

    @property
    def start(self) -> dict[str, Any]:
        """The unknowns at their start, by name."""
        return values_near_start(self.unknowns)

    def known(
        self, coordinates: Mapping[str, Any], unknowns: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """All that a formula without fields may name; unknowns are at their start where none are given."""
        return {**self.constants, **(self.start if unknowns is None else unknowns), **coordinates}

    def defined(
        self, fields: Mapping[str, Any], coordinates: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Fields together with the definitions made of them."""
        return defined(self.definitions, self.known({}, parameters), fields, coordinates)

    def names(
        self, fields: Mapping[str, Any], coordinates: Mapping[str, Any], unknowns: Mapping[str, Any]
    ) -> dict[str, Any]:
        """All that a formula may name at a place: fields, definitions, coordinates, constants and unknowns."""
        return {**self.known(coordinates, unknowns), **self.defined(fields, coordinates, unknowns)}

    def exact_fields(self, coordinates: Mapping[str, Any]) -> dict[str, Any]:
        """The exact solution at coordinates (arrays or jets); empty where none is stated."""
        true = {name: unknown.true for name, unknown in self.unknowns.items() if unknown.true is not None}
        return transformed(self.exact, self.known({}, true), {}, coordinates)
