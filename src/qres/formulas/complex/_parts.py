"""The real and the imaginary part of an expression, each an expression of real fields."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from qres.runtime.errors import InputError, listed, shorten

from .._expression import (
    IMAGINARY,
    Binary,
    Call,
    Comparison,
    Derivative,
    Differential,
    Expression,
    Integral,
    Located,
    Logical,
    Name,
    Negative,
    Normal,
    Number,
    walk,
    with_parts,
)
from .._symbolic import ONE, ZERO, minus, negative, plus, power
from ..integrals._read import integral_of
from ..notation import text_of
from ._functions import (
    HOLOMORPHIC,
    Pair,
    argument,
    exponential,
    logarithm,
    modulus,
    product,
    quotient,
    square_modulus,
)
from ._names import part_names

_HIGHEST_POWER = 12  # beyond, the polar form is shorter than the product written out


def parts(node: Expression, names: frozenset[str]) -> Pair:
    """The real and the imaginary part; `names` are the complex fields and definitions.

    What is real stays as it is, and an imaginary part that vanishes identically is the number zero.
    """
    if not _is_complex(node, names):
        return node, ZERO
    match node:
        case Name(name) if name == IMAGINARY:
            return ZERO, ONE
        case Name(name):
            real, imaginary = part_names(name)
            return Name(real), Name(imaginary)
        case Derivative() | Located() | Normal():
            real, imaginary = (_of_field(node, name) for name in part_names(node.field))
            return real, imaginary
        case Differential(operand):
            real, imaginary = (
                part if part == ZERO else replace(node, operand=part) for part in parts(operand, names)
            )
            return real, imaginary
        case Negative(operand):
            real, imaginary = map(negative, parts(operand, names))
            return real, imaginary
        case Binary():
            return _binary(node, names)
        case Call():
            return _call(node, names)
        case Comparison() | Logical():
            return _real_parts(node, names), ZERO
        case Integral(function, integrand, variables, over, bounds):
            real, imaginary = (
                part if part == ZERO else integral_of(function, part, variables, over, bounds)
                for part in parts(integrand, names)
            )
            return real, imaginary
        case _:
            return _refuse(node, "has no real and imaginary part")


def _is_complex(node: Expression, names: frozenset[str]) -> bool:
    for part in walk(node):
        match part:
            case Name(name) if name == IMAGINARY or name in names:
                return True
            case Derivative(field=field) | Located(field=field) | Normal(field=field) if field in names:
                return True
            case Call("real" | "imag" | "conj" | "arg"):
                return True
            case Integral(integrand=integrand) if _is_complex(integrand, names):
                return True
    return False


def _of_field(node: Derivative | Located | Normal, name: str) -> Expression:
    return replace(node, field=name, written=name + node.written[len(node.field) :])


def _binary(node: Binary, names: frozenset[str]) -> Pair:
    if node.operator == "^":
        return _power(node, names)
    z, w = parts(node.left, names), parts(node.right, names)
    match node.operator:
        case "+":
            return plus(z[0], w[0]), plus(z[1], w[1])
        case "-":
            return minus(z[0], w[0]), minus(z[1], w[1])
        case "*":
            return product(z, w)
        case _:
            return quotient(z, w)


def _power(node: Binary, names: frozenset[str]) -> Pair:
    exponent = _whole(node.right)
    if (
        exponent is not None
        and exponent > 0
        and exponent % 2 == 0
        and isinstance(node.left, Call)
        and node.left.function == "abs"
    ):  # |z|² without a root, which has no derivative at zero
        return power(square_modulus(parts(node.left.arguments[0], names)), exponent // 2), ZERO
    z, w = parts(node.left, names), parts(node.right, names)
    if z[1] == ZERO and w[1] == ZERO:
        return Binary("^", z[0], w[0]), ZERO
    if exponent is None or abs(exponent) > _HIGHEST_POWER:
        return exponential(product(w, logarithm(z)))
    found: Pair = (ONE, ZERO)
    for _ in range(abs(exponent)):
        found = product(found, z)
    return found if exponent >= 0 else quotient((ONE, ZERO), found)


def _whole(node: Expression) -> int | None:
    sign, node = (-1, node.operand) if isinstance(node, Negative) else (1, node)
    return sign * int(node.value) if isinstance(node, Number) and node.value.is_integer() else None


def _call(node: Call, names: frozenset[str]) -> Pair:
    if node.function in ("min", "max"):
        return _real_parts(node, names), ZERO
    if node.function == "where":
        condition, *choices = node.arguments
        (a, b), (c, d) = (parts(choice, names) for choice in choices)
        chosen = parts(condition, names)[0]
        imaginary = ZERO if b == d == ZERO else Call("where", (chosen, b, d))
        return Call("where", (chosen, a, c)), imaginary
    z = parts(node.arguments[0], names)
    match node.function:
        case "real":
            return z[0], ZERO
        case "imag":
            return z[1], ZERO
        case "conj":
            return z[0], negative(z[1])
        case "abs":
            return modulus(z), ZERO
        case "arg":
            return argument(z), ZERO
        case function if z[1] == ZERO:
            return Call(function, (z[0],)), ZERO
        case function if function in HOLOMORPHIC:
            return HOLOMORPHIC[function](z)
    return _refuse(
        node,
        f"is not defined here: {node.function} takes a real argument ({listed(HOLOMORPHIC)} take any)",
    )


def _real_parts(node: Call | Comparison | Logical, names: frozenset[str]) -> Expression:
    """The same of real parts; there is no order among complex numbers."""
    members = (
        node.arguments
        if isinstance(node, Call)
        else node.sides
        if isinstance(node, Comparison)
        else node.conditions
    )
    found = [parts(member, names) for member in members]
    for member, (_, imaginary) in zip(members, found, strict=True):
        if imaginary != ZERO:
            _refuse(member, "is complex and cannot be compared; take abs, real or imag of it")
    return with_parts(node, tuple(real for real, _ in found))


def _refuse(node: Expression, why: str) -> NoReturn:
    raise InputError(f"{shorten(text_of(node))!r} {why}")
