"""Least squares for products of splines: normal equations, which are a band when one coordinate counts last.

Splines far from each other share no point. With the coefficients ordered by one coordinate first, all that does not
vanish is near the diagonal, and a Cholesky factor of the band is found at once; a general sparse one takes ten times
as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.linalg
import scipy.sparse as sparse
from jaxtyping import Float

from ._splines import Sparse

_RIDGE = 1e-13  # of each spline's own square: keeps what nothing determines at rest
_LEAST_BLOCK = 64
_REFINEMENTS = 6
_MORE, _MOST = 10.0, 1e-6  # the ridge grows until the matrix is positive in floating point


Factors = list[tuple[np.ndarray, np.ndarray]]


class NormalEquations:
    """The x that minimises `|Ax - b|²`, each column scaled to one: digits enough for an error, not for a solution.

    The columns of A are one for each product of splines of each field, in C order, then further, dense ones.
    """

    def __init__(self, A: Sparse, b: Float[np.ndarray, " m"], fields: int, sizes: Sequence[int]) -> None:
        self._count = count = fields * int(np.prod(sizes))
        K = (A.T @ A).tocsc()
        diagonal = K.diagonal()
        tiny = np.finfo(float).tiny
        self._scale = np.where(diagonal > 0, 1 / np.sqrt(np.maximum(diagonal, tiny)), 0.0)
        self._K = K = (sparse.diags(self._scale) @ K @ sparse.diags(self._scale)).tocsc()
        self._order, _ = band_order(A[:, :count], fields, sizes)
        self._inside = K[:count, :count][self._order][:, self._order]
        self._factors, ridge = _factored(self._inside)
        self._beside = self._banded(K[:, count:].toarray()[:count])
        cross = K[count:, :count] @ self._beside
        self._small = K[count:, count:].toarray() - cross + ridge * np.eye(len(self._scale) - count)
        self.x = self.inverse(A.T @ b)

    def inverse(self, v: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """`(AᵀA)⁻¹ v`."""
        right, count = self._scale * v, self._count
        first = self._banded(right[:count, None])[:, 0]
        if len(right) == count:
            return self._scale * first
        last = np.linalg.solve(self._small, right[count:] - self._K[count:, :count] @ first)
        return self._scale * np.concatenate([first - self._beside @ last, last])

    def _banded(self, right: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
        found = np.empty(right.shape)
        found[self._order] = _refined(self._inside, self._factors, right[self._order])
        return found


def band_order(A: Sparse, fields: int, sizes: Sequence[int]) -> tuple[np.ndarray, int]:
    """The order of the columns in which rows have their entries closest together, and the widest row."""
    numbers = np.arange(A.shape[1]).reshape(fields, *sizes)
    entries = A.tocoo()
    best: tuple[int, np.ndarray] | None = None
    for axis in range(len(sizes)):
        order = np.moveaxis(np.moveaxis(numbers, 0, -1), axis, 0).ravel()
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        low, high = np.full(A.shape[0], len(order)), np.full(A.shape[0], -1)
        np.minimum.at(low, entries.row, place[entries.col])
        np.maximum.at(high, entries.row, place[entries.col])
        width = int(np.max(high - low, initial=0)) + 1
        if best is None or width < best[0]:
            best = width, order
    assert best is not None
    return best[1], max(best[0], min(_LEAST_BLOCK, len(best[1])))


def _factored(K: Sparse) -> tuple[Factors, float]:
    """A Cholesky factor of the band, with the smallest ridge that lets rounding pass."""
    ridge = _RIDGE
    while True:
        try:
            return _cholesky(K.tocsr(), ridge), ridge
        except np.linalg.LinAlgError:
            if ridge > _MOST:
                raise
            ridge *= _MORE


def _cholesky(K: Sparse, ridge: float) -> Factors:
    """`K = LLᵀ` in blocks as wide as the band, where it is tridiagonal: on the diagonal, and to its left.

    With dense blocks; LAPACK's own routine for bands is several times as slow.
    """
    entries = K.tocoo()
    width = max(_LEAST_BLOCK, int(np.max(np.abs(entries.row - entries.col), initial=0)))
    factors: Factors = []
    for start, stop in pairwise([*range(0, K.shape[0], width), K.shape[0]]):
        block = K[start:stop, start:stop].toarray()
        block[np.diag_indices(stop - start)] += ridge
        left = np.zeros((stop - start, 0))
        if factors:
            above = factors[-1][0]
            before = K[start:stop, start - len(above) : start].toarray()
            left = scipy.linalg.solve_triangular(above, before.T, lower=True, check_finite=False).T
            block -= left @ left.T
        factors.append((scipy.linalg.cholesky(block, lower=True, check_finite=False), left))
    return factors


def _solved(factors: Factors, right: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """The solution of a factored system."""
    parts: list[np.ndarray] = []
    start = 0
    for lower, left in factors:
        part = right[start : start + len(lower)]
        part = part - left @ parts[-1] if parts else part
        parts.append(scipy.linalg.solve_triangular(lower, part, lower=True, check_finite=False))
        start += len(lower)
    for number in reversed(range(len(factors))):
        part = parts[number]
        if number + 1 < len(factors):
            part = part - factors[number + 1][1].T @ parts[number + 1]
        lower = factors[number][0]
        parts[number] = scipy.linalg.solve_triangular(lower, part, lower=True, trans=1, check_finite=False)
    return np.concatenate(parts)


def _refined(K: Sparse, factors: Factors, right: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """The same without the ridge, as far as a few corrections get: smooth errors may weigh as little as it does."""
    found = _solved(factors, right)
    for _ in range(_REFINEMENTS):
        found = found + _solved(factors, right - K @ found)
    return found
