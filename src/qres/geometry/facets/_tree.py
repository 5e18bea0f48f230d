"""The facets that may be nearest to points: a tree of boxes, walked through for all points at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

_AT_ONCE = 8192  # points

Pairs = tuple[Int[np.ndarray, " p"], Int[np.ndarray, " p"]]
"""Points and facets, by their numbers; those of a point stand together."""


@dataclass(frozen=True, eq=False)
class BoxTree:
    """Boxes around facets, around pairs of such boxes, and so on, along a curve that fills space.

    Args:
        lower: of the box of each facet.
        upper: likewise.
    """

    lower: Float[np.ndarray, "m d"]
    upper: Float[np.ndarray, "m d"]

    @cached_property
    def _order(self) -> Int[np.ndarray, " m"]:
        """The facets along Morton's curve, which has neighbours in space near each other."""
        centre = (self.lower + self.upper) / 2
        low, size = centre.min(axis=0), np.ptp(centre, axis=0).max() or 1.0
        cells = ((centre - low) / size * 1023).astype(np.uint64)
        code = np.zeros(len(centre), np.uint64)
        for bit in range(10):
            for k in range(cells.shape[1]):
                code |= (cells[:, k] >> np.uint64(bit) & np.uint64(1)) << np.uint64(bit * cells.shape[1] + k)
        return np.argsort(code, kind="stable")

    @cached_property
    def _levels(self) -> list[tuple[Float[np.ndarray, "k d"], Float[np.ndarray, "k d"]]]:
        """The boxes of each level, the root first; those that only fill up a level are empty."""
        depth = max(0, int(np.ceil(np.log2(len(self.lower)))))
        spare = ((0, 2**depth - len(self.lower)), (0, 0))
        low: np.ndarray = np.pad(self.lower[self._order], spare, constant_values=np.inf)
        high: np.ndarray = np.pad(self.upper[self._order], spare, constant_values=-np.inf)
        levels = [(low, high)]
        for _ in range(depth):
            low, high = np.minimum(low[::2], low[1::2]), np.maximum(high[::2], high[1::2])
            levels.append((low, high))
        return levels[::-1]

    def candidates(self, points: Float[np.ndarray, "d n"], reach: float = np.inf) -> Iterator[Pairs]:
        """All facets that may be nearest to each point within reach, and few others, some points at a time."""
        for start in range(0, points.shape[1], _AT_ONCE):
            some = points[:, start : start + _AT_ONCE].T
            numbers, facets = self._near(some, reach)
            yield numbers + start, facets

    def _near(self, points: Float[np.ndarray, "n d"], reach: float) -> Pairs:
        best = np.full(len(points), reach**2)  # squares: the nearest facet is at most so far, or out of reach
        numbers: np.ndarray = np.arange(len(points))
        nodes: np.ndarray = np.zeros(len(points), dtype=int)
        for level, (low, high) in enumerate(self._levels):
            if level:
                numbers, nodes = np.repeat(numbers, 2), np.ravel(2 * nodes[:, None] + np.arange(2))
            x, a, b = points[numbers], low[nodes], high[nodes]
            with np.errstate(invalid="ignore"):
                least = np.sum(np.maximum(np.maximum(a - x, x - b), 0.0) ** 2, axis=1)
                # A facet touches every side of its box: it is no further than the far corner.
                most = np.sum(np.maximum(np.abs(x - a), np.abs(x - b)) ** 2, axis=1)
            most[~np.isfinite(a[:, 0])] = np.inf
            starts = np.flatnonzero(np.diff(numbers, prepend=-1))
            if not len(starts):
                break
            best[numbers[starts]] = np.minimum(best[numbers[starts]], np.minimum.reduceat(most, starts))
            kept = least <= best[numbers] * (1 + 1e-12)
            numbers, nodes = numbers[kept], nodes[kept]
        return numbers, self._order[nodes] if len(numbers) else nodes
