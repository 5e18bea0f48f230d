"""Initial values: what the conditions of a problem say of its fields at one time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from qres.jets import Jet, Truncation

from ._condition import Condition

if TYPE_CHECKING:
    from ._problem import Problem

TIME = "t"
_SAME_TIME = 1e-9  # of the domain's


def initial_values(
    problem: Problem,
    start: float,
    coordinates: Mapping[str, np.ndarray],
    unknowns: Mapping[str, Any] | None = None,
) -> dict[str, np.ndarray] | None:
    """All fields at points of space at a time, from conditions `u(start, …) = g`; None where these do not say it.

    Unknowns are at their start where no values are given.
    """
    values = {**problem.constants, **(problem.start if unknowns is None else unknowns), **coordinates}
    conditions = {field: _initial(problem, start, field) for field in problem.fields}
    found = {}
    for field, condition in conditions.items():
        if condition is None:
            return None
        found[field] = _given(problem, condition, field, next(iter(coordinates.values())).shape, values)
    return found


def _initial(problem: Problem, start: float, field: str) -> Condition | None:
    low, high = problem.bounds[TIME]
    for condition in problem.conditions:
        alone = condition.gives_value_of == field and list(condition.fixed) == [TIME]
        if alone and abs(condition.fixed[TIME] - start) <= _SAME_TIME * (high - low):
            return condition
    return None


def _given(
    problem: Problem, condition: Condition, field: str, shape: tuple[int, ...], names: Mapping[str, Any]
) -> np.ndarray:
    """The value g that `u(…) = g` gives: where the residual, linear in u, vanishes."""
    truncation = Truncation.closure(problem.coordinates, [])
    residuals = []
    for value in (0.0, 1.0):
        constant = {name: Jet.constant(truncation, jnp.zeros(shape)) for name in problem.fields}
        fields = {**constant, field: Jet.constant(truncation, jnp.full(shape, value))}
        result = condition.residual([fields], names)
        found = result.value if isinstance(result, Jet) else result
        residuals.append(np.broadcast_to(np.asarray(found, dtype=float), shape))
    return -residuals[0] / (residuals[1] - residuals[0])
