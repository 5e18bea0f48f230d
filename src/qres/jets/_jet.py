"""The Jet: a function's value and the required derivatives, as one truncated Taylor series."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from . import _compose as recurrences
from ._arrays import Values, array, log, namespace
from ._compose import compose
from ._numpy import from_numpy, refuse
from ._series import Coefficient, Series, add, multiply, product, scale, total
from ._truncation import MultiIndex, Truncation, factorial, index_of, plus, weight_of


@jax.tree_util.register_pytree_node_class
class Jet:
    """A truncated multivariate Taylor series, `u(x + h) = Σ_k u_k h^k`, whose coefficients are arrays.

    Arithmetic with jets, arrays and numbers is that of functions; `u.x`, `u.xt` are the derivatives, jets again, of
    what the truncation leaves to them. A coefficient that is None is known to be zero.
    """

    __array_priority__ = 1000  # an array on the left leaves the operation to the jet

    def __init__(self, truncation: Truncation, coefficients: Series) -> None:
        self.truncation = truncation
        self.coefficients = tuple(coefficients)

    def tree_flatten(self) -> tuple[tuple[tuple[Coefficient, ...]], Truncation]:
        """The coefficients, which JAX may transform, and the truncation, which it may not."""
        return (self.coefficients,), self.truncation

    @classmethod
    def tree_unflatten(cls, truncation: Truncation, children: tuple[tuple[Coefficient, ...]]) -> Jet:
        """The inverse of `tree_flatten`."""
        return cls(truncation, children[0])

    @staticmethod
    def constant(truncation: Truncation, value: Values | float) -> Jet:
        """A jet with no derivatives."""
        return Jet(truncation, (value,) + (None,) * (len(truncation) - 1))

    @staticmethod
    def coordinate(truncation: Truncation, name: str, value: Values) -> Jet:
        """The coordinate itself as a function of position: slope one along itself."""
        unit = tuple(int(name == other) for other in truncation.coordinates)
        one = namespace(value).ones((1,) * value.ndim, value.dtype)
        slopes = tuple(one if index == unit else None for index in truncation.indices[1:])
        return Jet(truncation, (value, *slopes))

    @property
    def value(self) -> Values:
        """The function's value."""
        assert self.coefficients[0] is not None
        return array(self.coefficients[0])

    def coefficient(self, index: MultiIndex) -> Values:
        """One derivative's value, `∂^k u = k! u_k`, in the shape of the function's value."""
        if index not in self.truncation.position:
            raise ValueError(f"this jet carries {self.truncation.indices}, not {index}")
        found = self.coefficients[self.truncation.position[index]]
        if found is None:
            return namespace(self.value).zeros_like(self.value)
        found = scale(factorial(index), found)
        return namespace(found).broadcast_to(found, self.value.shape)

    def derivative(self, index: MultiIndex) -> Jet:
        """`∂^index u` as a jet."""
        rest = self.truncation.shifted(index)
        if not rest.indices:
            raise ValueError(f"this jet carries {self.truncation.indices}, not {index}")

        def shift(k: MultiIndex) -> Coefficient:
            higher = plus(k, index)
            factor = factorial(higher) / factorial(k)
            return scale(factor, self.coefficients[self.truncation.position[higher]])

        shifted = [shift(k) for k in rest.indices]
        if shifted[0] is None:
            shifted[0] = namespace(self.value).zeros((1,) * self.value.ndim, self.value.dtype)
        return Jet(rest, shifted)

    def __getattr__(self, name: str) -> Jet:
        if name.startswith("_"):
            raise AttributeError(name)
        index = index_of(name, self.truncation.coordinates)
        if index is None:
            raise AttributeError(
                f"{name!r} is not a derivative: the coordinates are {', '.join(self.truncation.coordinates)}"
            )
        return self.derivative(index)

    def restrict(self, truncation: Truncation) -> Jet:
        """The same function, with fewer coefficients."""
        if truncation == self.truncation:
            return self
        return Jet(truncation, [self.coefficients[self.truncation.position[k]] for k in truncation.indices])

    def separated(self, truncation: Truncation) -> Jet:
        """Highest coefficients in place of combinations of them: those of least size that combine to the same.

        What depends on the highest coefficients through the combinations only has its true value with these.
        """
        if truncation == self.truncation:
            return self
        highest, plain = truncation.highest, len(self.truncation.indices)
        mixing = np.array([[weight_of(c, k) for k in highest] for c in self.truncation.combinations])
        shares = np.linalg.pinv(mixing)
        by_index = dict(zip(self.truncation.indices, self.coefficients[:plain], strict=True))
        for row, k in zip(shares, highest, strict=True):
            parts = zip(row.tolist(), self.coefficients[plain:], strict=True)
            by_index[k] = total(scale(share, c) for share, c in parts if share)
        return Jet(truncation, [by_index[k] for k in truncation.indices])

    def apply(self, recurrence: recurrences.Recurrence) -> Jet:
        """An elementary function of this one."""
        return Jet(self.truncation, compose(recurrence, self.truncation, self.coefficients))

    def _with(self, other: Any) -> tuple[Jet, Jet]:
        """Both operands over the same truncation."""
        if not isinstance(other, Jet):
            return self, Jet.constant(self.truncation, other)
        common = self.truncation.intersection(other.truncation)
        return self.restrict(common), other.restrict(common)

    @staticmethod
    def common(a: Any, b: Any) -> tuple[Jet, Jet]:
        """Two operands, of which one is a jet, over the same truncation."""
        return a._with(b) if isinstance(a, Jet) else b._with(a)[::-1]

    def __add__(self, other: Any) -> Jet:
        a, b = self._with(other)
        return Jet(a.truncation, [add(s, t) for s, t in zip(a.coefficients, b.coefficients, strict=True)])

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.truncation, [multiply(s, other) for s in self.coefficients])
        if other is self:
            return Jet(self.truncation, product(self.truncation, self.coefficients, self.coefficients))
        a, b = self._with(other)
        return Jet(a.truncation, product(a.truncation, a.coefficients, b.coefficients))

    def __neg__(self) -> Jet:
        return self * -1.0

    def __sub__(self, other: Any) -> Jet:
        return self + -other

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    def __truediv__(self, other: Any) -> Jet:
        return self * other.apply(recurrences.RECIPROCAL) if isinstance(other, Jet) else self * (1 / other)

    def __rtruediv__(self, other: Any) -> Jet:
        return self.apply(recurrences.RECIPROCAL) * other

    def __pow__(self, exponent: Any) -> Jet:
        return _power(self, exponent)

    def __rpow__(self, base: Any) -> Jet:
        return (self * log(base)).apply(recurrences.EXP)

    __radd__ = __add__
    __rmul__ = __mul__

    def __abs__(self) -> Jet:
        return self * namespace(self.value).sign(self.value)

    def __lt__(self, other: Any) -> Values:
        return self.value < value_of(other)

    def __le__(self, other: Any) -> Values:
        return self.value <= value_of(other)

    def __gt__(self, other: Any) -> Values:
        return self.value > value_of(other)

    def __ge__(self, other: Any) -> Values:
        return self.value >= value_of(other)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of a jet (`np.sin(u)`), and its operators with an array on the left."""
        return from_numpy(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, *_: Any) -> Any:
        """NumPy's other functions (`np.where`) have none of ours to answer with."""
        refuse(function)

    def __repr__(self) -> str:
        return f"Jet({', '.join(self.truncation.coordinates)}; {len(self.truncation)} coefficients)"


def value_of(z: Any) -> Any:
    """The value of a jet; a number or an array as it is."""
    return z.value if isinstance(z, Jet) else z


def _power(base: Jet, exponent: Any) -> Jet:
    """Whole powers by repeated squaring, which also hold at and below zero; others from `z^p`."""
    if isinstance(exponent, Jet):
        return (base.apply(recurrences.LOG) * exponent).apply(recurrences.EXP)
    if not isinstance(exponent, int | float | np.number):
        return (base.apply(recurrences.LOG) * exponent).apply(recurrences.EXP)
    if float(exponent) != int(exponent) or abs(exponent) > 64:
        return base.apply(recurrences.power(float(exponent)))
    if exponent < 0:
        return _power(base, -int(exponent)).apply(recurrences.RECIPROCAL)
    if exponent == 0:
        return Jet.constant(base.truncation, namespace(base.value).ones_like(base.value))
    half = _power(base, int(exponent) // 2) if exponent > 1 else None
    squared = half * half if half is not None else None
    if squared is None:
        return base
    return squared * base if int(exponent) % 2 else squared
