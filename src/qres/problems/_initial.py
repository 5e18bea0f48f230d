"""Initial values of the fields, from the conditions of a problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from qres.jets import Jet, Truncation
from qres.posed import TIME, Condition, Posed
from qres.posed.evaluator import condition_residual

_SAME_TIME = 1e-9  # of the domain's


def initial_values(
    posed: Posed,
    start: float,
    coordinates: Mapping[str, np.ndarray],
    unknowns: Mapping[str, Any] | None = None,
) -> dict[str, np.ndarray] | None:
    """All fields at points of space at a time, from conditions `u(start, …) = g`; None where these do not say it.

    Unknowns are at their start where no values are given.
    """
    values = posed.known(coordinates, unknowns)
    conditions = {field: _initial(posed, start, field) for field in posed.fields}
    found = {}
    for field, condition in conditions.items():
        if condition is None:
            return None
        found[field] = _given(posed, condition, field, next(iter(coordinates.values())).shape, values)
    return found


def _initial(posed: Posed, start: float, field: str) -> Condition | None:
    low, high = posed.bounds[TIME]
    for condition in posed.conditions:
        alone = condition.gives_value_of == field and list(condition.fixed) == [TIME]
        if alone and abs(condition.fixed[TIME] - start) <= _SAME_TIME * (high - low):
            return condition
    return None


def _given(
    posed: Posed, condition: Condition, field: str, shape: tuple[int, ...], names: Mapping[str, Any]
) -> np.ndarray:
    """The value g that `u(…) = g` gives: where the residual, linear in u, vanishes."""
    truncation = Truncation.closure(posed.coordinates, [])
    residuals = []
    for value in (0.0, 1.0):
        constant = {name: Jet.constant(truncation, jnp.zeros(shape)) for name in posed.fields}
        fields = {**constant, field: Jet.constant(truncation, jnp.full(shape, value))}
        result = condition_residual(posed, condition).value([{**names, **fields}])
        found = result.value if isinstance(result, Jet) else result
        residuals.append(np.broadcast_to(np.asarray(found, dtype=float), shape))
    return -residuals[0] / (residuals[1] - residuals[0])
