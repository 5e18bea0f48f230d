"""Integrals in Python functions: `qres.integral(u**2, "x")`, `qres.integral(lambda s: (x - s) * u(s), "x")`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from qres.formulas.integrals import integral_of
from qres.jets import index_of
from qres.runtime.errors import InputError, shorten

from .._expression import Expression, Name
from ._trace import Symbol


def integral(value: Any, over: str, low: Any = None, high: Any = None) -> Any:
    """`∫ value d over`, in a Python function of a problem; a function of the variable where that is not the coordinate.

    Args:
        value: of fields, coordinates and constants; or a function of a variable that takes the place of a coordinate,
            `lambda s: exp(-(x - s)**2) * u(s)`.
        over: the coordinate, or several, `"xy"`.
        low: the lower bound, where it is not that of the domain.
        high: the upper bound.
    """
    return _integral("integral", value, over, low, high)


def mean(value: Any, over: str, low: Any = None, high: Any = None) -> Any:
    """The mean over an interval; arguments as of `integral`."""
    return _integral("mean", value, over, low, high)


def _integral(function: str, value: Any, over: str, low: Any, high: Any) -> Any:
    if (low is None) != (high is None):
        raise InputError(f"{function}: give both bounds, or neither")
    probe = value if isinstance(value, Symbol) else _symbol_within(value)
    if probe is None:
        raise InputError(
            f"qres.{function} is for functions that can be written as a formula, not for {shorten(repr(value), 40)}; "
            'of a solution, take solution.integral("u^2")'
        )
    scope = probe._scope
    index = index_of(over, scope.coordinates) if isinstance(over, str) else None
    names = tuple(name for name, order in zip(scope.coordinates, index or (), strict=False) if order)
    if not names or max(index or (0,)) > 1:
        raise InputError(f"{function}: over must be a coordinate, or several, not {shorten(repr(over), 40)}")
    variables = names
    if not isinstance(value, Symbol):
        variables = (next(iter(inspect.signature(value).parameters)),)
        inner = replace(scope, variables=(*scope.variables, *variables))
        value = value(Symbol(Name(variables[0]), inner))
    node = probe._lifted(value)._node
    bounds = None if low is None else (probe._lifted(low)._node, probe._lifted(high)._node)
    return Symbol(_checked(function, node, variables, names, bounds), scope, probe._lifted(value)._size + 1)


def _checked(
    function: str,
    node: Expression,
    variables: tuple[str, ...],
    over: tuple[str, ...],
    bounds: tuple[Expression, Expression] | None,
) -> Expression:
    if len(over) > 1 and (bounds is not None or variables != over):
        raise InputError(f"{function}: bounds and functions of a variable are for one coordinate")
    return integral_of(function, node, variables, over, bounds)


def _symbol_within(value: Callable[..., Any]) -> Symbol | None:
    """A symbol that a function of a variable has seen around it: its fields, and so the names that are known."""
    if not callable(value):
        return None
    cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    return next((one for one in cells if isinstance(one, Symbol)), None)
