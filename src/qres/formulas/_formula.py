"""A Formula: an equation, definition or solution that a problem states, as text or as a Python function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from qres.jets import FUNCTIONS, MultiIndex
from qres.runtime.errors import InputError, listed, shorten

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
from .notation import mathml_of

# What JAX says of a function that is called with something of ours.
_FUNCTION_OF_JAX = re.compile(r"(?:.*<function (\w+) at|(\w+) requires).*<class 'qres\.jets\.", re.DOTALL)


@dataclass(frozen=True)
class Formula:
    """`left - right`, of named values: floats, arrays, jets or recordings.

    `text` is as it was written, or that of a traced function. An expression that is no equation has no right side.
    `shown` is the MathML of the complex formula that this is the real or the imaginary part of.
    """

    text: str
    left: Expression
    right: Expression | None = None
    shown: str = field(default="", compare=False)

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
        return tuple(replace(self, left=term, right=None) for _, term in signed_addends(self.residual))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that need values, in order of appearance."""
        return names_in(self.residual)

    @property
    def is_text(self) -> bool:
        """Whether the formula is an expression, and so can be saved: text, or a function that could be traced."""
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
        if self.shown:
            return self.shown
        if self.right is None:
            return mathml_of(self.left)
        return f"<mrow>{mathml_of(self.left)}<mo>=</mo>{mathml_of(self.right)}</mrow>"


@dataclass(frozen=True)
class Equation:
    """A named formula whose value must vanish everywhere in the domain."""

    name: str
    formula: Formula

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


def signed_addends(expression: Expression, sign: int = 1) -> Iterator[tuple[int, Expression]]:
    """What is added up in an expression, each with its sign."""
    match expression:
        case Binary("+" | "-" as operator, left, right):
            yield from signed_addends(left, sign)
            yield from signed_addends(right, -sign if operator == "-" else sign)
        case Negative(operand):
            yield from signed_addends(operand, -sign)
        case _:
            yield sign, expression


def _instead(name: str) -> str:
    """What to call in place of a function of jax.numpy."""
    ours = f"qres.{name}" if name in CALLABLE else f"a function of qres: {listed(CALLABLE)}"
    numpys = f" or np.{name}" if name in FUNCTIONS else ""
    return f"jnp.{name.lstrip('_')} does not take fields; use {ours}{numpys}"
