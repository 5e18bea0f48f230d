"""Tensor-product B-splines on a box, with finer intervals where a field has high curvature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import ceil
from typing import Any

import numpy as np
import scipy.sparse as sparse
from jaxtyping import Float
from scipy.interpolate import BSpline

from qres.jets import MultiIndex

_POINTS = 1.2  # for each spline, in each coordinate: enough for a fit by least squares
_SMOOTHINGS = 4
_LEAST_INTERVALS = 6
_TIME_SHARE = 0.5  # intervals in time for each in space
Sparse = Any  # SciPy's sparse arrays have no common public type


@dataclass(frozen=True)
class Splines:
    """All splines of a degree over the intervals between `breaks`; periodic ones go around."""

    breaks: Float[np.ndarray, " n"]
    degree: int
    periodic: bool

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.breaks) - 1 + (0 if self.periodic else self.degree)

    @cached_property
    def _knots(self) -> np.ndarray:
        k, breaks = self.degree, self.breaks
        if not self.periodic:
            return np.concatenate([np.repeat(breaks[0], k), breaks, np.repeat(breaks[-1], k)])
        period = breaks[-1] - breaks[0]
        turns = -(-k // (len(breaks) - 1))
        before = [breaks[:-1] - turn * period for turn in range(turns, 0, -1)]
        after = [breaks[1:] + turn * period for turn in range(1, turns + 1)]
        return np.concatenate([np.concatenate(before)[-k:], breaks, np.concatenate(after)[:k]])

    def values(self, x: Float[np.ndarray, " m"], order: int) -> Sparse:
        """The `order`-th derivative of each spline at points of the interval, as a sparse matrix `(m, size)`.

        A derivative is a spline of a lower degree on the inner knots: `c'_i = k (c_{i+1} - c_i)/(t_{i+k+1} - t_{i+1})`.
        """
        knots, degree = self._knots, self.degree
        count = len(knots) - degree - 1
        matrix = sparse.identity(count, format="csr")
        for _ in range(order):
            here = len(knots) - degree - 1
            slope = degree / (knots[degree + 1 : degree + here] - knots[1:here])
            matrix = _differences(slope) @ matrix
            knots, degree = knots[1:-1], degree - 1
        inside = np.clip(x, self.breaks[0], self.breaks[-1])
        places = np.arange(count)
        around = sparse.csr_matrix((np.ones(count), (places, places % self.size)), shape=(count, self.size))
        return sparse.csr_matrix(BSpline.design_matrix(inside, knots, degree)) @ matrix @ around

    def gauss(self) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Points of Gauss's rule in every interval, and their shares of the whole."""
        widths = np.diff(self.breaks)
        nodes, weights = np.polynomial.legendre.leggauss(max(2, ceil(_POINTS * self.size / len(widths))))
        points = self.breaks[:-1, None] + widths[:, None] * (nodes + 1) / 2
        return points.ravel(), (widths[:, None] * weights / 2 / widths.sum()).ravel()


@dataclass(frozen=True)
class Space:
    """Products of splines, one factor a coordinate."""

    splines: tuple[Splines, ...]

    @property
    def size(self) -> int:
        """How many products there are."""
        return int(np.prod([one.size for one in self.splines]))

    def grid(self, fixed: Sequence[float | None]) -> tuple[Float[np.ndarray, "d n"], Float[np.ndarray, " n"]]:
        """Gauss points in the coordinates that are not fixed, and their weights, which sum to one."""
        rules = [
            one.gauss() if value is None else (np.array([value]), np.ones(1))
            for one, value in zip(self.splines, fixed, strict=True)
        ]
        points = np.meshgrid(*[x for x, _ in rules], indexing="ij")
        weights = np.meshgrid(*[w for _, w in rules], indexing="ij")
        return np.stack([x.ravel() for x in points]), np.prod([w.ravel() for w in weights], axis=0)

    def on_grid(self, fixed: Sequence[float | None], index: MultiIndex) -> Sparse:
        """A derivative of every product at the points of `grid`."""
        return reduce(lambda a, b: sparse.kron(a, b, format="csr"), self._factors(fixed, index))

    def sums_on_grid(
        self, fixed: Sequence[float | None], index: MultiIndex, coefficients: Float[np.ndarray, "fields size"]
    ) -> Float[np.ndarray, "fields n"]:
        """A derivative of sums of products at the points of `grid`, coordinate by coordinate."""
        values = coefficients.reshape(-1, *(one.size for one in self.splines))
        for axis, factor in enumerate(self._factors(fixed, index), start=1):
            moved = np.moveaxis(values, axis, 0)
            flat = factor @ moved.reshape(len(moved), -1)
            values = np.moveaxis(flat.reshape(-1, *moved.shape[1:]), 0, axis)
        return values.reshape(len(coefficients), -1)

    def _factors(self, fixed: Sequence[float | None], index: MultiIndex) -> list[Sparse]:
        return [
            one.values(one.gauss()[0] if value is None else np.array([value]), order)
            for one, value, order in zip(self.splines, fixed, index, strict=True)
        ]

    def at(self, points: Float[np.ndarray, "d n"], index: MultiIndex) -> Sparse:
        """A derivative of every product at any points."""
        factors = [one.values(x, order) for one, x, order in zip(self.splines, points, index, strict=True)]
        return reduce(_by_rows, factors)


