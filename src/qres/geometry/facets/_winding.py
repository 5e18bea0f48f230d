"""Which points closed facets go around: the winding number, by the facets that a ray crosses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

_AT_ONCE = 8192  # points
# Of the size: rays are moved by so little, in no simple direction, that they meet no corner and no edge.
_ASIDE = np.array([[0.6180339887e-10], [0.4142135624e-10]])


@dataclass(frozen=True, eq=False)
class Winding:
    """Facets in the cells of a grid across the last axis, along which the rays go."""

    corners: Float[np.ndarray, "m k d"]

    @cached_property
    def _grid(self) -> tuple[Float[np.ndarray, " e"], Float[np.ndarray, " e"], int]:
        """The lower corner, the sides of the cells, and how many there are along an axis."""
        across = self.corners[..., :-1].reshape(-1, self.corners.shape[-1] - 1)
        low, size = across.min(axis=0), np.ptp(across, axis=0)
        count = int(np.clip(np.ceil(len(self.corners) ** (1 / across.shape[1])), 1, 256))
        return low, np.maximum(size, np.finfo(float).tiny) / count, count

    @cached_property
    def _cells(self) -> tuple[Int[np.ndarray, " cells"], Int[np.ndarray, " f"]]:
        """Where the facets of each cell begin, and these."""
        low, side, count = self._grid
        across = self.corners[..., :-1]
        first, last = (
            np.clip(((ends - low) / side).astype(int), 0, count - 1)
            for ends in (across.min(axis=1), across.max(axis=1))
        )
        spans = last - first + 1
        each = np.prod(spans, axis=1)
        facets = np.repeat(np.arange(len(each)), each)
        place = np.arange(len(facets)) - np.repeat(np.cumsum(each) - each, each)
        cell = first[facets, 0] + place % spans[facets, 0]
        if across.shape[2] == 2:
            cell = cell * count + first[facets, 1] + place // spans[facets, 0]
        order = np.argsort(cell, kind="stable")
        starts = np.searchsorted(cell[order], np.arange(count ** across.shape[2] + 1))
        return starts, facets[order]

    def contains(self, points: Float[np.ndarray, "d n"]) -> Bool[np.ndarray, " n"]:
        """Which points have a winding number that is not zero."""
        parts = range(0, points.shape[1], _AT_ONCE)
        return np.concatenate(
            [self._numbers(points[:, k : k + _AT_ONCE]) != 0 for k in parts] or [[]]
        ).astype(bool)

    def _numbers(self, points: Float[np.ndarray, "d n"]) -> Int[np.ndarray, " n"]:
        low, side, count = self._grid
        size = np.max(side) * count
        across = (points[:-1] + size * _ASIDE[: len(points) - 1]).T
        cells = np.floor((across - low) / side).astype(int)
        within = np.all((cells >= 0) & (cells < count), axis=1)
        cell = cells[:, 0] if cells.shape[1] == 1 else cells[:, 0] * count + cells[:, 1]
        starts, facets = self._cells
        begin = np.where(within, starts[np.where(within, cell, 0)], 0)
        each = np.where(within, starts[np.where(within, cell, 0) + 1] - begin, 0)
        numbers = np.repeat(np.arange(len(each)), each)
        place = np.arange(len(numbers)) - np.repeat(np.cumsum(each) - each, each)
        chosen = facets[begin[numbers] + place]
        crossed = self._crossed(chosen, across[numbers], points[-1][numbers])
        return np.bincount(numbers, crossed, minlength=len(each)).round().astype(int)

    def _crossed(
        self, facets: Int[np.ndarray, " p"], across: Float[np.ndarray, "p e"], height: Float[np.ndarray, " p"]
    ) -> Float[np.ndarray, " p"]:
        """1 or -1 where the ray from a point upwards goes through a facet, by the side it comes from."""
        corners = self.corners[facets]
        flat, up = corners[..., :-1], corners[..., -1]
        if flat.shape[1] == 2:
            a, b = flat[:, 0, 0], flat[:, 1, 0]
            x = across[:, 0]
            areas = np.stack([b - x, x - a])
        else:
            areas = np.stack([_area(flat[:, (k + 1) % 3], flat[:, (k + 2) % 3], across) for k in range(3)])
        total = np.sum(areas, axis=0)
        inside = np.all(areas > 0, axis=0) | np.all(areas < 0, axis=0)
        with np.errstate(all="ignore"):
            above = np.sum(areas * up.T, axis=0) / total > height
        return np.where(inside & above, np.sign(total), 0.0)


def _area(
    a: Float[np.ndarray, "p 2"], b: Float[np.ndarray, "p 2"], x: Float[np.ndarray, "p 2"]
) -> np.ndarray:
    """Twice the signed area of triangles; the same but for the sign when a and b are exchanged."""
    swapped = (a[:, 0] > b[:, 0]) | ((a[:, 0] == b[:, 0]) & (a[:, 1] > b[:, 1]))
    p, q = np.where(swapped[:, None], b, a), np.where(swapped[:, None], a, b)
    area = (p[:, 0] - x[:, 0]) * (q[:, 1] - x[:, 1]) - (p[:, 1] - x[:, 1]) * (q[:, 0] - x[:, 0])
    return np.where(swapped, -area, area)
