"""Elementary functions of a complex argument, as real expressions of its real and imaginary part."""

from __future__ import annotations

from collections.abc import Callable

from .._expression import Binary, Call, Comparison, Expression, Name
from .._symbolic import ONE, ZERO, minus, negative, number, plus, power, times

Pair = tuple[Expression, Expression]
_TWO = number(2.0)


def call(function: str, *arguments: Expression) -> Expression:
    """A function of real arguments."""
    return Call(function, arguments)


def over(a: Expression, b: Expression) -> Expression:
    """`a/b`."""
    if a == ZERO or b == ONE:
        return a
    return Binary("/", a, b)


def square_modulus(z: Pair) -> Expression:
    """`|z|²`."""
    a, b = (ZERO if part == ZERO else power(part, 2) for part in z)
    return plus(a, b)


def modulus(z: Pair) -> Expression:
    """`|z|`, without a root where one part is known to vanish."""
    a, b = z
    if ZERO in z:
        return call("abs", a if b == ZERO else b)
    return call("sqrt", square_modulus(z))


def product(z: Pair, w: Pair) -> Pair:
    """`z w`."""
    (a, b), (c, d) = z, w
    return minus(times(a, c), times(b, d)), plus(times(a, d), times(b, c))


def quotient(z: Pair, w: Pair) -> Pair:
    """`z/w`."""
    a, b = z
    c, d = w
    if d == ZERO:
        return over(a, c), over(b, c)
    if c == ZERO:
        return over(b, d), negative(over(a, d))
    real, imaginary = product(z, (c, negative(d)))
    size = square_modulus(w)
    return over(real, size), over(imaginary, size)


def argument(z: Pair) -> Expression:
    """The phase of z, in (-π, π]; the half angle has no singularity but at z = 0."""
    a, b = z
    half = over(b, plus(modulus(z), call("abs", a) if a != ZERO else ZERO))
    acute = times(_TWO, call("atan", half))  # of |a| + ib, in [-π/2, π/2]
    pi = Name("pi")
    obtuse = call("where", _at_least_zero(b), minus(pi, acute), minus(negative(pi), acute))
    return call("where", _at_least_zero(a), acute, obtuse)


def _at_least_zero(a: Expression) -> Expression:
    return Comparison((">=",), (a, ZERO))


def exponential(z: Pair) -> Pair:
    """`exp z`."""
    a, b = z
    size = ONE if a == ZERO else call("exp", a)
    return times(size, call("cos", b)), times(size, call("sin", b))


def logarithm(z: Pair) -> Pair:
    """The principal value of `log z`."""
    return times(number(0.5), call("log", square_modulus(z))), argument(z)


def root(z: Pair) -> Pair:
    """The principal value of `sqrt z`."""
    real = call("sqrt", over(plus(modulus(z), z[0]), _TWO))
    return real, over(z[1], times(_TWO, real))


def _sine(z: Pair) -> Pair:
    a, b = z
    return times(call("sin", a), call("cosh", b)), times(call("cos", a), call("sinh", b))


def _cosine(z: Pair) -> Pair:
    a, b = z
    return times(call("cos", a), call("cosh", b)), negative(times(call("sin", a), call("sinh", b)))


def _hyperbolic_sine(z: Pair) -> Pair:
    a, b = z
    return times(call("sinh", a), call("cos", b)), times(call("cosh", a), call("sin", b))


def _hyperbolic_cosine(z: Pair) -> Pair:
    a, b = z
    return times(call("cosh", a), call("cos", b)), times(call("sinh", a), call("sin", b))


HOLOMORPHIC: dict[str, Callable[[Pair], Pair]] = {
    "exp": exponential,
    "log": logarithm,
    "sqrt": root,
    "sin": _sine,
    "cos": _cosine,
    "tan": lambda z: quotient(_sine(z), _cosine(z)),
    "sinh": _hyperbolic_sine,
    "cosh": _hyperbolic_cosine,
    "tanh": lambda z: quotient(_hyperbolic_sine(z), _hyperbolic_cosine(z)),
    "sech": lambda z: quotient((ONE, ZERO), _hyperbolic_cosine(z)),
}
