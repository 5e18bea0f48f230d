"""Residuals of given functions at a few points, to verify a transform or an exact solution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.formulas import Expression, Formula, Values, evaluate
from qres.jets import Jet, sin
from qres.posed.evaluator import FieldSource, Residual, Residuals
from qres.runtime.errors import InputError, shorten

from ._condition import Bounds
from ._posed import Posed

POINTS = 64  # so many that a piece of the domain is seldom missed


@dataclass(frozen=True)
class Probe:
    """Fields given as functions of the coordinates, in NumPy, which has nothing to compile.

    Args:
        posed: whose residuals are tried.
        source: of the fields.
        unknowns: by name.
    """

    posed: Posed
    source: FieldSource
    unknowns: Values = field(default_factory=dict)

    def __call__(self, residual: Residual) -> float:
        """How far the fields are from making a residual vanish.

        It is relative: the largest value over the largest term of the formula, or of the fields in it.
        """
        points = self._points
        if residual.place.surface is not None:
            points = residual.place.surface.points(100 * POINTS, np.random.default_rng(0))[:, :POINTS]
            if points.shape[1] < POINTS:
                return 0.0
        truncation = Residuals(self.posed, [residual]).needed(self.source)
        residuals = Residuals(self.posed, [residual, *residual.terms])
        with np.errstate(all="ignore"):
            found = residuals.at(self.source, [points], self.unknowns, truncation=truncation)
        if not np.all(np.isfinite(found[residual.name])):
            return math.nan  # a point where the formula has no value proves nothing
        total, *terms = (float(np.max(np.abs(values))) for values in found.values())
        return total / (max(*self._about(residual), *terms, 0.0) or 1.0)

    def _about(self, residual: Residual) -> list[float]:
        """The sizes of the fields in a residual, or of all where it has names that are not known."""
        names = residual.formula.names if isinstance(residual.formula, Formula) else tuple(self._sizes)
        known = (*self._sizes, *self.posed.constants, *self.unknowns, *self.posed.bounds)
        about = names if all(name in known for name in names) else self._sizes
        return [self._sizes[name] for name in about if name in self._sizes]

    @cached_property
    def _points(self) -> Float[np.ndarray, "d n"]:
        random = np.random.default_rng(0)
        return np.stack([random.uniform(low, high, POINTS) for low, high in self.posed.bounds.values()])

    @cached_property
    def _sizes(self) -> dict[str, float]:
        """The largest value of each field inside the box; of definitions with derivatives none is known."""
        nothing = Residuals(self.posed, [])
        with np.errstate(all="ignore"):
            names = nothing.names(self.source, nothing.needed(self.source), self._points, self.unknowns)
        fields = [name for name in (*self.posed.fields, *self.posed.definitions) if name in names]
        return {name: float(np.max(np.abs(value_of(names[name])))) for name in fields}


def value_of(field: Any) -> np.ndarray:
    """The value of a jet, array or number."""
    return np.asarray(field.value if isinstance(field, Jet) else field)


def rows_of(values: Sequence[Any], count: int) -> Float[np.ndarray, "rows n"]:
    """Jets, arrays and numbers as rows of their values at points."""
    return np.stack([np.broadcast_to(value_of(value), count) for value in values])


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
