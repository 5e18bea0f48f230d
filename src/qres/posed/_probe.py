"""Formulas tried on given functions at a few points: does this transform, or this solution, satisfy them?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.formulas import Binary, Expression, Formula, Location, Negative, Values, evaluate
from qres.jets import Jet, Recording, Truncation, sin
from qres.runtime.errors import InputError, shorten

from ._assemble import assemble
from ._condition import Bounds, Condition
from ._posed import Posed

POINTS = 64  # so many that a piece of the domain is seldom missed


@dataclass(frozen=True)
class Probe:
    """Fields given as functions of the coordinates, on a box; `parameters` are constants and unknowns.

    What it returns is relative: the largest residual over the largest term of the formula, or of the fields in it.
    """

    bounds: Bounds
    fields_of: Callable[[Values], Mapping[str, Any]]
    parameters: Values

    def equation(self, formula: Formula) -> float:
        """How far the fields are from satisfying an equation."""
        nowhere: Location = (None,) * len(self.bounds)
        return self._residual(formula, (nowhere,), {}, everywhere=True)

    def condition(self, condition: Condition) -> float:
        """How far the fields are from satisfying a condition."""
        if condition.surface is None:
            return self._residual(condition.formula, condition.locations, condition.fixed)
        points = condition.surface.points(100 * POINTS, np.random.default_rng(0))
        if points.shape[1] < POINTS:
            return 0.0
        there = dict(zip(self.bounds, points[:, :POINTS], strict=True))
        return self._residual(condition.formula, condition.locations, {}, there=there)

    def _residual(
        self,
        formula: Formula,
        locations: Sequence[Location],
        fixed: Values,
        *,
        everywhere: bool = False,
        there: Mapping[str, np.ndarray] | None = None,
    ) -> float:
        truncation = self._truncation(formula, locations, fixed, everywhere)
        at = [self._coordinates(truncation, location, there) for location in locations]
        with np.errstate(all="ignore"):
            fields = [self.fields_of(coordinates) for coordinates in at]
        names = {**self.parameters, **(at[0] if there else self._points), **fixed}
        if everywhere:
            names |= {**at[0], **fields[0]}
        with np.errstate(all="ignore"):
            terms = list(_values(formula.residual, names, dict(zip(locations, fields, strict=True))))
            total = sum(terms[1:], terms[0])
        if not np.all(np.isfinite(total)):
            return math.nan  # a point where the formula has no value proves nothing
        largest = max(float(np.max(np.abs(term))) for term in terms)
        known = (*self._sizes, *self.parameters, *self.bounds)
        about = formula.names if all(name in known for name in formula.names) else self._sizes
        sizes = [self._sizes[name] for name in about if name in self._sizes]
        return float(np.max(np.abs(total))) / (max(*sizes, largest, 0.0) or 1.0)

    @cached_property
    def _points(self) -> dict[str, np.ndarray]:
        random = np.random.default_rng(0)
        return {name: random.uniform(low, high, POINTS) for name, (low, high) in self.bounds.items()}

    def _coordinates(
        self, truncation: Truncation, location: Location, there: Mapping[str, np.ndarray] | None = None
    ) -> dict[str, Jet]:
        values = {
            name: points if value is None else np.full(POINTS, value)
            for (name, points), value in zip((there or self._points).items(), location, strict=True)
        }
        return {name: Jet.coordinate(truncation, name, value) for name, value in values.items()}

    def _truncation(
        self, formula: Formula, locations: Sequence[Location], fixed: Values, everywhere: bool
    ) -> Truncation:
        """The derivatives that the formula takes of the fields."""
        names = tuple(self.bounds)
        coordinates = {name: Recording.field(names) for name in names}
        fields = self.fields_of(coordinates)
        values = {**self.parameters, **coordinates, **(fields if everywhere else fixed)}
        result = formula(values, dict.fromkeys(locations, fields))
        return Truncation.closure(names, result.needs if isinstance(result, Recording) else frozenset())

    @cached_property
    def _sizes(self) -> dict[str, float]:
        """The largest value of each field inside the box; of definitions with derivatives none is known."""
        nothing = Truncation.closure(tuple(self.bounds), ())
        with np.errstate(all="ignore"):
            fields = self.fields_of(self._coordinates(nothing, (None,) * len(self.bounds)))
        return {name: float(np.max(np.abs(value_of(field)))) for name, field in fields.items()}


def value_of(field: Any) -> np.ndarray:
    """The value of a jet, array or number."""
    return np.asarray(field.value if isinstance(field, Jet) else field)


def rows_of(values: Sequence[Any], count: int) -> Float[np.ndarray, "rows n"]:
    """Jets, arrays and numbers as rows of their values at points."""
    return np.stack([np.broadcast_to(value_of(value), count) for value in values])


def residuals_of(
    posed: Posed,
    transform: Mapping[str, Formula],
    parameters: Values,
    raw: Values,
    coordinates: Values,
) -> tuple[list[Any], dict[str, Any]]:
    """The residuals of a problem's equations, and its fields, from network outputs."""
    fields = assemble(transform, posed.definitions, parameters, raw, coordinates)
    names = {**parameters, **coordinates, **fields}
    return [equation.residual(names) for equation in posed.equations], fields


def _values(expression: Expression, names: Values, places: Mapping[Location, Values]) -> Iterator[np.ndarray]:
    """The values of the terms of a sum."""
    match expression:
        case Binary("+" | "-", left, right):
            yield from _values(left, names, places)
            sign = -1.0 if expression.operator == "-" else 1.0
            yield from (sign * term for term in _values(right, names, places))
        case Negative(operand):
            yield from (-term for term in _values(operand, names, places))
        case _:
            yield value_of(evaluate(expression, names, places))


def largest(expression: Expression, names: Values) -> float:
    """The largest absolute value of an expression, where it has one."""
    with np.errstate(all="ignore"):
        values = np.abs(evaluate(expression, names))
    return float(np.max(values, initial=0.0, where=np.isfinite(values)))


def arbitrary(fields: Sequence[str], bounds: Bounds, seed: int) -> Callable[[Values], dict[str, Any]]:
    """Smooth functions of the coordinates with no zeros in common, in place of network outputs."""
    random = np.random.default_rng(seed)
    waves = {name: random.uniform(0.5, 2.0, len(bounds) + 1).tolist() for name in fields}

    def outputs(coordinates: Values) -> dict[str, Any]:
        scaled = [
            (coordinates[name] - 0.5 * (low + high)) * (2 / (high - low))
            for name, (low, high) in bounds.items()
        ]
        return {
            name: 1.5 + sin(sum((k * s for k, s in zip(wave[1:], scaled, strict=True)), start=wave[0]))
            for name, wave in waves.items()
        }

    return outputs


def run(formula: Formula, names: Values, where: str) -> Any:
    """A formula's value, where a Python function in it may fail, or may not return a number."""
    try:
        found = formula(names)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"{where}: calling {formula.text} failed: {type(error).__name__}: {error}; fields know + - * / **, "
            "derivatives such as u.x, and functions such as qres.exp or np.exp"
        ) from error
    if found is None or isinstance(found, bool | str | list | tuple | dict):
        raise InputError(
            f"{where}: {formula.text} must return what is to vanish, such as u.t - u.xx, not {shorten(repr(found))}"
        )
    return found
