"""Expression trees: their nodes and evaluation."""

from __future__ import annotations

import math
import operator as operators
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any

from qres.jets import CHOICES, FUNCTIONS, MultiIndex
from qres.runtime.errors import InputError

Location = tuple[float | None, ...]
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Number:
    """A literal number; never negative, so that its text reads back as itself."""

    value: float


@dataclass(frozen=True)
class Name:
    """A coordinate, constant, unknown, field or definition, or `pi`."""

    name: str


@dataclass(frozen=True)
class Entry:
    """One number of a vector unknown, `k[0]`."""

    name: str
    place: int


@dataclass(frozen=True)
class Derivative:
    """A derivative of a field or definition; the multi-index has an order for each coordinate."""

    field: str
    index: MultiIndex
    written: str


@dataclass(frozen=True)
class Differential:
    """A derivative of an expression, `diff(k*u_x, x)`; `along` are the coordinates as written."""

    operand: Expression
    index: MultiIndex
    along: str


@dataclass(frozen=True)
class Located:
    """A field, or a derivative, at a place: `u_x(t, 1)`. A place is a value, or None, a coordinate.

    Inside an integral a place may also be the variable of integration, by its name: `u(s)`.
    """

    field: str
    index: MultiIndex
    location: tuple[Any, ...]
    written: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Normal:
    """The derivative of a field along the outward normal of a surface, `u_n(x, y)`; inside, the level is positive.

    `along` are the coordinates of space.
    """

    field: str
    location: Location
    written: str
    arguments: tuple[Expression, ...]
    level: Expression
    along: tuple[MultiIndex, ...]


@dataclass(frozen=True)
class Negative:
    """`-a`."""

    operand: Expression


@dataclass(frozen=True)
class Binary:
    """`a + b`, `a - b`, `a*b`, `a/b` or `a^b`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Call:
    """A function of one argument, or `min`, `max` or `where`."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Comparison:
    """Sides with `<`, `<=`, `>` or `>=` between them, as in `0.1 < x < y`; a condition."""

    signs: tuple[str, ...]
    sides: tuple[Expression, ...]


@dataclass(frozen=True)
class Logical:
    """Conditions with `and`, or `or`, between them."""

    word: str
    conditions: tuple[Expression, ...]


@dataclass(frozen=True)
class Opaque:
    """A Python function of named values, its inside unknown. `fields` are at `location`, where given."""

    function: Callable[..., Any]
    parameters: tuple[str, ...]
    fields: frozenset[str] = frozenset()
    location: Location | None = None


@dataclass(frozen=True)
class Background:
    """A known function of the coordinates; where its jet is among the values, under its text, that is taken."""

    name: str
    function: Callable[..., Any]
    parameters: tuple[str, ...]

    @property
    def text(self) -> str:
        """Its name with its arguments, which no other name can be."""
        return f"{self.name}({', '.join(self.parameters)})"


@dataclass(frozen=True)
class Integral:
    """An integral, or a mean, of an expression: `integral(u^2, x)`, `integral(exp(-(x - s)^2)*u(s), s, 0, x)`.

    A variable is a coordinate, or a name of its own that stands for the coordinate in `over`. Without bounds it runs
    through the domain. The value is among the values under `text`: only fields at other places give it.
    """

    function: str
    integrand: Expression
    variables: tuple[str, ...]
    over: tuple[str, ...]
    bounds: tuple[Expression, Expression] | None
    text: str


Expression = (
    Number | Name | Entry | Derivative | Differential | Located | Normal | Negative | Binary | Call | Comparison
    | Logical | Opaque | Background | Integral
)  # fmt: skip

Several = Call | Comparison | Logical

MATHEMATICAL_CONSTANTS = {"pi": math.pi}
IMAGINARY = "i"  # in problems with complex fields
COMPLEX_FUNCTIONS = ("conj", "real", "imag", "arg")  # there too
DIFF = "diff"  # the derivative of an expression, in text
INTEGRALS = ("integral", "mean")
CALLABLE: dict[str, Callable[..., Any]] = {**FUNCTIONS, **CHOICES}
_ORDER = {"<": operators.lt, "<=": operators.le, ">": operators.gt, ">=": operators.ge}
_LOGIC = {"and": operators.and_, "or": operators.or_}


