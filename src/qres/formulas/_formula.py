"""A Formula: an equation, definition or solution that a problem states, as text or as a Python function."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from qres.jets import FUNCTIONS, MultiIndex
from qres.runtime.errors import InputError, did_you_mean, listed, shorten

from ._expression import (
    CALLABLE,
    Binary,
    Derivative,
    Expression,
    Location,
    Negative,
    Number,
    Opaque,
    Values,
    evaluate,
    names_in,
    walk,
)
from ._grammar import Reader, check_constants, parse
from ._mathml import mathml_of
from ._scope import Scope

Stated = str | Callable[..., Any]
# What JAX says of a function that is called with something of ours.
_FUNCTION_OF_JAX = re.compile(r"(?:.*<function (\w+) at|(\w+) requires).*<class 'qres\.jets\.", re.DOTALL)


@dataclass(frozen=True)
class Formula:
    """`left - right`, of named values: floats, arrays, jets or recordings.

    `text` is as it was written. An expression that is no equation has no right side.
    """

    text: str
    left: Expression
    right: Expression | None = None

    def __call__(self, names: Values, places: Mapping[Location, Values] | None = None) -> Any:
        """The value; in a condition, `places` holds the fields at each location."""
        try:
            return evaluate(self.residual, names, places)
        except ArithmeticError as error:
            raise InputError(f"{shorten(self.text)!r} has no finite value: {error}") from None
        except TypeError as error:
            if (called := _FUNCTION_OF_JAX.match(str(error))) is None:
                raise
            raise InputError(f"{shorten(self.text)!r}: {_instead(called[1] or called[2])}") from None

    @property
    def residual(self) -> Expression:
        """What must vanish, as one expression."""
        if self.right is None or self.right == Number(0.0):
            return self.left
        return self.right if self.left == Number(0.0) else Binary("-", self.left, self.right)

    @property
    def terms(self) -> tuple[Formula, ...]:
        """What is added up in the residual, each a formula of its own: their sizes say in which units it is."""
        return tuple(replace(self, left=term, right=None) for term in _addends(self.residual))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that need values, in order of appearance."""
        return names_in(self.residual)

    @property
    def is_text(self) -> bool:
        """Whether the formula was written as text, and so can be saved."""
        return not isinstance(self.left, Opaque)

    @property
    def derivatives(self) -> frozenset[tuple[str, MultiIndex]]:
        """The derivatives that appear in the text, as names and multi-indices."""
        parts = walk(self.residual)
        return frozenset((part.field, part.index) for part in parts if isinstance(part, Derivative))

    def mathml(self) -> str:
        """The formula as a presentation MathML element."""
        return f'<math display="block">{self.mathml_row()}</math>'

    def mathml_row(self) -> str:
        """The formula as MathML, to stand within an element."""
        if self.right is None:
            return mathml_of(self.left)
        return f"<mrow>{mathml_of(self.left)}<mo>=</mo>{mathml_of(self.right)}</mrow>"


@dataclass(frozen=True)
class Equation:
    """A named formula whose value must vanish everywhere in the domain."""

    name: str
    formula: Formula

    def residual(self, names: Mapping[str, Any]) -> Any:
        """`left - right` of fields, definitions, coordinates, constants and unknowns by name."""
        return self.formula(names)

    @property
    def text(self) -> str:
        """The equation as it was written."""
        return self.formula.text

    def mathml(self) -> str:
        """The equation as a presentation MathML element."""
        return self.formula.mathml()


def names_through(definitions: Mapping[str, Formula], formula: Formula) -> set[str]:
    """The names that a formula needs, by itself or through definitions, each of which may use those before it."""
    names = set(formula.names)
    for name, definition in reversed(list(definitions.items())):
        if name in names:
            names |= set(definition.names)
    return names


def _addends(expression: Expression) -> Iterator[Expression]:
    match expression:
        case Binary("+" | "-", left, right):
            yield from _addends(left)
            yield from _addends(right)
        case Negative(operand):
            yield from _addends(operand)
        case _:
            yield expression


def read_formula(stated: Any, scope: Scope, where: str, *, equation: bool = False) -> Formula:
    """A formula from text or a Python function, with names that the scope knows."""
    if callable(stated):
        parameters = parameters_of(stated, where)
        for name in parameters:
            if name not in scope.names():
                raise InputError(f"{where}, parameter of {_name_of(stated)}: {scope.unknown(name)}")
        opaque = Opaque(stated, parameters, frozenset(scope.differentiable) & frozenset(parameters))
        return Formula(
            f"{_name_of(stated)}({', '.join(parameters)})", opaque, Number(0.0) if equation else None
        )
    return formula_of(parse(stated, where), stated, Reader(scope, _within(where, stated)), equation=equation)


def formula_of(trees: tuple[ast.expr, ...], text: str, reader: Reader, *, equation: bool) -> Formula:
    """A formula from its syntax trees."""
    if len(trees) == 2 and not equation:
        raise InputError(f"{reader.where}: an expression is wanted, without an equals sign")
    sides = [reader.read(tree) for tree in trees]
    for side in sides:
        check_constants(side, reader.scope.constants, reader.where)
    right = sides[1] if len(sides) == 2 else Number(0.0) if equation else None
    return Formula(" ".join(text.split()), sides[0], right)


def _instead(name: str) -> str:
    """What to call in place of a function of jax.numpy."""
    ours = f"qres.{name}" if name in CALLABLE else f"a function of qres: {listed(CALLABLE)}"
    numpys = f" or np.{name}" if name in FUNCTIONS else ""
    return f"jnp.{name.lstrip('_')} does not take fields; use {ours}{numpys}"


def _within(where: str, text: str) -> str:
    return f"{where} {shorten(text)!r}"


def _name_of(function: Callable[..., Any]) -> str:
    return function.__name__ if isinstance(function, type(_name_of)) else type(function).__name__


def parameters_of(function: Callable[..., Any], where: str) -> tuple[str, ...]:
    """The names of a Python function's arguments, which say what it is given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InputError(
            f"{where}: the arguments of {function!r} cannot be seen; wrap it in a function"
        ) from None
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InputError(f"{where}, {_name_of(function)}: the parameter {parameter} must be a plain name")
    return tuple(parameter.name for parameter in parameters)


def check_spelling(name: str, scope: Scope, where: str) -> None:
    """A parameter that is taken for a field must not be a declared name, misspelt."""
    if hint := did_you_mean(name, [known for known in scope.names() if min(len(known), len(name)) > 3]):
        raise InputError(f"{where}: {name!r} is not declared{hint} (if it is a field, list it in fields)")