def _by_rows(a: Sparse, b: Sparse) -> Sparse:
    """For each row, the products of all entries of one with all of the other."""
    left, right = np.diff(a.indptr), np.diff(b.indptr)
    ends = np.concatenate([[0], np.cumsum(left * right)])
    rows = np.repeat(np.arange(len(left)), left * right)
    first, second = np.divmod(np.arange(ends[-1]) - ends[rows], right[rows])
    i, j = a.indptr[rows] + first, b.indptr[rows] + second
    places = a.indices[i].astype(np.int64) * b.shape[1] + b.indices[j]
    shape = (a.shape[0], a.shape[1] * b.shape[1])
    return sparse.csr_matrix((a.data[i] * b.data[j], places, ends), shape)


def _differences(slope: Float[np.ndarray, " n"]) -> Sparse:
    """The matrix of `slope_i (c_{i+1} - c_i)`."""
    n = len(slope)
    return sparse.diags(slope) @ (sparse.eye(n, n + 1, k=1) - sparse.eye(n, n + 1))


def space_for(
    fields: Sequence[np.ndarray],
    axes: Mapping[str, Float[np.ndarray, " n"]],
    periodic: Sequence[str],
    degree: int,
    size: int,
) -> Space:
    """About `size` products, with narrower intervals where the fields have high curvature.

    Args:
        fields: on the grid of `axes`, from bound to bound.
        axes: by coordinate.
        periodic: the coordinates that go around.
        degree: of the splines.
        size: of the space.
    """
    shares = [_TIME_SHARE if name == "t" and len(axes) > 1 else 1.0 for name in axes]
    even = (size / np.prod(shares)) ** (1 / len(axes))
    splines = []
    for place, (name, x) in enumerate(axes.items()):
        ends = 0 if name in periodic else degree
        count = max(_LEAST_INTERVALS, round(even * shares[place]) - ends)
        splines.append(Splines(_breaks(fields, x, place, count), degree, name in periodic))
    return Space(tuple(splines))


def _breaks(fields: Sequence[np.ndarray], x: np.ndarray, axis: int, count: int) -> np.ndarray:
    """Interval ends at equal steps of `∫ 1 + √|u''|`, with the second derivative's mean over the other coordinates."""
    others = tuple(place for place in range(fields[0].ndim) if place != axis)
    bend = np.zeros(len(x))
    for field in fields:
        second = np.gradient(np.gradient(field, x, axis=axis), x, axis=axis)
        size = np.sqrt(np.mean(field**2))
        bend += np.sqrt(np.mean(second**2, axis=others)) / max(size, np.finfo(float).tiny)
    density = np.sqrt(bend)
    for _ in range(_SMOOTHINGS):
        density = np.convolve(np.pad(density, 1, mode="edge"), [0.25, 0.5, 0.25], "valid")
    density = 1 + density / max(density.mean(), np.finfo(float).tiny)
    steps = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(x))])
    breaks = np.interp(np.linspace(0, steps[-1], count + 1), steps, x)
    breaks[[0, -1]] = x[[0, -1]]
    return breaks
