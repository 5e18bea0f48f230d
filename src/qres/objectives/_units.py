"""The size of each residual, in whatever units: what it is divided by in the loss.

It is that of half a wave over each coordinate, as large as the fields are. A network that has learnt nothing yet is
flatter by an order or two: divided by the size of its residuals, equations would outweigh the measurements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from qres._random import seed_key
from qres.jets import Truncation
from qres.problems import Condition, Formula, Problem

from ._block import Block, Segment, condition_values, placed, recorded
from ._model import Model, fields_at, value_of
from ._sampling import points_in
from ._scales import is_plain, near_one, residual_size

_SAMPLES = 256


def residual_sizes(problem: Problem, model: Model, blocks: Sequence[Block]) -> dict[str, float]:
    """How large the terms of each residual are, where units make that differ from one; 1 where they do not."""
    sizes = {name: 1.0 for block in blocks for name in block.names}
    for block in blocks:
        for segment in block.segments:
            sizes |= _data_sizes(problem, segment)
    if is_plain(problem, dict(zip(problem.fields, model.scales, strict=True))):
        return sizes
    sampler = _Sampler(problem, replace(model, network=_wave(problem)))
    sizes |= {
        e.name: residual_size(e.formula.terms, sampler.of_equation(e.residual)) for e in problem.equations
    }
    sizes |= {
        c.name: residual_size(c.formula.terms, sampler.of_condition(c)) for c in problem.soft_conditions
    }
    return sizes


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


def _wave(problem: Problem) -> Callable[[Array], Array]:
    """Half a wave of size one over each coordinate, for each field, no two in phase."""
    numbers = np.pi / (np.asarray(problem.upper) - np.asarray(problem.lower))
    phases = np.arange(1.0, len(problem.fields) + 1)[:, None]
    return lambda points: np.sqrt(2) * jnp.sin(numbers @ points + phases)


class _Sampler:
    """Evaluates the terms of residuals at some points."""

    def __init__(self, problem: Problem, model: Model) -> None:
        self.problem, self.model = problem, model
        everywhere = (True,) * len(problem.coordinates)
        self.points = jnp.asarray(
            points_in(problem.lower, problem.upper, everywhere, "lhs", _SAMPLES, seed_key(0))
        )

    def _names(self, truncation: Truncation, location: Sequence[float | None]) -> dict[str, Any]:
        return fields_at(self.problem, self.model, truncation, placed(self.points, location))

    def of_equation(self, residual: Any) -> Any:
        """The value of a term of an equation."""
        names = self._names(recorded(self.problem, residual), (None,) * len(self.problem.coordinates))
        return lambda formula: value_of(formula(names), self.points)

    def of_condition(self, condition: Condition) -> Any:
        """The value of a term of a condition."""
        truncation = recorded(
            self.problem,
            lambda names: condition_values(self.problem, [condition], [names] * len(condition.locations)),
        )
        names_at = [self._names(truncation, location) for location in condition.locations]

        def value(formula: Formula) -> Array:
            (result,) = condition_values(self.problem, [replace(condition, formula=formula)], names_at)
            return value_of(result, self.points)

        return value
