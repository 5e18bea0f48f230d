"""Detection of the derivatives that an equation needs: it is run once with fields that record their use."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from qres.runtime.errors import InputError

from ._numpy import from_numpy, refuse
from ._truncation import MultiIndex, Truncation, below, index_of, minus, plus

Terms = Mapping[tuple[Hashable, ...], Mapping[tuple[str, MultiIndex], float]]
"""By a product of factors: the derivatives that stand by it, each with its number."""


class Recording:
    """Stands in for a field in an equation; holds the multi-indices of the network's outputs that were asked for.

    Any combination needs what its parts need; a derivative needs all of that, shifted. The product rule's other terms
    lie below, so the downward closure of the result is exactly what a jet must carry.

    `terms` says how it depends on derivatives of what has a name, without knowing any value. For each product of
    factors that vary, by name where they have one, it has the derivatives that stand by that product with constant
    numbers; those with no such factor stand by the empty product. A function of something is taken for that thing times
    a factor, its slope. So the slope by any derivative is the sum of number times product, whatever the factors are.
    """

    __array_priority__ = 1000

    def __init__(
        self,
        coordinates: tuple[str, ...],
        needs: frozenset[MultiIndex],
        terms: Terms | None = None,
        *,
        name: str | None = None,
        number: float | None = None,
        is_condition: bool = False,
        degree: int = 0,
    ) -> None:
        self.coordinates = coordinates
        self.needs = needs
        self.terms: Terms = terms or {}
        self.name = name
        self.number = number  # what it is everywhere, where that is known
        self.is_condition = is_condition
        self.degree = degree

    @staticmethod
    def field(coordinates: tuple[str, ...], name: str | None = None, degree: int = 0) -> Recording:
        """A network output or a coordinate: it needs its own value. Terms are noted of what has a name."""
        value: MultiIndex = (0,) * len(coordinates)
        terms: Terms = {} if name is None else {(): {(name, value): 1.0}}
        return Recording(coordinates, frozenset({value}), terms, name=name, degree=degree)

    @staticmethod
    def constant(coordinates: tuple[str, ...], number: Any) -> Recording:
        """A field that is the same everywhere."""
        known = float(number) if isinstance(number, int | float | np.generic) else None
        return Recording(coordinates, frozenset({(0,) * len(coordinates)}), number=known)

    def derivative(self, index: MultiIndex) -> Recording:
        """What a derivative of this needs; of a product, by Leibniz' rule."""
        shifted: list[Terms] = []
        for factors, group in self.terms.items():
            for part in below(index) if factors else (index,):
                number = math.prod(math.comb(m, j) for m, j in zip(index, part, strict=True))
                key = factors if part == index else ((factors, minus(index, part)),)
                shifted.append({key: {(name, plus(k, part)): number * a for (name, k), a in group.items()}})
        needs = frozenset(plus(k, index) for k in self.needs)
        return Recording(self.coordinates, needs, _sum(*shifted), degree=self.degree)

    def __getattr__(self, name: str) -> Recording:
        if name.startswith("_"):
            raise AttributeError(name)
        index = index_of(name, self.coordinates)
        if index is None:
            raise AttributeError(
                f"{name!r} is not a derivative: the coordinates are {', '.join(self.coordinates)}"
            )
        return self.derivative(index)

    def of_function(self) -> Recording:
        """What a function of this needs."""
        return Recording(self.coordinates, self.needs, self._by(object()), degree=2 * min(1, self.degree))

    def _by(self, factor: Hashable) -> Terms:
        """The terms of this times a factor that varies."""
        return {tuple(sorted((*factors, factor), key=str)): group for factors, group in self.terms.items()}

    def _times(self, other: Any) -> Terms:
        """The terms of this times a number, or an array."""
        if not self.terms:
            return {}  # a number may then be traced
        return self._scaled(float(other)) if np.ndim(other) == 0 else self._by(object())

    def _scaled(self, number: float) -> Terms:
        return {f: {k: number * a for k, a in group.items()} for f, group in self.terms.items()}

    def _with(self, other: Any, *terms: Terms) -> Recording:
        """This and another in one, of the larger degree."""
        if not isinstance(other, Recording):
            return Recording(self.coordinates, self.needs, _sum(*terms), degree=self.degree)
        degree = max(self.degree, other.degree)
        return Recording(self.coordinates, self.needs | other.needs, _sum(*terms), degree=degree)

    def _function(self, other: Any) -> Recording:
        """What a function of this and another needs."""
        theirs = other._by(object()) if isinstance(other, Recording) else {}
        found = self._with(other, self._by(object()), theirs)
        found.degree = 2 * min(1, found.degree)
        return found

    def _compared(self, other: Any) -> Recording:
        found = self._function(other)
        found.is_condition = True
        return found

    def __add__(self, other: Any) -> Recording:
        return self._with(other, self.terms, other.terms if isinstance(other, Recording) else {})

    def __sub__(self, other: Any) -> Recording:
        return self._with(other, self.terms, other._scaled(-1.0) if isinstance(other, Recording) else {})

    def __rsub__(self, other: Any) -> Recording:
        return -self

    def __neg__(self) -> Recording:
        return self._with(None, self._scaled(-1.0))

    def __mul__(self, other: Any) -> Recording:
        if not isinstance(other, Recording):
            product = self._with(other, self._times(other))
            product.number = 0.0 if self.terms and np.ndim(other) == 0 and float(other) == 0 else None
            return product
        if other.number is not None:
            return self._with(other, self._scaled(other.number))
        if self.number is not None:
            return self._with(other, other._scaled(self.number))
        product = self._with(other, self._by(other.name or object()), other._by(self.name or object()))
        product.degree = min(2, self.degree + other.degree)
        return product

    def __truediv__(self, other: Any) -> Recording:
        if isinstance(other, Recording) and other.number:
            return self._with(other, self._scaled(1.0 / other.number))
        if isinstance(other, Recording):
            inverse = f"1/{other.name}" if other.name else object()
            quotient = self._with(other, self._by(inverse), other._by(object()))
            quotient.degree = 2 if other.degree else self.degree
            return quotient
        return self._with(other, self._times(1.0 / np.asarray(other)) if self.terms else {})

    def __abs__(self) -> Recording:
        return self.of_function()

    def __invert__(self) -> Recording:
        return self._compared(None)

    def __bool__(self) -> bool:
        raise InputError(
            "a field or a comparison is neither true nor false, being both in places: write qres.where(x < 0.5, a, b) "
            "for if, qres.min and qres.max for min and max, (0.2 < x) & (x < 0.5) for 0.2 < x < 0.5"
        )

    __radd__, __rmul__ = __add__, __mul__
    __rtruediv__ = __pow__ = __rpow__ = _function
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __rand__ = __or__ = __ror__ = _compared

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of a field, as for a jet."""
        return from_numpy(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, *_: Any) -> Any:
        """NumPy's other functions, as for a jet."""
        refuse(function)


def _sum(*terms: Terms) -> Terms:
    """What is added up, product by product."""
    found: dict[tuple[Hashable, ...], dict[tuple[str, MultiIndex], float]] = {}
    for each in terms:
        for factors, group in each.items():
            there = found.setdefault(factors, {})
            for key, number in group.items():
                there[key] = there.get(key, 0.0) + number
    return found


def needed(
    function: Callable[[Mapping[str, Recording]], Any], fields: tuple[str, ...], coordinates: tuple[str, ...]
) -> Truncation:
    """The truncation that a function of fields needs, e.g. `1, t, x, xx` for Burgers' equation.

    `function` takes the fields by name and returns a value or a sequence of values.
    """
    results = function({name: Recording.field(coordinates) for name in fields})
    results = results if isinstance(results, list | tuple) else (results,)
    asked = [result.needs for result in results if isinstance(result, Recording)]
    return Truncation.closure(coordinates, frozenset().union(*asked))