def children(node: Expression) -> tuple[Expression, ...]:
    """The parts of an expression."""
    match node:
        case Negative(operand) | Differential(operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Call(_, parts) | Comparison(_, parts) | Logical(_, parts):
            return parts
        case _:
            return ()


def rewritten(node: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with those parts exchanged for which `change` gives another."""
    if (other := change(node)) is not None:
        return other
    match node:
        case Negative(operand):
            return Negative(rewritten(operand, change))
        case Differential(operand):
            return replace(node, operand=rewritten(operand, change))
        case Binary(operator, left, right):
            return Binary(operator, rewritten(left, change), rewritten(right, change))
        case Call(_, parts) | Comparison(_, parts) | Logical(_, parts):
            return with_parts(node, tuple(rewritten(part, change) for part in parts))
        case _:
            return node


def with_parts(node: Several, parts: tuple[Expression, ...]) -> Several:
    """The same of other parts."""
    match node:
        case Call(function):
            return Call(function, parts)
        case Comparison(signs):
            return Comparison(signs, parts)
        case Logical(word):
            return Logical(word, parts)


def walk(node: Expression) -> Iterator[Expression]:
    """The expression and all its parts, from left to right."""
    yield node
    for child in children(node):
        yield from walk(child)


def names_in(node: Expression) -> tuple[str, ...]:
    """The names that an expression needs values of, in order of appearance."""
    found: list[str] = []
    for part in walk(node):
        match part:
            case Name(name) if name not in MATHEMATICAL_CONSTANTS:
                found.append(name)
            case Entry(name):
                found.append(name)
            case Derivative(field=field) | Located(field=field):
                found.append(field)
            case Normal(field=field, level=level):
                found.extend((field, *names_in(level)))
            case Opaque(parameters=parameters) | Background(parameters=parameters):
                found.extend(parameters)
            case Integral(integrand=integrand, variables=variables, bounds=bounds):
                inner = [name for one in (integrand, *(bounds or ())) for name in names_in(one)]
                found.extend(name for name in inner if name not in variables)
    return tuple(dict.fromkeys(found))


def evaluate(node: Expression, names: Values, places: Mapping[Location, Values] | None = None) -> Any:
    """The value of an expression of floats, arrays, jets or recordings; `places` has fields by location."""
    match node:
        case Number(value):
            return value
        case Name(name):
            return MATHEMATICAL_CONSTANTS[name] if name in MATHEMATICAL_CONSTANTS else names[name]
        case Entry(name, place):
            return names[name][place]
        case Derivative(field, index):
            return _differentiated(names[field], index)
        case Differential(operand, index):
            return _differentiated(evaluate(operand, names, places), index)
        case Located(field, index, location):
            assert places is not None
            return _differentiated(places[location][field], index)
        case Normal(field, location, level=level, along=along):
            assert places is not None
            return _along_normal(places[location][field], evaluate(level, names), along)
        case Negative(operand):
            return -evaluate(operand, names, places)
        case Binary(operator, left, right):
            return operate(operator, evaluate(left, names, places), evaluate(right, names, places))
        case Call(_, parts) | Comparison(_, parts) | Logical(_, parts):
            return _of_parts(node, [evaluate(part, names, places) for part in parts])
        case Opaque():
            there = places[node.location] if places is not None and node.location is not None else names
            values = {name: there[name] if name in node.fields else names[name] for name in node.parameters}
            return node.function(**values)
        case Background(_, function, parameters):
            given = names.get(node.text)
            return function(*(names[name] for name in parameters)) if given is None else given
        case Integral(text=text):
            if text not in names:
                raise InputError(
                    f"{text} cannot be evaluated here: an integral needs the fields at other places"
                )
            return names[text]


def _of_parts(node: Several, values: list[Any]) -> Any:
    match node:
        case Call(function):
            return CALLABLE[function](*values)
        case Comparison(signs):
            pairs = zip(signs, pairwise(values), strict=True)
            return reduce(operators.and_, [_ORDER[sign](*pair) for sign, pair in pairs])
        case Logical(word):
            return reduce(_LOGIC[word], values)


def _along_normal(value: Any, level: Any, along: tuple[MultiIndex, ...]) -> Any:
    slopes = [level.derivative(index) for index in along]
    length = FUNCTIONS["sqrt"](sum(slope * slope for slope in slopes))
    return -sum(slope * value.derivative(index) for slope, index in zip(slopes, along, strict=True)) / length


def _differentiated(value: Any, index: MultiIndex) -> Any:
    return value.derivative(index) if any(index) else value


def operate(operator: str, left: Any, right: Any) -> Any:
    """The value of one operation; whole powers are passed on as integers, which suits negative bases too."""
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case _:
            return _power(left, right)


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, float) and exponent.is_integer() and abs(exponent) < 2**31:
        exponent = int(exponent)
    if isinstance(base, float) and isinstance(exponent, float | int):
        value = base**exponent
        if isinstance(value, complex):
            raise ArithmeticError("a fractional power of a negative number")
        return float(value)
    return base**exponent
