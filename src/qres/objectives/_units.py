"""The size of each residual, in whatever units: what it is divided by in the loss.

It is that of half a wave over each coordinate, as large as the fields are. A network that has learnt nothing yet is
flatter by an order or two: divided by the size of its residuals, equations would outweigh the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from qres._random import seed_key
from qres.jets import Jet, Truncation, sin
from qres.problems import Condition, Formula, Problem

from ._block import Block, Segment, condition_values, placed, recorded
from ._model import Model
from ._sampling import points_in
from ._scales import NEAR, is_plain, near_one

_SAMPLES = 256
_PLAIN = 1e3  # how far from one terms may be where coordinates and fields are of size one
Values = Callable[[Formula], Float[np.ndarray, " n"]]


def residual_sizes(problem: Problem, model: Model, blocks: Sequence[Block]) -> dict[str, float]:
    """How large the terms of each residual are, where units make that differ from one; 1 where they do not."""
    sizes = {name: 1.0 for block in blocks for name in block.names}
    for block in blocks:
        for segment in block.segments:
            sizes |= _data_sizes(problem, segment)
    plain = is_plain(problem, dict(zip(problem.fields, model.scales, strict=True)))
    sampler = _Sampler(problem, model.scales)
    with np.errstate(all="ignore"):
        for e in problem.equations:
            sizes[e.name] = _size(e.formula.terms, sampler.of_equation(e.residual), plain=plain)
        for c in problem.soft_conditions:
            sizes[c.name] = _size(c.formula.terms, sampler.of_condition(c), plain=plain)
    return sizes


def _size(formulas: Sequence[Formula], values: Values, *, plain: bool) -> float:
    """The root mean square of a residual's largest term, or its median where only coefficients can be far from one.

    1 if near that. The mean square of `u/r^2` is that of the point which is nearest to 0.
    """
    middle = (lambda v: np.median(np.abs(v))) if plain else (lambda v: np.sqrt(np.mean(np.square(v))))
    sizes = [float(middle(values(formula))) for formula in formulas]
    size = max((s for s in sizes if np.isfinite(s)), default=1.0)
    return 1.0 if size == 0 or near_one(size, _PLAIN if plain else NEAR) else size


def _data_sizes(problem: Problem, segment: Segment) -> dict[str, float]:
    """Data are compared in units of their spread, where that is not of size one."""
    if segment.data is None:
        return {}
    fields = segment.data.measured((*problem.fields, *problem.definitions))
    spreads = [float(np.std(segment.data.columns[field])) for field in fields]
    return {
        name: 1.0 if spread == 0 or near_one(spread) else spread
        for name, spread in zip(segment.names, spreads, strict=True)
    }


class _Sampler:
    """Evaluates the terms of residuals at some points: for half a wave over each coordinate, no two fields in phase.

    In NumPy, as each operation of JAX would be a program to compile.
    """

    def __init__(self, problem: Problem, scales: Sequence[tuple[float, float]]) -> None:
        self.problem, self.scales = problem, scales
        everywhere = (True,) * len(problem.coordinates)
        self.points = points_in(problem.lower, problem.upper, everywhere, "lhs", _SAMPLES, seed_key(0))
        self.unknowns = {name: np.asarray(value) for name, value in problem.start.items()}

    def _names(self, truncation: Truncation, location: Sequence[float | None]) -> dict[str, Any]:
        problem, points = self.problem, placed(self.points, location)
        coordinates = {
            name: Jet.coordinate(truncation, name, points[i : i + 1])
            for i, name in enumerate(problem.coordinates)
        }
        turns = [coordinates[name] * (math.pi / (high - low)) for name, (low, high) in problem.bounds.items()]
        raw = {
            name: math.sqrt(2) * scale * sin(sum(turns[1:], turns[0]) + (place + 1.0)) + offset
            for place, (name, (offset, scale)) in enumerate(zip(problem.fields, self.scales, strict=True))
        }
        fields = problem.fields_from(raw, coordinates, self.unknowns)
        return {**problem.constants, **self.unknowns, **coordinates, **fields}

    def of_equation(self, residual: Any) -> Values:
        """The value of a term of an equation."""
        names = self._names(recorded(self.problem, residual), (None,) * len(self.problem.coordinates))
        return lambda formula: _value(formula(names))

    def of_condition(self, condition: Condition) -> Values:
        """The value of a term of a condition."""
        truncation = recorded(
            self.problem,
            lambda names: condition_values(self.problem, [condition], [names] * len(condition.locations)),
        )
        names_at = [self._names(truncation, location) for location in condition.locations]

        def value(formula: Formula) -> Float[np.ndarray, " n"]:
            (result,) = condition_values(self.problem, [replace(condition, formula=formula)], names_at)
            return _value(result)

        return value


def _value(result: Any) -> Float[np.ndarray, " n"]:
    return np.ravel(np.asarray(result.value if isinstance(result, Jet) else result, dtype=float))
