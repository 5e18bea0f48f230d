"""Text to expressions: a small whitelisted grammar over Python's `ast`. Nothing is executed."""

from __future__ import annotations

import ast
import keyword
import math
import re
import sys
import unicodedata
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from qres.formulas.integrals import integrals_in, read_integral
from qres.jets import index_of
from qres.runtime.errors import InputError, did_you_mean, listed, shorten

from ._expression import (
    DIFF,
    IMAGINARY,
    INTEGRALS,
    Binary,
    Call,
    Comparison,
    Derivative,
    Differential,
    Entry,
    Expression,
    Located,
    Logical,
    Name,
    Negative,
    Normal,
    Number,
    children,
    evaluate,
    names_in,
)
from ._scope import HIGHEST_ORDER, Scope
from .notation import text_of

LONGEST_TEXT = 10_000
DEEPEST_NESTING = 200

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}
_FORBIDDEN = {
    ast.Attribute: " (a derivative is written u_x)",
    ast.Tuple: " (a decimal point is '.', not ',')",
    ast.Constant: " (not a number)",
    ast.Compare: " (a comparison stands in where(condition, a, b), or in inside)",
    ast.BoolOp: " (and, or stand in where(condition, a, b), or in inside)",
}
_PRINTED = str.maketrans({"·": "*", "⋅": "*", "∙": "*", "×": "*", "−": "-", "≤": "<=", "≥": ">="})
_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_WORDS = {ast.And: "and", ast.Or: "or"}
_ARGUMENTS = {
    "min": (2, None, "two or more arguments"),
    "max": (2, None, "two or more arguments"),
    "where": (3, 3, "three arguments, where(condition, a, b)"),
}  # the least, the most, in words
GRAMMAR = "numbers, names, + - * / ^, parentheses, functions, and < <= > >= and or in where(condition, a, b)"


def parse(text: Any, where: str, *, also: str = "") -> tuple[ast.expr, ...]:
    """The syntax trees of `left = right`, or of a bare expression; what names mean is left to `read`.

    `also` are signs that are allowed besides those of formulas.
    """
    if not isinstance(text, str):
        raise InputError(f"{where} must be text, not {shorten(repr(text))}")
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{where} has {len(text):,} characters; at most {LONGEST_TEXT:,} are allowed")
    text = text.translate(_PRINTED)
    text = re.sub(
        "[⁰¹²³⁴-⁹]+", r"^\g<0>", text
    )  # superscripts are powers; the next line makes digits of them
    text = " ".join(unicodedata.normalize("NFKC", text).split())
    text = re.sub(r"(?<![\w.])(\d+\.?\d*|\.\d+)i\b", r"\1j", text)  # 2i is Python's 2j
    signs = re.finditer(r"[!:=]=|[!:#;\\@%&|~`$?\0]", text)
    if wrong := next((sign for sign in signs if sign[0] not in tuple(also)), None):
        raise InputError(f"{where} {shorten(text)!r}: {wrong[0]!r} is not allowed; the grammar is {GRAMMAR}")
    for word in re.findall(r"\w+", text):
        if keyword.iskeyword(word) and word not in _WORDS.values():
            hint = "try 'lambda_1'" if word == "lambda" else "choose another name"
            raise InputError(f"{where} {shorten(text)!r}: {word!r} is a reserved word of Python; {hint}")
    sides = re.split("(?<![<>])=", text)
    if len(sides) > 2:
        raise InputError(f"{where} {shorten(text)!r} has {len(sides) - 1} equals signs; one is allowed")
    return tuple(_tree(side, where) for side in sides)


def _tree(side: str, where: str) -> ast.expr:
    if not side.strip():
        raise InputError(f"{where}: an empty formula, or nothing on one side of the equals sign")
    source = side.strip().replace("^", "**")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source, mode="eval").body
    except SyntaxError as error:
        reason = error.msg.split(". ")[0].split(";")[0]
        near = source[max((error.offset or 1) - 1, 0) :]
        at = f" near {shorten(near, 30)!r}" if near and len(near) < len(source) else ""
        raise InputError(f"{where}: cannot read {shorten(side)!r}: {reason}{at}") from None
    except (RecursionError, MemoryError, ValueError):
        raise InputError(f"{where}: {shorten(side)!r} is nested too deeply") from None


