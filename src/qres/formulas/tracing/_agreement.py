"""Verification of a traced expression: both it and the function are evaluated on the same random values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qres.jets import Jet, Recording, Truncation

from .._expression import Expression, Location, Values, evaluate
from .._scope import Scope

_POINTS = 8
_TOLERANCE = 1e-12


def agree(
    function: Callable[..., Any],
    parameters: tuple[str, ...],
    expression: Expression,
    scope: Scope,
    location: Location | None,
) -> bool:
    """Whether both need the same derivatives, and have the same value for random series."""
    try:
        with np.errstate(all="ignore"):
            noted = _recordings(parameters, scope)
            asked = [_needs(found) for found in _both(function, expression, noted, scope, location)]
            if asked[0] != asked[1]:
                return False
            values = _values(parameters, Truncation.closure(scope.coordinates, asked[0]), scope, location)
            a, b = map(_number, _both(function, expression, values, scope, location))
    except Exception:  # a function that fails on values is not taken for its expression
        return False
    size = np.max(np.abs(a), initial=0.0, where=np.isfinite(a))
    return bool(np.allclose(a, b, rtol=0, atol=_TOLERANCE * size, equal_nan=True))


def _both(
    function: Callable[..., Any],
    expression: Expression,
    values: Values,
    scope: Scope,
    location: Location | None,
) -> tuple[Any, Any]:
    fields = {name: value for name, value in values.items() if name in scope.differentiable}
    places = None if location is None else {location: fields}
    return function(**values), evaluate(expression, {**scope.constants, **values}, places)


def _needs(found: Any) -> frozenset[tuple[int, ...]]:
    return found.needs if isinstance(found, Recording) else frozenset()


def _number(found: Any) -> np.ndarray:
    return np.broadcast_to(np.asarray(found.value if isinstance(found, Jet) else found, float), (1, _POINTS))


def _recordings(parameters: tuple[str, ...], scope: Scope) -> dict[str, Any]:
    def noted(name: str) -> Any:
        if name in scope.vectors:
            return np.ones(scope.vectors[name])
        known = {**scope.constants, **dict.fromkeys(scope.unknowns, 1.0)}
        return known[name] if name in known else Recording.field(scope.coordinates)

    return {name: noted(name) for name in parameters}


def _values(
    parameters: tuple[str, ...], truncation: Truncation, scope: Scope, location: Location | None
) -> dict[str, Any]:
    """Random values: half of them between 0 and 1, where roots and logarithms have values."""
    random = np.random.default_rng(0)

    def drawn() -> np.ndarray:
        half = _POINTS // 2
        return np.concatenate([random.uniform(0.1, 0.9, half), 2 * random.normal(size=half)])[None]

    def value(name: str) -> Any:
        if name in scope.constants:
            return scope.constants[name]
        if name in scope.unknowns:
            return random.uniform(0.1, 0.9, scope.vectors.get(name, ()))
        if name in scope.differentiable:
            return Jet(truncation, [drawn() for _ in truncation.indices])
        fixed = None if location is None else location[scope.coordinates.index(name)]
        return Jet.coordinate(truncation, name, drawn() if fixed is None else np.full((1, _POINTS), fixed))

    return {name: value(name) for name in parameters}
