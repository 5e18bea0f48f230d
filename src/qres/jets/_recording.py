"""Which derivatives an equation needs, found by running it once with fields that only take notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._truncation import MultiIndex, Truncation, index_of, plus


class Recording:
    """Stands in for a field in an equation; holds the multi-indices of the network's outputs that were asked for.

    Any combination needs what its parts need; a derivative needs all of that, shifted. The product rule's other terms
    lie below, so the downward closure of the result is exactly what a jet must carry.
    """

    __array_priority__ = 1000

    def __init__(self, coordinates: tuple[str, ...], needs: frozenset[MultiIndex]) -> None:
        self.coordinates = coordinates
        self.needs = needs

    @staticmethod
    def field(coordinates: tuple[str, ...]) -> Recording:
        """A network output or a coordinate: it needs its own value."""
        return Recording(coordinates, frozenset({(0,) * len(coordinates)}))

    def derivative(self, index: MultiIndex) -> Recording:
        """What a derivative of this needs."""
        return Recording(self.coordinates, frozenset(plus(need, index) for need in self.needs))

    def __getattr__(self, name: str) -> Recording:
        if name.startswith("_"):
            raise AttributeError(name)
        index = index_of(name, self.coordinates)
        if index is None:
            raise AttributeError(
                f"{name!r} is not a derivative: the coordinates are {', '.join(self.coordinates)}"
            )
        return self.derivative(index)

    def _with(self, other: Any) -> Recording:
        if isinstance(other, Recording):
            return Recording(self.coordinates, self.needs | other.needs)
        return self

    def __neg__(self) -> Recording:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _with
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _with

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of a field, as for a jet."""
        from ._functions import from_numpy

        return from_numpy(ufunc, method, inputs, options)


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
