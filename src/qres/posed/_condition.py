"""Conditions on part of the domain, such as an initial value or a flux through a face."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from qres.formulas import (
    Expression,
    Formula,
    Integral,
    Located,
    Location,
    Name,
    Normal,
    Number,
    Opaque,
    Reader,
    Scope,
    check_constants,
    constant_value,
    formula_of,
    free_coordinates,
    integrals_in,
    parse,
    read_formula,
    walk,
)
from qres.geometry import Surface
from qres.runtime.errors import InputError, listed, shorten

Kind = Literal["initial", "boundary", "periodic", "interior", "integral"]
Bounds = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class At:
    """A condition stated in Python, not yet part of a problem: what `Condition.at` returns."""

    location: Mapping[str, Any]
    function: Callable[..., Any]


@dataclass(frozen=True)
class Condition:
    """A residual that must vanish at one or several locations.

    A location has a value for each coordinate of the domain, None where that is free; `free` names those.
    """

    name: str
    kind: Kind
    formula: Formula
    locations: tuple[Location, ...]
    free: tuple[str, ...]
    fixed: Mapping[str, float]
    surface: Surface | None = None  # on which it holds, where that is not a face of the box
    place: str = ""  # the surface's equation, as MathML
    entry: int = 0  # which of the stated conditions it is, or is a part of

    @staticmethod
    def at(location: Mapping[str, Any], function: Callable[..., Any]) -> At:
        """A condition from a Python function of fields, coordinates, constants, unknowns: it returns zero.

        `location` fixes coordinates, `{"t": 0.0}`; the others are free.
        """
        return At(dict(location), function)

    @property
    def gives_value_of(self) -> str | None:
        """The field whose value the condition states outright, `u(0, x) = …`; None for any other condition."""
        stated = explicit_value(self)
        return stated[0].field if stated is not None and not any(stated[0].index) else None

    @property
    def text(self) -> str:
        """The condition as it was written."""
        return self.formula.text

    def mathml(self) -> str:
        """The condition as a presentation MathML element."""
        return f'<math display="block">{self.mathml_row()}</math>'

    def mathml_row(self) -> str:
        """The condition as MathML, to stand within an element."""
        row = self.formula.mathml_row()
        return f"<mrow>{row}<mtext>&#xa0;on&#xa0;</mtext>{self.place}</mrow>" if self.place else row


def read_condition(stated: Any, scope: Scope, bounds: Bounds, where: str) -> Condition:
    """A condition from text, `"u_x(t, 1) + 2*u(t, 1) = 1"`, or from `Condition.at`; named by its kind."""
    if isinstance(stated, At):
        formula = _from_function(stated, scope, where)
    elif callable(stated):
        raise InputError(f'{where}: say where a function holds: Condition.at({{"t": 0.0}}, function)')
    else:
        trees = parse(stated, where)
        where = f"{where} {shorten(stated)!r}"
        formula = formula_of(trees, stated, Reader(scope, where, located=True), equation=True)
    stated_at = tuple(dict.fromkeys(_locations(formula)))
    locations = stated_at or _of_integrals(formula, scope, bounds)
    _check(locations, scope, bounds, where)
    free = tuple(name for name, value in zip(scope.coordinates, locations[0], strict=True) if value is None)
    fixed = _fixed(formula, locations, scope, where)
    check_constants(formula.residual, {**scope.constants, **fixed}, where)
    kind = _kind(locations, scope.coordinates, bounds) if stated_at else "integral"
    return Condition(kind, kind, formula, locations, free, fixed)


def _from_function(stated: At, scope: Scope, where: str) -> Formula:
    for name in stated.location:
        if name not in scope.coordinates:
            raise InputError(f"{where}: {name!r} is not a coordinate; those are {listed(scope.coordinates)}")
    values = {name: fixed_number(value, scope, where) for name, value in stated.location.items()}
    location = tuple(values.get(name) for name in scope.coordinates)
    return read_formula(stated.function, scope, where, equation=True, location=location)


def fixed_number(value: Any, scope: Scope, where: str) -> float:
    """A number, or an expression of numbers and constants, as a float."""
    if isinstance(value, bool):
        raise InputError(f"{where}: a number is wanted, not {value}")
    if isinstance(value, int | float | np.number):
        return constant_value(Number(as_float(value, where)), {}, where)
    if not isinstance(value, str):
        raise InputError(f"{where}: a number or an expression is wanted, not {shorten(repr(value))}")
    constants = Scope((), constants=scope.constants)
    formula = formula_of(parse(value, where), value, Reader(constants, where), equation=False)
    return constant_value(formula.left, scope.constants, where)


def as_float(value: int | float | np.number, where: str) -> float:
    """A Python float; an integer may be too large to be one."""
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{where}: the number {shorten(str(value), 30)} is too large") from None


def _locations(formula: Formula) -> Iterable[Location]:
    for part in walk(formula.residual):
        if isinstance(part, Located | Opaque) and part.location is not None:
            yield part.location


def _of_integrals(formula: Formula, scope: Scope, bounds: Bounds) -> tuple[Location, ...]:
    """Where a condition on integrals alone holds: at all values of the coordinates that it depends on."""
    if not integrals_in([formula.residual]):
        return ()
    free = free_coordinates(formula.residual, scope.coordinates, scope.differentiable)
    return (tuple(None if name in free else bounds[name][0] for name in scope.coordinates),)


def _check(locations: tuple[Location, ...], scope: Scope, bounds: Bounds, where: str) -> None:
    if not locations:
        example = f"u({listed(('0', *scope.coordinates[1:]))})"
        raise InputError(f"{where}: a condition must have a field at a place, such as {example}")
    for location in locations:
        free = [value is None for value in location]
        if all(free):
            raise InputError(f"{where}: no coordinate is fixed; what holds everywhere belongs in equations")
        if free != [value is None for value in locations[0]]:
            raise InputError(f"{where}: all places in a condition must leave the same coordinates free")
        for name, value in zip(scope.coordinates, location, strict=True):
            low, high = bounds[name]
            if value is not None and not _inside(value, low, high):
                raise InputError(f"{where}: {name} = {value:g} is outside the domain, [{low:g}, {high:g}]")


def _inside(value: float, low: float, high: float) -> bool:
    slack = 1e-12 * (high - low)
    return low - slack <= value <= high + slack


def _fixed(formula: Formula, locations: tuple[Location, ...], scope: Scope, where: str) -> dict[str, float]:
    """The values of the coordinates that are the same at all locations; no other may be used by name."""
    fixed: dict[str, float] = {}
    for place, name in enumerate(scope.coordinates):
        distinct = {location[place] for location in locations}
        first = locations[0][place]
        if first is None:
            continue
        if len(distinct) == 1:
            fixed[name] = first
        elif any(part == Name(name) for part in walk(formula.residual)):
            raise InputError(f"{where}: {name!r} has several values here, so it cannot be used by name")
    return fixed


def _kind(locations: tuple[Location, ...], coordinates: tuple[str, ...], bounds: Bounds) -> Kind:
    first, *others = locations
    if others:
        return "periodic" if len(others) == 1 else "interior"
    at = {name: value for name, value in zip(coordinates, first, strict=True) if value is not None}
    if len(at) > 1:
        return "interior"
    ((name, value),) = at.items()
    low, high = bounds[name]
    if near(value, low, high - low) and (name == "t" or len(coordinates) == 1):
        return "initial"
    return "boundary" if near(value, low, high - low) or near(value, high, high - low) else "interior"


def near(a: float, b: float, size: float) -> bool:
    """Whether two places are the same up to rounding."""
    return abs(a - b) <= 1e-12 * size


def named(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Conditions named after their kind, numbered where there are several of a kind."""
    kinds = [condition.kind for condition in conditions]
    seen: dict[str, int] = {}
    result = []
    for condition in conditions:
        seen[condition.kind] = seen.get(condition.kind, 0) + 1
        several = kinds.count(condition.kind) > 1
        name = f"{condition.kind}_{seen[condition.kind]}" if several else condition.kind
        result.append(replace(condition, name=name))
    return tuple(result)


def explicit_value(condition: Condition) -> tuple[Located, Expression] | None:
    """The place and the value of `u(…) = g`, or of a derivative so given; None for any other shape."""
    left, right = condition.formula.left, condition.formula.right
    if right is not None and isinstance(right, Located) and not isinstance(left, Located):
        left, right = right, left
    if right is None or not isinstance(left, Located):
        return None
    if any(isinstance(part, Integral | Located | Normal | Opaque) for part in walk(right)):
        return None
    return left, right
