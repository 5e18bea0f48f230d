"""What integrals are in formulas, and what they depend on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from .._expression import Derivative, Expression, Integral, Located, Name, walk
from .._formula import Formula, names_through


def integrals_in(expressions: Iterable[Expression]) -> tuple[Integral, ...]:
    """The integrals in expressions, without those inside others."""
    found = {part.text: part for one in expressions for part in walk(one) if isinstance(part, Integral)}
    return tuple(found.values())


def integrals_through(
    definitions: Mapping[str, Formula], expressions: Iterable[Expression], names: Collection[str]
) -> tuple[Integral, ...]:
    """The integrals in expressions, and in the definitions that these or other names lead to."""
    expressions = list(expressions)
    known = {*names}
    for name in names:
        known |= names_through(definitions, definitions[name]) if name in definitions else {name}
    for one in expressions:
        known |= names_through(definitions, Formula("", one))
    used = [formula.residual for name, formula in definitions.items() if name in known]
    return integrals_in([*used, *expressions])


def free_coordinates(
    node: Expression, coordinates: tuple[str, ...], fields: Collection[str]
) -> frozenset[str]:
    """The coordinates on which the value of an expression depends."""
    found: set[str] = set()
    for part in walk(node):
        match part:
            case Name(name) if name in coordinates:
                found.add(name)
            case Name(name) | Derivative(field=name) if name in fields:
                found.update(coordinates)
            case Located(location=location):
                found.update(c for c, value in zip(coordinates, location, strict=True) if value is None)
            case Integral(integrand=integrand, variables=variables, bounds=bounds):
                found |= free_coordinates(integrand, coordinates, fields).difference(variables)
                for bound in bounds or ():
                    found |= free_coordinates(bound, coordinates, fields)
    return frozenset(found)
