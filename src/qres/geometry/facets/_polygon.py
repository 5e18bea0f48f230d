"""Polygons as facets: closed loops of corners, which may have holes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Int

from qres.runtime.errors import InputError

from ._facets import Facets
from ._winding import Winding

_NEAR = 1e-9  # of the size: corners so near to each other are one


def closed_polygon(corners: Float[np.ndarray, "v 2"], where: str) -> Facets:
    """One loop, in either direction; the last corner may be the first again."""
    return closed_loops([corners], where)


def closed_loops(
    loops: Sequence[Float[np.ndarray, "v 2"]],
    where: str,
    groups: Mapping[str, Sequence[tuple[int, int]]] | None = None,
) -> Facets:
    """Loops that do not cross; where one lies in another, it bounds a hole in that, and so on.

    Args:
        loops: the corners of each.
        where: what they are part of, for a message.
        groups: by name, segments as the number of the loop and that of the corner that they begin at.
    """
    size = max((float(np.max(np.ptp(loop, axis=0))) for loop in loops if len(loop)), default=0.0)
    kept, numbers = zip(*(_distinct(loop, _NEAR * size, where) for loop in loops), strict=True)
    cells = []
    start = 0
    for loop in kept:
        own = start + np.arange(len(loop))
        cells.append(np.stack([own, np.roll(own, -1)], axis=1))
        start += len(loop)
    points = np.concatenate(kept)
    _check_crossings(points[np.concatenate(cells)], where)
    edges = [Winding(points[own]) for own in cells]
    for k, (loop, own) in enumerate(zip(kept, cells, strict=True)):
        inside = [one.contains(loop[:1].T)[0] for j, one in enumerate(edges) if j != k]
        area = np.sum(loop[:, 0] * np.roll(loop[:, 1], -1) - np.roll(loop[:, 0], -1) * loop[:, 1])
        if (area > 0) == bool(sum(inside) % 2):  # a hole turns the other way
            cells[k] = own[:, ::-1]
    offsets = np.cumsum([0, *map(len, kept)])
    named: dict[str, Int[np.ndarray, " k"]] = {}
    for name, segments in (groups or {}).items():
        found = [
            offsets[loop] + numbers[loop][corner] for loop, corner in segments if numbers[loop][corner] >= 0
        ]
        named[name] = np.unique(np.array(found, dtype=int))
    return Facets(points, np.concatenate(cells), named)


def _distinct(
    loop: Float[np.ndarray, "v 2"], near: float, where: str
) -> tuple[Float[np.ndarray, "w 2"], Int[np.ndarray, " v"]]:
    """The loop without corners that repeat the one before, and the place of each, -1 where it is left out."""
    if not np.all(np.isfinite(loop)):
        raise InputError(f"{where}: a corner of the polygon is not a finite number")
    follows = np.linalg.norm(np.roll(loop, -1, axis=0) - loop, axis=1) > near
    if np.count_nonzero(follows) < 3:
        raise InputError(
            f"{where}: a polygon needs three different corners, not {int(np.count_nonzero(follows))}"
        )
    return loop[follows], np.where(follows, np.cumsum(follows) - 1, -1)


def _check_crossings(segments: Float[np.ndarray, "m 2 2"], where: str) -> None:
    """An error where two segments meet that are not neighbours."""
    order = np.argsort(segments[..., 0].min(axis=1), kind="stable")
    left, right = segments[..., 0].min(axis=1)[order], segments[..., 0].max(axis=1)[order]
    last = np.searchsorted(left, right, side="right")
    each = np.maximum(last - np.arange(len(order)) - 1, 0)
    first = np.repeat(np.arange(len(order)), each)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(each) - each, each)
    a, b = segments[order[first]], segments[order[second]]
    p, q, r, s = a[:, 0], a[:, 1], b[:, 0], b[:, 1]
    cross = (_turn(p, q, r) * _turn(p, q, s) < 0) & (_turn(r, s, p) * _turn(r, s, q) < 0)
    # Corners on the inside of another segment, as where two loops touch, or one turns back on itself.
    touch = _within(p, r, s) | _within(q, r, s) | _within(r, p, q) | _within(s, p, q)
    same = np.all(p == r, axis=1) & np.all(q == s, axis=1) | np.all(p == s, axis=1) & np.all(q == r, axis=1)
    if np.any(wrong := cross | touch | same):
        x, y = _meeting(*(ends[np.flatnonzero(wrong)[0]] for ends in (p, q, r, s)))
        raise InputError(f"{where}: the polygon crosses or touches itself near ({x:.6g}, {y:.6g})")


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Float[np.ndarray, " p"]:
    return (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])


def _within(x: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether points are on segments, off their ends."""
    along = b - a
    length = np.linalg.norm(along, axis=1)
    share = np.einsum("pd,pd->p", x - a, along) / length**2
    off = np.abs(_turn(a, b, x)) / length
    slack = 1e-9
    return (off <= slack * length) & (share > slack) & (share < 1 - slack)


def _meeting(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> Float[np.ndarray, " 2"]:
    """Where two segments meet, or the middle of the first where they are parallel."""
    matrix = np.stack([q - p, r - s], axis=1)
    if abs(np.linalg.det(matrix)) <= 1e-12 * np.linalg.norm(q - p) * np.linalg.norm(s - r):
        return (p + q) / 2
    return p + np.linalg.solve(matrix, r - p)[0] * (q - p)