@dataclass(frozen=True)
class Reader:
    """Gives the names in syntax trees their meaning, and lets nothing else through."""

    scope: Scope
    where: str
    located: bool = False  # in a condition, fields are called with a place: u(0, x)
    inner: bool = False  # in an integral, fields may be called with a place, and need not
    level: Expression | None = (
        None  # of the surface that a condition is on, whose normal is meant by u_n(x, y)
    )

    def read(self, tree: ast.expr, depth: int = 0) -> Expression:
        """The expression of a syntax tree."""
        if depth > DEEPEST_NESTING:
            raise InputError(f"{self.where}: more than {DEEPEST_NESTING} operations within one another")
        match tree:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return self._number(value)
            case ast.Constant(value=complex() as value) if self.scope.complex:
                return Binary("*", self._number(value.imag), Name(IMAGINARY))
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Negative(self.read(operand, depth + 1))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand, depth + 1)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                return Binary(
                    _OPERATORS[type(operator)], self.read(left, depth + 1), self.read(right, depth + 1)
                )
            case ast.Subscript(value=ast.Name(id=name), slice=place):
                return self._entry(name, place)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments, depth + 1)
            case _:
                culprit, hint = shorten(ast.unparse(tree), 40), _FORBIDDEN.get(type(tree), "")
                raise InputError(f"{self.where}: {culprit!r} is not allowed{hint}; the grammar is {GRAMMAR}")

    def condition(self, tree: ast.expr, what: str, depth: int = 0) -> Expression:
        """The comparison of a syntax tree, or several joined by `and` and `or`."""
        if depth > DEEPEST_NESTING:
            raise InputError(f"{self.where}: more than {DEEPEST_NESTING} operations within one another")
        if isinstance(tree, ast.Compare):
            sides = tuple(self.read(side, depth + 1) for side in (tree.left, *tree.comparators))
            return Comparison(tuple(_SIGNS[type(sign)] for sign in tree.ops), sides)
        if isinstance(tree, ast.BoolOp):
            parts = tuple(self.condition(part, what, depth + 1) for part in tree.values)
            return Logical(_WORDS[type(tree.op)], parts)
        culprit = shorten(ast.unparse(tree), 40)
        raise InputError(f"{self.where}: {what} must be a comparison, such as 'x < 0.5', not {culprit!r}")

    def inside_integral(self, variables: tuple[str, ...]) -> Reader:
        """The same for the inside of an integral, where variables of integration have a name besides."""
        scope = replace(self.scope, variables=(*self.scope.variables, *variables))
        return replace(self, scope=scope, located=False, inner=True, level=None)

    def without_fields(self) -> Reader:
        """The same for a bound of an integral."""
        scope = replace(self.scope, fields=(), definitions=())
        return replace(self, scope=scope, located=False, level=None)

    def fail(self, message: str) -> NoReturn:
        raise InputError(f"{self.where}: {message}")

    def _number(self, value: float) -> Number:
        if value > sys.float_info.max:
            self.fail("a number is too large")
        return Number(float(value))

    def _name(self, name: str) -> Expression:
        found = self.scope.resolve(name)
        if self._is_on_surface(name, found):
            return self._call(name, [ast.Name(coordinate) for coordinate in self.scope.coordinates], 0)
        if found is None and name in self.scope.functions:
            self.fail(f"{name!r} is a function: write {name}(…)")
        if found is None:
            self.fail(self.scope.unknown(name))
        field = found.field if isinstance(found, Derivative) else found.name
        if name in self.scope.vectors:
            self.fail(f"the unknown {name!r} is a vector: say which number is meant, {self._entries(name)}")
        if self.located and field in self.scope.differentiable:
            place = listed(("0", *self.scope.coordinates[1:]))
            self.fail(f"say where {name!r} is meant in a condition, such as {name}({place})")
        return found

    def _entry(self, name: str, place: ast.expr) -> Entry:
        """One number of a vector, `k[0]`."""
        count = self.scope.vectors.get(name)
        if count is None:
            known = f"; vectors are {listed(self.scope.vectors)}" if self.scope.vectors else ""
            shown = shorten(f"{name}[{ast.unparse(place)}]", 40)
            self.fail(f"{shown!r} is not allowed: {shorten(name, 40)!r} is not a vector of unknowns{known}")
        at = place.value if isinstance(place, ast.Constant) else None
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < count:
            shown = shorten(ast.unparse(place), 20)
            self.fail(f"{name}[{shown}]: the numbers of {name!r} are {self._entries(name)}")
        return Entry(name, at)

    def _entries(self, name: str) -> str:
        count = self.scope.vectors[name]
        return f"{name}[0]" if count == 1 else f"{name}[0] to {name}[{count - 1}]"

    def _is_on_surface(self, name: str, found: Name | Derivative | None) -> bool:
        """Whether a name means a field there where the condition holds, `u = 0 on boundary`."""
        if self.level is None:
            return False
        field = (
            found.field
            if isinstance(found, Derivative)
            else name.removesuffix("_n")
            if found is None
            else name
        )
        return field in self.scope.differentiable

    def _call(self, name: str, arguments: list[ast.expr], depth: int) -> Expression:
        if name in self.scope.functions:
            return self._function(name, arguments, depth)
        found = self.scope.resolve(name)
        if found is None and name == DIFF:
            return self._differential(arguments, depth)
        if found is None and name in INTEGRALS:
            return read_integral(name, arguments, self, depth)
        if found is None and self.level is not None and name.removesuffix("_n") in self.scope.differentiable:
            return self._normal(name, arguments, depth)
        if found is None:
            fields = self.scope.differentiable if self.located or self.inner else ()
            if name.rpartition("_")[0] in fields:
                self.fail(self.scope.unknown(name))
            hint = did_you_mean(name, (*self.scope.functions, *fields))
            functions = listed(self.scope.functions)
            known = f"fields {listed(fields)}; functions {functions}" if fields else functions
            self.fail(f"unknown function {shorten(name, 40)!r}{hint or ';'} known are {known}")
        index = found.index if isinstance(found, Derivative) else (0,) * len(self.scope.coordinates)
        field = found.field if isinstance(found, Derivative) else found.name
        if field not in self.scope.differentiable:
            self.fail(f"{name!r} is not a function; write {name}*(…) for a product")
        if not (self.located or self.inner):
            self.fail(f"a place, as in {name}(…), is for conditions only; here write {name!r}")
        read = tuple(
            self._argument(name, place, argument, depth) for place, argument in self._placed(name, arguments)
        )
        return Located(field, index, tuple(value for value, _ in read), name, tuple(part for _, part in read))

    def _function(self, name: str, arguments: list[ast.expr], depth: int) -> Call:
        least, most, words = _ARGUMENTS.get(name, (1, 1, "one argument"))
        if not least <= len(arguments) <= (most or len(arguments)):
            self.fail(f"{name} takes {words}, not {len(arguments)}")
        if name != "where":
            return Call(name, tuple(self.read(argument, depth) for argument in arguments))
        condition = self.condition(arguments[0], "the first argument of where", depth)
        return Call(name, (condition, *(self.read(argument, depth) for argument in arguments[1:])))

    def _differential(self, arguments: list[ast.expr], depth: int) -> Differential:
        """The derivative of an expression, `diff(k*u_x, x)`."""
        if self.located:
            self.fail(f"{DIFF}(…) is for equations and definitions; in a condition write u_x(0, x)")
        if len(arguments) != 2 or not isinstance(along := arguments[1], ast.Name):
            self.fail(f"{DIFF} takes an expression and coordinates, such as {DIFF}(u*u_x, x)")
        index = index_of(along.id, self.scope.coordinates)
        if index is None or sum(index) > HIGHEST_ORDER:
            known = f"coordinates, {listed(self.scope.coordinates)}, up to order {HIGHEST_ORDER}"
            self.fail(f"{DIFF}(…, {shorten(along.id, 20)}): the second argument must be {known}")
        operand = self.read(arguments[0], depth)
        if integrals := integrals_in([operand]):
            self.fail(f"{DIFF}({integrals[0].text}, …): take the derivative of what is integrated")
        if not set(names_in(operand)) & set(self.scope.differentiable):
            self.fail(f"{DIFF}({shorten(text_of(operand))}, {along.id}): there is no field to differentiate")
        return Differential(operand, index, along.id)

    def _normal(self, name: str, arguments: list[ast.expr], depth: int) -> Normal:
        assert self.level is not None
        read = [self._argument(name, place, tree, depth) for place, tree in self._placed(name, arguments)]
        names = self.scope.coordinates
        along = tuple(tuple(int(a == b) for b in names) for a in names if a != "t")
        location, parts = tuple(value for value, _ in read), tuple(part for _, part in read)
        return Normal(name.removesuffix("_n"), location, name, parts, self.level, along)

    def _placed(self, name: str, arguments: list[ast.expr]) -> list[tuple[str, ast.expr]]:
        if len(arguments) != len(self.scope.coordinates):
            order = listed(self.scope.coordinates)
            self.fail(
                f"{name} takes {len(self.scope.coordinates)} argument(s), {order}, not {len(arguments)}"
            )
        return list(zip(self.scope.coordinates, arguments, strict=True))

    def _argument(self, name: str, place: str, tree: ast.expr, depth: int) -> tuple[Any, Expression]:
        expression = self.read(tree, depth)
        if expression == Name(place):
            return None, expression
        if isinstance(expression, Name) and expression.name in self.scope.variables:
            return expression.name, expression
        if wrong := [used for used in names_in(expression) if used not in self.scope.constants]:
            order = listed(self.scope.coordinates)
            self.fail(
                f"{name}(…): the argument for {place!r} must be {place!r} or a fixed number, "
                f"not one with {wrong[0]!r}; the order is {order}"
            )
        return constant_value(expression, self.scope.constants, self.where), expression


def constant_value(expression: Expression, constants: Mapping[str, float], where: str) -> float:
    """The value of an expression of numbers and constants, which must be finite."""
    try:
        value = float(evaluate(expression, constants))
    except ZeroDivisionError:
        raise InputError(f"{where}: division by zero in {shorten(text_of(expression))!r}") from None
    except ArithmeticError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: {shorten(text_of(expression))!r} is not a finite number")
    return value


def check_constants(expression: Expression, constants: Mapping[str, float], where: str) -> float | None:
    """The value of an expression where it is constant; such parts must be finite, and no divisor zero."""
    values = [check_constants(child, constants, where) for child in children(expression)]
    if isinstance(expression, Binary) and expression.operator == "/" and values[1] == 0:
        raise InputError(f"{where}: division by zero in {shorten(text_of(expression))!r}")
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Name):
        return constants.get(expression.name, math.pi if expression.name == "pi" else None)
    if not values or None in values:
        return None
    return constant_value(expression, constants, where)
