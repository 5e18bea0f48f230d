"""Formulas from text, or from Python functions, which are traced where possible."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from typing import Any

from qres.formulas.integrals import integrals_in
from qres.formulas.tracing import agree, traced
from qres.runtime.errors import InputError, did_you_mean, shorten

from ._expression import Expression, Located, Location, Number, Opaque, walk
from ._formula import Formula, signed_addends
from ._grammar import Reader, check_constants, parse
from ._scope import Scope
from ._symbolic import ZERO, minus, plus
from .notation import text_of

Stated = str | Callable[..., Any]


def read_formula(
    stated: Any, scope: Scope, where: str, *, equation: bool = False, location: Location | None = None
) -> Formula:
    """A formula from text or a Python function, with names that the scope knows.

    Args:
        stated: the text or the function.
        scope: what names mean.
        where: what it is part of, for a message.
        equation: whether it must vanish.
        location: where the fields of a function are meant, in a condition.
    """
    if not callable(stated):
        reader = Reader(scope, f"{where} {shorten(stated)!r}" if isinstance(stated, str) else where)
        return formula_of(parse(stated, where), stated, reader, equation=equation)
    parameters = _parameters(stated, scope, where)
    expression = traced(stated, parameters, scope, location)
    if expression is not None:
        found = _as_text(expression, scope, where, equation, location)
        # Of complex fields there are no jets to try a function on; its trace is taken as it is.
        # Nor are there fields at other places, which integrals need.
        if found is not None and (
            scope.complex
            or integrals_in([expression])
            or agree(stated, parameters, expression, scope, location)
        ):
            return found
    opaque = Opaque(stated, parameters, frozenset(scope.differentiable) & frozenset(parameters), location)
    shown = f"{_name_of(stated)}({', '.join(parameters)})"
    return Formula(shown, opaque, Number(0.0) if equation else None)


def _as_text(
    expression: Expression, scope: Scope, where: str, equation: bool, location: Location | None
) -> Formula | None:
    """A traced expression as a formula that its text reads back as; None where it has no such text."""
    left, right = _sides(expression) if location is not None else (expression, Number(0.0))
    try:
        text = text_of(left) if location is None else f"{text_of(left)} = {text_of(right)}"
        reader = Reader(scope, where, located=location is not None)
        found = formula_of(parse(text, where), text, reader, equation=equation)
    except (InputError, RecursionError):
        return None
    return found if found == Formula(text, left, right if equation else None) else None


def _sides(residual: Expression) -> tuple[Expression, Expression]:
    """A condition's residual as `u(…) = g`, where it can be said so, that the value of u may be built in."""
    terms = list(signed_addends(residual))
    alone = [place for place, (_, term) in enumerate(terms) if isinstance(term, Located)]
    placed = [term for _, term in terms if any(isinstance(part, Located) for part in walk(term))]
    if len(alone) != 1 or len(placed) != 1:
        return residual, ZERO
    sign, located = terms.pop(alone[0])
    data: Expression = ZERO
    for other, term in terms:
        data = plus(data, term) if other != sign else minus(data, term)
    return (located, data) if sign > 0 else (data, located)


def formula_of(trees: tuple[ast.expr, ...], text: str, reader: Reader, *, equation: bool) -> Formula:
    """A formula from its syntax trees."""
    if len(trees) == 2 and not equation:
        raise InputError(f"{reader.where}: an expression is wanted, without an equals sign")
    sides = [reader.read(tree) for tree in trees]
    for side in sides:
        check_constants(side, reader.scope.constants, reader.where)
    right = sides[1] if len(sides) == 2 else Number(0.0) if equation else None
    return Formula(" ".join(text.split()), sides[0], right)


def _name_of(function: Callable[..., Any]) -> str:
    if isinstance(function, functools.partial):
        return _name_of(function.func)
    return function.__name__ if isinstance(function, type(_name_of)) else type(function).__name__


def _parameters(function: Callable[..., Any], scope: Scope, where: str) -> tuple[str, ...]:
    """What a function is given, each a name that the scope knows; what has a value already is not one."""
    where = f"{where}, parameter of {_name_of(function)}"
    for name, value in _signature(function, where).items():
        if value is inspect.Parameter.empty and name not in scope.names():
            raise InputError(f"{where}: {scope.unknown(name)}")
        if value is not inspect.Parameter.empty and name in scope.names():
            raise InputError(
                f"{where}: {name!r} has the value {shorten(repr(value), 30)} already, and is a name of the problem "
                "as well; leave the value out, or take another name"
            )
    return parameters_of(function, where)


def parameters_of(function: Callable[..., Any], where: str) -> tuple[str, ...]:
    """The names of a Python function's arguments, which say what it is given, without those that have a default.

    What `functools.partial` has filled in is a default, too.
    """
    signature = _signature(function, where)
    return tuple(name for name, default in signature.items() if default is inspect.Parameter.empty)


def _signature(function: Callable[..., Any], where: str) -> dict[str, Any]:
    """The names of a function's arguments, with their defaults."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InputError(
            f"{where}: the arguments of {function!r} cannot be seen; wrap it in a function"
        ) from None
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InputError(f"{where}, {_name_of(function)}: the parameter {parameter} must be a plain name")
    return {parameter.name: parameter.default for parameter in parameters}


def check_spelling(name: str, scope: Scope, where: str) -> None:
    """A parameter that is taken for a field must not be a declared name, misspelt."""
    if hint := did_you_mean(name, [known for known in scope.names() if min(len(known), len(name)) > 3]):
        raise InputError(f"{where}: {name!r} is not declared{hint} (if it is a field, list it in fields)")
