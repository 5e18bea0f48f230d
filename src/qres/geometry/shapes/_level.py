"""The signed distance to facets as a known function of the coordinates, with all derivatives, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from qres.formulas import Background
from qres.geometry.facets import Facets
from qres.jets import Jet, Recording, namespace, sqrt, where

from .._surface import Bounds, Surface

_REACH = 0.02  # of the size of facets
_FACE, _EDGE, _FAR = 0.0, 1.0, 2.0  # what is nearest


@dataclass(frozen=True, eq=False)
class FacetsLevel:
    """The signed distance to facets, positive inside, near them; further off than `reach`, that with a sign.

    Each derivative is that of the distance to what is nearest: a face, an edge or a corner. The nearest point is looked
    for in NumPy, also inside a compiled program, where it costs a call back.
    """

    facets: Facets

    @cached_property
    def reach(self) -> float:
        """Up to where distances are told apart: that makes the search for what is nearest short."""
        return float(_REACH * np.max(np.ptp(self.facets.extent, axis=0)))

    def __call__(self, *coordinates: Any) -> Any:
        """The level at numbers, arrays, jets or recordings."""
        if isinstance(coordinates[0], Recording):
            return sum(coordinates[1:], coordinates[0]).of_function()
        values = [one.value if isinstance(one, Jet) else one for one in coordinates]
        p, v, kind, sign = self._nearest(values)
        apart = [x - at for x, at in zip(coordinates, p, strict=True)]
        along: Any = sum(d * c for d, c in zip(apart, v, strict=True))
        square: Any = sum((d - c * along) * (d - c * along) for d, c in zip(apart, v, strict=True))
        near = where(kind == _FACE, along, sqrt(square) * sign)
        return where(kind == _FAR, sign * self.reach, near)

    def _nearest(self, values: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
        """By coordinate the nearest point and the direction; whether it is in a face, and the sign."""
        xp, d = namespace(values[0]), len(values)
        if not any(isinstance(value, jax.Array) for value in values):
            rows = self._rows(*values)
        else:
            shape = np.broadcast_shapes(*(value.shape for value in values))
            result = jax.ShapeDtypeStruct((2 * d + 2, *shape), np.dtype(float))
            rows = jax.pure_callback(self._rows, result, *(xp.broadcast_to(v, shape) for v in values))
        return rows[:d], rows[d : 2 * d], rows[2 * d], rows[2 * d + 1]

    def _rows(self, *values: Any) -> Float[np.ndarray, "rows ..."]:
        arrays = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values))
        points = np.stack([one.ravel() for one in arrays])
        found = self.facets.nearest(points, self.reach)
        far = np.isnan(found.points[0])
        kind = np.where(far, _FAR, np.where(found.in_face, _FACE, _EDGE))
        sign = np.where(found.inside, 1.0, -1.0)
        rows = np.concatenate([np.where(far, 0.0, found.points), found.direction, [kind, sign]])
        return rows.reshape(-1, *arrays[0].shape)


def facets_surface(text: str, facets: Facets, names: Sequence[str], bounds: Bounds) -> Surface:
    """The surface of facets, whose level is positive inside."""
    return Surface(Background(text, FacetsLevel(facets), tuple(names)), {}, bounds, facets=facets)
