"""Piecewise functions, selected pointwise: `where`, `min` and `max`.

They are differentiated piece by piece: a derivative is that of whatever is chosen there, and a jump adds nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from types import ModuleType
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from qres.runtime.errors import InputError, shorten

from ._jet import Jet, value_of
from ._recording import Recording
from ._symbolic import symbol_in


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`: numbers, arrays, jets or recordings; both are computed everywhere.

    A condition is a comparison such as `x < 0.5`, or several joined by `&` and `|`.
    """
    if (symbol := symbol_in(condition, a, b)) is not None:
        return symbol.called("where", (condition, a, b))
    _check_condition(condition)
    recorded = _recorded(condition, a, b)
    if recorded is not None:
        return recorded
    if isinstance(a, Jet) or isinstance(b, Jet):
        return _chosen(condition, a, b)
    return _in_kind("where", condition, a, b)


def min(*values: Any) -> Any:
    """The least of two or more numbers, arrays, jets or recordings."""
    if (symbol := symbol_in(*values)) is not None:
        return symbol.called("min", _several("min", values))
    return reduce(lambda a, b: _extreme("minimum", operator.le, a, b), _several("min", values))


def max(*values: Any) -> Any:
    """The largest of two or more numbers, arrays, jets or recordings."""
    if (symbol := symbol_in(*values)) is not None:
        return symbol.called("max", _several("max", values))
    return reduce(lambda a, b: _extreme("maximum", operator.ge, a, b), _several("max", values))


def _extreme(name: str, comes_first: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    recorded = _recorded(a, b)
    if recorded is not None:
        return recorded
    if not isinstance(a, Jet) and not isinstance(b, Jet):
        return _in_kind(name, a, b)
    first, second = value_of(a), value_of(b)
    return _chosen(comes_first(first, second) | (first != first), a, b)  # what is not a number stays so


def _chosen(condition: Any, a: Any, b: Any) -> Jet:
    """One coefficient after the other; products with 0 and 1 would let through what has no value on the other side."""
    pair = Jet.common(a, b)

    def choose(s: Any, t: Any) -> Any:
        if s is None and t is None:
            return None
        s, t = (0.0 if c is None else c for c in (s, t))
        return _namespace(condition, s, t).where(condition, s, t)

    return Jet(
        pair[0].truncation, [choose(s, t) for s, t in zip(*(p.coefficients for p in pair), strict=True)]
    )


def _recorded(*values: Any) -> Recording | None:
    """What a choice between values needs, where any is a recording."""
    found = [value for value in values if isinstance(value, Recording)]
    return reduce(operator.add, (value.of_function() for value in found)) if found else None


def _namespace(*values: Any) -> ModuleType:
    return jnp if any(isinstance(value, Array) for value in values) else np


def _in_kind(name: str, *values: Any) -> Any:
    result = getattr(_namespace(*values), name)(*values)
    return float(result) if all(isinstance(value, int | float | np.generic) for value in values) else result


def _several(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(values) < 2:
        raise InputError(f"{name} takes two or more arguments, not {len(values)}")
    return values


def _check_condition(condition: Any) -> None:
    if isinstance(condition, Recording):
        fits = condition.is_condition
    elif isinstance(condition, np.ndarray | np.generic | Array):
        fits = condition.dtype == np.bool_
    else:
        fits = isinstance(condition, bool)
    if not fits:
        shown = "a field" if isinstance(condition, Recording | Jet) else shorten(repr(condition))
        raise InputError(f"the condition of where must be a comparison, such as x < 0.5, not {shown}")


#: What formulas may call with several arguments.
CHOICES: dict[str, Callable[..., Any]] = {"min": min, "max": max, "where": where}
