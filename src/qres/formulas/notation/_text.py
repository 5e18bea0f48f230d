"""The text of an expression, which reads back as the same."""

from __future__ import annotations

from .._expression import (
    DIFF,
    Background,
    Binary,
    Call,
    Comparison,
    Derivative,
    Differential,
    Entry,
    Expression,
    Integral,
    Located,
    Logical,
    Name,
    Negative,
    Normal,
    Number,
    Opaque,
)

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_LOGICAL, _COMPARISON, _NEGATIVE, _ATOM = -1, 0, 3, 5


def text_of(node: Expression) -> str:
    """The expression as text that reads back as itself."""
    match node:
        case Number(value):
            return f"{value:.0f}" if value.is_integer() and value < 1e15 else repr(value)
        case Name(name):
            return name
        case Entry(name, place):
            return f"{name}[{place}]"
        case Derivative(written=written):
            return written
        case Differential(operand, _, along):
            return f"{DIFF}({text_of(operand)}, {along})"
        case Located(written=written, arguments=arguments) | Normal(written=written, arguments=arguments):
            return f"{written}({', '.join(text_of(argument) for argument in arguments)})"
        case Negative(operand):
            return f"-{_within(operand, _NEGATIVE)}"
        case Binary(operator, left, right):
            level = _PRECEDENCE[operator]
            if operator == "^":
                return f"{_within(left, _ATOM)}^{_within(right, _NEGATIVE)}"
            gap = " " if level == 1 else ""
            return f"{_within(left, level)}{gap}{operator}{gap}{_within(right, level + 1)}"
        case Call(function, arguments):
            return f"{function}({', '.join(text_of(argument) for argument in arguments)})"
        case Comparison(signs, sides):
            rest = [f" {sign} {text_of(side)}" for sign, side in zip(signs, sides[1:], strict=True)]
            return "".join([text_of(sides[0]), *rest])
        case Logical(word, conditions):
            return f" {word} ".join(_within(condition, _COMPARISON) for condition in conditions)
        case Opaque(function=function, parameters=parameters):
            return f"{function.__name__}({', '.join(parameters)})"
        case Background() | Integral():
            return node.text


def precedence(node: Expression) -> int:
    """How tightly the outermost operation binds."""
    match node:
        case Binary(operator):
            return _PRECEDENCE[operator]
        case Negative():
            return _NEGATIVE
        case Comparison():
            return _COMPARISON
        case Logical():
            return _LOGICAL
        case _:
            return _ATOM


def _within(node: Expression, level: int) -> str:
    return text_of(node) if precedence(node) >= level else f"({text_of(node)})"
