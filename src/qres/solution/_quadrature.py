"""Integrals over boxes and regions by adaptive Gauss–Legendre rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

Points = Float[np.ndarray, "d n"]
Values = Float[np.ndarray, " n"]
_NODES = {1: 16, 2: 12, 3: 8, 4: 6}  # of a rule, along each coordinate
_MOST_POINTS = 4_000_000
_SAMPLES = 257  # of the level along a line, between which a boundary is looked for
_BISECTIONS = 60
_LINE_NODES = 16
_PANELS = (1, 2, 4, 8, 16, 32)  # of each part of a line that is inside
_LINES = 500  # integrated together
_ROUNDING = 1e-14


class Quadrature(NamedTuple):
    """An integral, and what its last refinement changed."""

    value: float
    error: float


def integrate(
    function: Callable[[Points], Values], lower: np.ndarray, upper: np.ndarray, tolerance: float
) -> Quadrature:
    """`∫ f` over a box: cells whose halves sum up to something else are bisected along every coordinate.

    Args:
        function: of points, `(d, n)`.
        lower: bounds of the box.
        upper: bounds of the box.
        tolerance: of the error, relative to the integral of `|f|`.
    """
    nodes, weights = _rule(len(lower))
    centers, halves = ((upper + lower) / 2)[:, None], ((upper - lower) / 2)[:, None]
    values, sizes = _cells(function, centers, halves, nodes, weights)
    done, size, error, used = 0.0, 0.0, 0.0, nodes.shape[1]
    volume = float(np.prod(halves[:, 0]))
    while centers.shape[1]:
        centers, halves, parent = _children(centers, halves)
        parts, new_sizes = _cells(function, centers, halves, nodes, weights)
        used += centers.shape[1] * nodes.shape[1]
        change = np.abs(np.bincount(parent, parts) - values)
        total = size + float(np.sum(new_sizes))
        share = np.prod(halves, axis=0)[:: 2 ** len(lower)] * 2 ** len(lower) / volume
        open_ = change > np.maximum(tolerance * total * np.sqrt(share), _ROUNDING * sizes)
        if used > _MOST_POINTS or not np.any(open_):
            return Quadrature(done + float(np.sum(parts)), error + float(np.sum(change)))
        again = open_[parent]
        done += float(np.sum(parts[~again]))
        size += float(np.sum(new_sizes[~again]))
        error += float(np.sum(change[~open_]))
        centers, halves, values, sizes = centers[:, again], halves[:, again], parts[again], new_sizes[again]
    return Quadrature(done, error)


def integrate_inside(
    function: Callable[[Points], Values],
    level: Callable[[Points], Values],
    lower: np.ndarray,
    upper: np.ndarray,
    tolerance: float,
) -> Quadrature:
    """`∫ f` where a level is positive: along the last coordinate between its roots, then over the others."""
    last = Quadrature(np.nan, np.inf)
    for panels in _PANELS:

        def lines(across: Points, panels: int = panels) -> Values:
            parts = [
                _along_lines(function, level, across[:, k : k + _LINES], lower[-1], upper[-1], panels)
                for k in range(0, across.shape[1], _LINES)
            ]
            return np.concatenate(parts)

        if len(lower) == 1:
            found = Quadrature(float(lines(np.zeros((0, 1)))[0]), 0.0)
        else:
            found = integrate(lines, lower[:-1], upper[:-1], tolerance)
        change = abs(found.value - last.value)
        last = Quadrature(found.value, found.error + (0.0 if np.isnan(change) else change))
        if change <= tolerance * abs(found.value):
            break
    return last


def _rule(dimension: int) -> tuple[Points, Values]:
    """Nodes and weights of a product rule on `[-1, 1]^d`."""
    x, w = np.polynomial.legendre.leggauss(_NODES[dimension])
    nodes = np.stack([axis.ravel() for axis in np.meshgrid(*[x] * dimension, indexing="ij")])
    weights = np.prod([axis.ravel() for axis in np.meshgrid(*[w] * dimension, indexing="ij")], axis=0)
    return nodes, weights


def _cells(
    function: Callable[[Points], Values], centers: Points, halves: Points, nodes: Points, weights: Values
) -> tuple[Values, Values]:
    """The integrals of f and of `|f|` over each cell."""
    points = centers[:, :, None] + halves[:, :, None] * nodes[:, None, :]
    values = function(points.reshape(len(centers), -1)).reshape(centers.shape[1], -1)
    jacobian = np.prod(halves, axis=0)
    return jacobian * (values @ weights), jacobian * (np.abs(values) @ weights)


def _children(centers: Points, halves: Points) -> tuple[Points, Points, Int[np.ndarray, " children"]]:
    """Every cell bisected along every coordinate, and which cell each child is of."""
    d, n = centers.shape
    signs = np.stack([axis.ravel() for axis in np.meshgrid(*[[-0.5, 0.5]] * d, indexing="ij")])
    moved = centers[:, :, None] + halves[:, :, None] * signs[:, None, :]
    smaller = np.repeat(halves / 2, 2**d, axis=1)
    return moved.reshape(d, -1), smaller, np.repeat(np.arange(n), 2**d)


def _along_lines(
    function: Callable[[Points], Values],
    level: Callable[[Points], Values],
    across: Points,
    low: float,
    high: float,
    panels: int,
) -> Values:
    """The integral along the last coordinate over what is inside, for each place across."""
    line, start, stop = _inside_parts(level, across, low, high)
    x, w = np.polynomial.legendre.leggauss(_LINE_NODES)
    edges = start[:, None] + (stop - start)[:, None] * np.arange(panels) / panels
    half = ((stop - start) / (2 * panels))[:, None, None]
    along = (edges[:, :, None] + half * (1 + x)).reshape(len(line), -1)
    points = np.concatenate([np.repeat(across[:, line], along.shape[1], axis=1), along.reshape(1, -1)])
    values = function(points).reshape(len(line), panels, -1)
    return np.bincount(line, np.sum(values * w * half, axis=(1, 2)), minlength=across.shape[1])


def _inside_parts(
    level: Callable[[Points], Values], across: Points, low: float, high: float
) -> tuple[Int[np.ndarray, " parts"], Values, Values]:
    """The parts of lines on which the level is positive: which line, and from where to where."""
    samples, n = np.linspace(low, high, _SAMPLES), across.shape[1]
    points = np.concatenate([np.repeat(across, _SAMPLES, axis=1), np.tile(samples, n)[None]])
    inside = (level(points) > 0).reshape(n, _SAMPLES)
    line, place = np.nonzero(inside[:, 1:] != inside[:, :-1])
    roots = _bisected(level, across[:, line], samples[place], samples[place + 1], inside[line, place])
    first, last = np.flatnonzero(inside[:, 0]), np.flatnonzero(inside[:, -1])
    lines = np.concatenate([line, first, last])
    ends = np.concatenate([roots, np.full(len(first), low), np.full(len(last), high)])
    order = np.lexsort((ends, lines))  # two and two of a line belong together
    return lines[order][::2], ends[order][::2], ends[order][1::2]


def _bisected(
    level: Callable[[Points], Values], across: Points, a: Values, b: Values, inside_a: Bool[np.ndarray, " n"]
) -> Values:
    for _ in range(_BISECTIONS if len(a) else 0):
        middle = (a + b) / 2
        same = (level(np.concatenate([across, middle[None]])) > 0) == inside_a
        a, b = np.where(same, middle, a), np.where(same, b, middle)
    return (a + b) / 2
