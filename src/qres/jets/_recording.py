"""Which derivatives an equation needs, found by running it once with fields that only take notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from qres._errors import InputError

from ._truncation import MultiIndex, Truncation, index_of, plus


class Recording:
    """Stands in for a field in an equation; holds the multi-indices of the network's outputs that were asked for.

    Any combination needs what its parts need; a derivative needs all of that, shifted. The product rule's other terms
    lie below, so the downward closure of the result is exactly what a jet must carry. `pieced` are those needs that
    something made of pieces, such as `where`, is a function or a factor of: a few points that are tried prove nothing.
    """

    __array_priority__ = 1000

    def __init__(
        self,
        coordinates: tuple[str, ...],
        needs: frozenset[MultiIndex],
        pieced: frozenset[MultiIndex] = frozenset(),
        *,
        is_condition: bool = False,
    ) -> None:
        self.coordinates = coordinates
        self.needs = needs
        self.pieced = pieced
        self.is_condition = is_condition

    @staticmethod
    def field(coordinates: tuple[str, ...]) -> Recording:
        """A network output or a coordinate: it needs its own value."""
        return Recording(coordinates, frozenset({(0,) * len(coordinates)}))

    def derivative(self, index: MultiIndex) -> Recording:
        """What a derivative of this needs."""
        needs, pieced = (frozenset(plus(k, index) for k in each) for each in (self.needs, self.pieced))
        return Recording(self.coordinates, needs, pieced)

    def __getattr__(self, name: str) -> Recording:
        if name.startswith("_"):
            raise AttributeError(name)
        index = index_of(name, self.coordinates)
        if index is None:
            raise AttributeError(
                f"{name!r} is not a derivative: the coordinates are {', '.join(self.coordinates)}"
            )
        return self.derivative(index)

    def _added(self, other: Any) -> Recording:
        if isinstance(other, Recording):
            return Recording(self.coordinates, self.needs | other.needs, self.pieced | other.pieced)
        return Recording(self.coordinates, self.needs, self.pieced)

    def _with(self, other: Any) -> Recording:
        both = self._added(other)
        return both.in_pieces() if both.pieced else both

    def _compared(self, other: Any) -> Recording:
        both = self._added(other)
        return Recording(self.coordinates, both.needs, both.needs, is_condition=True)

    def in_pieces(self) -> Recording:
        """What a function with pieces of this needs."""
        return Recording(self.coordinates, self.needs, self.needs)

    def __neg__(self) -> Recording:
        return self._added(0.0)

    def __abs__(self) -> Recording:
        return self.in_pieces()

    def __invert__(self) -> Recording:
        return self._compared(self)

    def __bool__(self) -> bool:
        raise InputError(
            "a field or a comparison is neither true nor false, being both in places: write qres.where(x < 0.5, a, b) "
            "for if, qres.min and qres.max for min and max, (0.2 < x) & (x < 0.5) for 0.2 < x < 0.5"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = _added
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _with
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __rand__ = __or__ = __ror__ = _compared

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of a field, as for a jet."""
        from ._functions import from_numpy

        return from_numpy(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, *_: Any) -> Any:
        """NumPy's other functions, as for a jet."""
        from ._functions import refuse

        refuse(function)


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
