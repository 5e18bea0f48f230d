"""Facets: segments in the plane or triangles in space that together bound a part of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from ._closest import closest_point
from ._tree import BoxTree
from ._winding import Winding

Columns = Float[np.ndarray, "d n"]


@dataclass(frozen=True, eq=False)
class Nearest:
    """By point, what of a surface is nearest to it.

    Args:
        points: of the surface.
        in_face: whether that is inside a face, and not on an edge or a corner.
        direction: the normal of the face, towards the inside, or the direction of the edge, zero at a corner.
        inside: whether the point is inside.
    """

    points: Columns
    in_face: Bool[np.ndarray, " n"]
    direction: Columns
    inside: Bool[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class Facets:
    """A closed surface of segments or triangles, whose corners turn so that normals point outwards.

    Args:
        points: the corners.
        cells: those of each facet, by number.
        groups: the facets of parts that have a name.
    """

    points: Float[np.ndarray, "v d"]
    cells: Int[np.ndarray, "m d"]
    groups: Mapping[str, Int[np.ndarray, " k"]] = field(default_factory=dict)

    @property
    def dimension(self) -> int:
        """Of the space: 2 or 3."""
        return self.points.shape[1]

    @property
    def extent(self) -> Float[np.ndarray, "2 d"]:
        """The least and the largest coordinates."""
        return np.stack([self.points.min(axis=0), self.points.max(axis=0)])

    @cached_property
    def corners(self) -> Float[np.ndarray, "m d d"]:
        """The corners of each facet."""
        return self.points[self.cells]

    @cached_property
    def scaled_normals(self) -> Float[np.ndarray, "m d"]:
        """Outward normals, as long as the facets are large."""
        along = self.corners[:, 1:] - self.corners[:, :1]
        if self.dimension == 2:
            return np.stack([along[:, 0, 1], -along[:, 0, 0]], axis=1)
        return np.cross(along[:, 0], along[:, 1]) / 2

    @cached_property
    def areas(self) -> Float[np.ndarray, " m"]:
        """Lengths of segments, areas of triangles."""
        return np.linalg.norm(self.scaled_normals, axis=1)

    @property
    def volume(self) -> float:
        """What the surface bounds: an area in the plane, a volume in space."""
        centre = self.corners.mean(axis=1)
        return float(np.sum((centre - self.extent.mean(axis=0)) * self.scaled_normals) / self.dimension)

    def only(self, group: str) -> Facets:
        """The facets of a group, by themselves not closed."""
        return Facets(self.points, self.cells[self.groups[group]])

    def sample(self, count: int, random: np.random.Generator) -> Float[np.ndarray, "count d"]:
        """Points of the facets in no order, as many on each as its area asks for."""
        passed = np.cumsum(self.areas)
        marks = (random.permutation(count) + random.random(count)) / count * passed[-1]
        chosen = self.corners[np.minimum(np.searchsorted(passed, marks), len(passed) - 1)]
        shares = random.exponential(size=(count, self.dimension))
        return np.einsum("nk,nkd->nd", shares / shares.sum(axis=1, keepdims=True), chosen)

    @cached_property
    def _tree(self) -> BoxTree:
        return BoxTree(self.corners.min(axis=1), self.corners.max(axis=1))

    @cached_property
    def _winding(self) -> Winding:
        return Winding(self.corners)

    def contains(self, points: Columns) -> Bool[np.ndarray, " n"]:
        """Which points the surface goes around."""
        return self._winding.contains(points)

    def nearest(self, points: Columns, reach: float = np.inf) -> Nearest:
        """What of the surface is nearest to each point; NaN where that is out of reach."""
        found = np.full_like(points, np.nan)
        direction = np.zeros_like(points)
        in_face = np.zeros(points.shape[1], dtype=bool)
        for numbers, facets in self._tree.candidates(points, reach):
            if not len(numbers):
                continue
            x = points.T[numbers]
            closest = closest_point(self.corners[facets], x)
            square = np.sum((x - closest.points) ** 2, axis=1)
            best = _first_least(numbers, square)
            at = numbers[best]
            found[:, at], in_face[at] = closest.points[best].T, closest.in_face[best]
            inward = -self.scaled_normals[facets[best]] / self.areas[facets[best], None]
            direction[:, at] = np.where(closest.in_face[best, None], inward, closest.along[best]).T
        return Nearest(found, in_face, direction, self.contains(points))


def _first_least(numbers: Int[np.ndarray, " p"], values: Float[np.ndarray, " p"]) -> Int[np.ndarray, " n"]:
    """The place of the least value of each number; equal numbers stand together."""
    order = np.lexsort((values, numbers))
    return order[np.flatnonzero(np.diff(numbers[order], prepend=-1))]
