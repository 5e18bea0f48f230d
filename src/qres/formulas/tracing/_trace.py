"""Tracing of Python functions: run once with symbols, they yield the expression that they compute.

A residual uses arithmetic, functions of qres or NumPy and derivatives such as `u.x`, and may not branch on values, so
its expression is exact: loops unroll, and closures and default arguments become numbers. What does anything else, or
does not read back from its own text as the same, is not traced.
"""

from __future__ import annotations

import math
import operator as operators
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from qres.jets import MultiIndex, Symbolic, from_numpy, index_of

from .._expression import (
    COMPLEX_FUNCTIONS,
    IMAGINARY,
    Binary,
    Call,
    Comparison,
    Derivative,
    Differential,
    Entry,
    Expression,
    Located,
    Location,
    Logical,
    Name,
    Negative,
    Number,
    names_in,
)
from .._scope import Scope
from .._symbolic import number, plus, times

LARGEST = (
    2000  # operations of a traced function; a program that shares what it computes may be far larger as text
)


class Untraceable(Exception):
    """A function does something that an expression cannot say."""


class Symbol(Symbolic):
    """Stands for a value in a Python function, and notes what is done with it.

    Other attributes than the derivatives begin with an underscore, since any name may be that of a coordinate.
    """

    __array_priority__ = 1000  # an array on the left leaves the operation to the symbol

    def __init__(self, node: Expression, scope: Scope, size: int = 1, *, is_condition: bool = False) -> None:
        self._node = node
        self._scope = scope
        self._size = size
        self._is_condition = is_condition
        if size > LARGEST:
            raise Untraceable(f"more than {LARGEST} operations")

    def derivative(self, index: MultiIndex) -> Symbol:
        """A derivative of this, by its multi-index."""
        return Symbol(_differentiated(self._node, index, self._scope), self._scope, self._size + 1)

    def __getattr__(self, name: str) -> Symbol:
        if name.startswith("_"):
            raise AttributeError(name)
        index = index_of(name, self._scope.coordinates)
        if index is None and self._scope.complex and name in COMPLEX_FUNCTIONS[1:3]:
            return self.called(name, (self,))
        if index is None:
            raise AttributeError(f"{name!r} is not a derivative")
        return self.derivative(index)

    def __call__(self, *places: Any) -> Symbol:
        """A field at a place, in an integral: `u(s)`, `u.x(t, s)`."""
        field, index = _field_of(self._node)
        if field not in self._scope.differentiable or len(places) != len(self._scope.coordinates):
            raise Untraceable("a place of what is no field, or one with too few arguments")
        arguments = tuple(self._lifted(place)._node for place in places)
        location = tuple(map(_place, self._scope.coordinates, arguments))
        written = self._node.written if isinstance(self._node, Derivative) else field
        return Symbol(Located(field, index or (0,) * len(places), location, written, arguments), self._scope)

    def called(self, function: str, arguments: tuple[Any, ...]) -> Symbol:
        """A function of these arguments, by its name."""
        if function == "identity":
            return self
        if function not in self._scope.functions:
            raise Untraceable(f"{function} is not a function of formulas")
        kinds = [isinstance(argument, Symbol) and argument._is_condition for argument in arguments]
        if kinds != [function == "where" and place == 0 for place in range(len(arguments))]:
            raise Untraceable("a comparison where a value is wanted, or the other way round")
        return self._joined(lambda *nodes: Call(function, nodes), *arguments)

    def _joined(
        self, join: Callable[..., Expression], *operands: Any, condition: bool = False, of: bool | None = None
    ) -> Symbol:
        """An expression of several operands; with `of`, all must be conditions, or none."""
        symbols = [self._lifted(operand) for operand in operands]
        if of is not None and any(symbol._is_condition != of for symbol in symbols):
            raise Untraceable("a comparison where a value is wanted, or the other way round")
        size = 1 + sum(symbol._size for symbol in symbols)
        nodes = (symbol._node for symbol in symbols)
        return Symbol(join(*nodes), self._scope, size, is_condition=condition)

    def _lifted(self, value: Any) -> Symbol:
        if isinstance(value, Symbol):
            return value
        is_complex = self._scope.complex and isinstance(value, complex | np.complexfloating)
        return Symbol(complex_constant(complex(value)) if is_complex else constant(value), self._scope)

    def _binary(self, operator: str, left: Any, right: Any) -> Symbol:
        return self._joined(lambda a, b: Binary(operator, a, b), left, right, of=False)

    def _compared(self, sign: str, other: Any) -> Symbol:
        return self._joined(lambda a, b: Comparison((sign,), (a, b)), self, other, condition=True, of=False)

    def _logical(self, word: str, left: Any, right: Any) -> Symbol:
        return self._joined(lambda a, b: Logical(word, (a, b)), left, right, condition=True, of=True)

    def __add__(self, other: Any) -> Symbol:
        return self._binary("+", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return self._binary("+", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return self._binary("-", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return self._binary("-", other, self)

    def __mul__(self, other: Any) -> Symbol:
        if other is self and not isinstance(self._node, Name):
            return self**2  # which also a jet computes as a square
        return self._binary("*", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return self._binary("*", other, self)

    def __truediv__(self, other: Any) -> Symbol:
        return self._binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return self._binary("/", other, self)

    def __pow__(self, other: Any) -> Symbol:
        return self._binary("^", self, other)

    def __rpow__(self, other: Any) -> Symbol:
        return self._binary("^", other, self)

    def __neg__(self) -> Symbol:
        return self._joined(Negative, self, of=False)

    def conjugate(self) -> Symbol:
        """The complex conjugate; also of NumPy's `np.conj(h)`."""
        return self.called("conj", (self,))

    conj = conjugate

    def __abs__(self) -> Symbol:
        return self.called("abs", (self,))

    def __lt__(self, other: Any) -> Symbol:
        return self._compared("<", other)

    def __le__(self, other: Any) -> Symbol:
        return self._compared("<=", other)

    def __gt__(self, other: Any) -> Symbol:
        return self._compared(">", other)

    def __ge__(self, other: Any) -> Symbol:
        return self._compared(">=", other)

    def __and__(self, other: Any) -> Symbol:
        return self._logical("and", self, other)

    def __or__(self, other: Any) -> Symbol:
        return self._logical("or", self, other)

    def __bool__(self) -> bool:
        raise Untraceable("a branch that depends on a value")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of a symbol, as for a jet."""
        if ufunc is np.conjugate and len(inputs) == 1:
            return self.conjugate()
        if any(isinstance(one, np.complexfloating) for one in inputs):
            inputs = tuple(complex(one) if isinstance(one, np.complexfloating) else one for one in inputs)
            return _ARITHMETIC[ufunc](*inputs) if ufunc in _ARITHMETIC else NotImplemented
        return from_numpy(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        """NumPy's other functions do not take fields, but for the phase of a complex number."""
        if function is np.angle and not options:
            return self.called("arg", (self,))
        raise Untraceable("a function of NumPy that does not take fields")


_ARITHMETIC: dict[Any, Callable[..., Any]] = {
    np.add: operators.add, np.subtract: operators.sub, np.multiply: operators.mul, np.divide: operators.truediv,
    np.power: operators.pow,
}  # fmt: skip


def _field_of(node: Expression) -> tuple[str, MultiIndex]:
    match node:
        case Name(name):
            return name, ()
        case Derivative(field, index):
            return field, index
        case _:
            return "", ()


def _place(coordinate: str, argument: Expression) -> float | str | None:
    """What an argument of a field stands for: the coordinate itself, a variable of integration, or a number."""
    match argument:
        case Name(name):
            return None if name == coordinate else name
        case Number(value):
            return value
        case Negative(Number(value)):
            return -value
        case _:
            raise Untraceable("a place that is neither a variable nor a number")


def complex_constant(value: complex) -> Expression:
    """A complex number with all its digits, `a + b*i`."""
    return plus(constant(value.real), times(constant(value.imag), Name(IMAGINARY)))


def constant(value: Any) -> Expression:
    """A number with all its digits."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.generic | np.ndarray | jax.Array):
        raise Untraceable(f"a {type(value).__name__} is not a number")
    found = np.asarray(value)
    if found.ndim or found.dtype.kind not in "iuf" or not np.isfinite(found):
        raise Untraceable("an array, or what is not a finite number")
    plain = float(found)
    if plain == math.pi:
        return Name("pi")
    return Negative(Number(0.0)) if plain == 0 and math.copysign(1.0, plain) < 0 else number(plain)


def _differentiated(node: Expression, index: MultiIndex, scope: Scope) -> Expression:
    match node:
        case Name(name) if name in scope.differentiable:
            return _derivative(name, index, scope)
        case Derivative(field, lower):
            return _derivative(field, _sum(lower, index), scope)
        case Located(field, lower):
            found = _derivative(field, _sum(lower, index), scope)
            return Located(field, found.index, node.location, found.written, node.arguments)
        case Differential(operand, lower):
            both = _sum(lower, index)
            return Differential(operand, both, _along(both, scope))
        case _ if set(names_in(node)) & set(scope.differentiable):
            return Differential(node, index, _along(index, scope))
        case _:
            raise Untraceable("a derivative of what has no field in it")


def _sum(a: MultiIndex, b: MultiIndex) -> MultiIndex:
    return tuple(i + j for i, j in zip(a, b, strict=True))


def _along(index: MultiIndex, scope: Scope) -> str:
    return "".join(name * order for name, order in zip(scope.coordinates, index, strict=True))


def _derivative(field: str, index: MultiIndex, scope: Scope) -> Derivative:
    return Derivative(field, index, f"{field}_{_along(index, scope)}")


def _argument(name: str, scope: Scope, location: Location | None) -> Any:
    """What a parameter of this name is given: a symbol, or an array of them for a vector."""
    if name in scope.vectors:
        entries = np.empty(scope.vectors[name], dtype=object)
        for place in range(len(entries)):
            entries[place] = Symbol(Entry(name, place), scope)
        return entries
    if location is None or name not in scope.differentiable:
        return Symbol(Name(name), scope)
    pairs = zip(scope.coordinates, location, strict=True)
    arguments = tuple(Name(coordinate) if value is None else number(value) for coordinate, value in pairs)
    nothing = (0,) * len(location)
    return Symbol(Located(name, nothing, location, name, arguments), scope)


def traced(
    function: Callable[..., Any], parameters: tuple[str, ...], scope: Scope, location: Location | None
) -> Expression | None:
    """The expression that a function computes; None where it does something that an expression cannot say.

    Args:
        function: of fields, coordinates, constants and unknowns, by name.
        parameters: the names that it is given.
        scope: what the names mean.
        location: where the fields are meant, in a condition.
    """
    try:
        found = function(**{name: _argument(name, scope, location) for name in parameters})
        if not isinstance(found, Symbol):
            return constant(found)
        return None if found._is_condition else found._node
    except Exception:  # whatever it is, running it on values says it in words
        return None
