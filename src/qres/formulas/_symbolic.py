"""Symbolic arithmetic on expressions: sums and products that drop zeros and ones, and substitution."""

from __future__ import annotations

from collections.abc import Mapping

from ._expression import (
    MATHEMATICAL_CONSTANTS,
    Binary,
    Call,
    Comparison,
    Expression,
    Logical,
    Name,
    Negative,
    Number,
    evaluate,
    names_in,
    with_parts,
)

ZERO, ONE = Number(0.0), Number(1.0)
_ROUNDING = 1e-14


def number(value: float) -> Expression:
    """A number of either sign."""
    return Number(value) if value >= 0 else Negative(Number(-value))


def plus(a: Expression, b: Expression) -> Expression:
    """`a + b`."""
    if a == ZERO or b == ZERO:
        return b if a == ZERO else a
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value + b.value)
    if isinstance(b, Negative):
        return Binary("-", a, b.operand)
    return Binary("+", a, b)


def negative(a: Expression) -> Expression:
    """`-a`."""
    if a == ZERO:
        return a
    return a.operand if isinstance(a, Negative) else Negative(a)


def minus(a: Expression, b: Expression) -> Expression:
    """`a - b`."""
    return ZERO if a == b else plus(a, negative(b))


def times(a: Expression, b: Expression) -> Expression:
    """`a*b`."""
    if ZERO in (a, b):
        return ZERO
    if ONE in (a, b):
        return b if a == ONE else a
    if isinstance(a, Negative):
        return negative(times(a.operand, b))
    if isinstance(b, Negative):
        return negative(times(a, b.operand))
    if isinstance(b, Binary) and b.operator == "*":
        return times(times(a, b.left), b.right)
    return Binary("*", a, b)


def power(a: Expression, exponent: int) -> Expression:
    """`a^n`."""
    if exponent == 0:
        return ONE
    return a if exponent == 1 else Binary("^", a, Number(float(exponent)))


def substitute(node: Expression, name: Name, value: float, constants: Mapping[str, float]) -> Expression:
    """The expression with a value in place of a name; constant parts that vanish are dropped."""
    match node:
        case Name():
            return number(value) if node == name else node
        case Negative(operand):
            return negative(substitute(operand, name, value, constants))
        case Call(_, parts) | Comparison(_, parts) | Logical(_, parts):
            changed = with_parts(node, tuple(substitute(part, name, value, constants) for part in parts))
            return _folded(changed, constants) if isinstance(changed, Call) else changed
        case Binary(operator, left, right):
            a, b = (substitute(part, name, value, constants) for part in (left, right))
            combine = {"+": plus, "-": minus, "*": times}.get(operator)
            return _folded(combine(a, b) if combine else Binary(operator, a, b), constants)
        case _:
            return node


def _folded(node: Expression, constants: Mapping[str, float]) -> Expression:
    """Zero or one where the expression is constant and so near to it that only rounding is between.

    Sums and waves are rounded off as much as what they are made of; anything else that is zero is zero exactly.
    """
    if not all(name in constants or name in MATHEMATICAL_CONSTANTS for name in names_in(node)):
        return node
    value = float(evaluate(node, constants))
    match node:
        case Binary("+" | "-", left, right):
            parts = (left, right)
        case Call("sin" | "cos" | "tan", parts):
            pass
        case _:
            parts = ()
    rounding = _ROUNDING * max((abs(float(evaluate(part, constants))) for part in parts), default=0.0)
    if abs(value) <= rounding:
        return ZERO
    return ONE if abs(value - 1) < _ROUNDING else node
