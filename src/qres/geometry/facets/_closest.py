"""The nearest point of a segment or a triangle, and what it is a part of: a face, an edge or a corner.

Triangles as in C. Ericson, Real-Time Collision Detection (2005), 5.1.5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

Rows = Float[np.ndarray, "p d"]


class Closest(NamedTuple):
    """The nearest points of facets, one a row.

    Where one is not inside a face, `along` is the direction of the edge that it is on, and zero at a corner.
    """

    points: Rows
    in_face: Bool[np.ndarray, " p"]
    along: Rows


def closest_point(corners: Float[np.ndarray, "p k d"], points: Rows) -> Closest:
    """The nearest point of each facet to one point each."""
    return (_of_segments if corners.shape[1] == 2 else _of_triangles)(corners, points)


def _dot(a: Rows, b: Rows) -> Float[np.ndarray, " p"]:
    return np.einsum("pd,pd->p", a, b)


def _share(a: Float[np.ndarray, " p"], b: Float[np.ndarray, " p"]) -> Float[np.ndarray, "p 1"]:
    """`a/b`, and 0 where that has no value."""
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0)[:, None]


def _of_segments(corners: Float[np.ndarray, "p k d"], points: Rows) -> Closest:
    a, along = corners[:, 0], corners[:, 1] - corners[:, 0]
    share = _share(_dot(points - a, along), _dot(along, along))
    inside = (share > 0) & (share < 1)
    return Closest(a + np.clip(share, 0, 1) * along, inside[:, 0], np.zeros_like(points))


def _of_triangles(corners: Float[np.ndarray, "p k d"], points: Rows) -> Closest:
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    ab, ac, bc = b - a, c - a, c - b
    d1, d2 = _dot(ab, points - a), _dot(ac, points - a)
    d3, d4 = _dot(ab, points - b), _dot(ac, points - b)
    d5, d6 = _dot(ab, points - c), _dot(ac, points - c)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    total = va + vb + vc
    found = a + _share(vb, total) * ab + _share(vc, total) * ac
    along = np.zeros_like(points)
    edges = [
        ((va <= 0) & (d4 - d3 >= 0) & (d5 - d6 >= 0), b + _share(d4 - d3, (d4 - d3) + (d5 - d6)) * bc, bc),
        ((vb <= 0) & (d2 >= 0) & (d6 <= 0), a + _share(d2, d2 - d6) * ac, ac),
        ((vc <= 0) & (d1 >= 0) & (d3 <= 0), a + _share(d1, d1 - d3) * ab, ab),
    ]
    corner = [((d6 >= 0) & (d5 <= d6), c), ((d3 >= 0) & (d4 <= d3), b), ((d1 <= 0) & (d2 <= 0), a)]
    in_face = np.ones(len(points), dtype=bool)
    for where, place, direction in edges:
        found[where], in_face[where] = place[where], False
        along[where] = direction[where] / np.linalg.norm(direction[where], axis=1, keepdims=True)
    for where, place in corner:
        found[where], in_face[where], along[where] = place[where], False, 0.0
    return Closest(found, in_face, along)
