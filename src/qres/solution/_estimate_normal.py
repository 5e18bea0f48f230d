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

from ._estimate_splines import Sparse

_RIDGE = 1e-13  # of each spline's own square: keeps what nothing determines at rest
_LEAST_BLOCK = 64
_REFINEMENTS = 6
_MORE, _MOST = 10.0, 1e-6  # the ridge grows until the matrix is positive in floating point


Factors = list[tuple[np.ndarray, np.ndarray]]


def least_squares(
    A: Sparse, b: Float[np.ndarray, " m"], fields: int, sizes: Sequence[int]
) -> Float[np.ndarray, " n"]:
    """The x that minimises `|Ax - b|²`, each column scaled to one: digits enough for an error, not for a solution.

    Args:
        A: sparse; a column for each product of splines of each field, in C order, then further, dense ones.
        b: as many numbers as A has rows.
        fields: how many there are.
        sizes: the number of splines in each coordinate.
    """
    count = fields * int(np.prod(sizes))
    K = (A.T @ A).tocsc()
    diagonal = K.diagonal()
    scale = np.where(diagonal > 0, 1 / np.sqrt(np.maximum(diagonal, np.finfo(float).tiny)), 0.0)
    K = (sparse.diags(scale) @ K @ sparse.diags(scale)).tocsc()
    right = np.column_stack([scale * (A.T @ b), K[:, count:].toarray()])
    order, inside = _ordered(K[:count, :count], fields, sizes)
    factors, ridge = _factored(inside)
    first = np.empty((count, right.shape[1]))
    first[order] = _refined(inside, factors, right[:count][order])
    if len(scale) == count:
        return scale * first[:, 0]
    cross = K[count:, :count] @ first
    small = K[count:, count:].toarray() - cross[:, 1:] + ridge * np.eye(len(scale) - count)
    last = np.linalg.solve(small, right[count:, 0] - cross[:, 0])
    return scale * np.concatenate([first[:, 0] - first[:, 1:] @ last, last])


def _ordered(K: Sparse, fields: int, sizes: Sequence[int]) -> tuple[np.ndarray, Sparse]:
    """The order of the coefficients that gives the narrowest band, and the matrix in that order."""
    numbers = np.arange(K.shape[0]).reshape(fields, *sizes)
    entries = K.tocoo()
    best: tuple[int, np.ndarray] | None = None
    for axis in range(len(sizes)):
        inner = np.moveaxis(np.moveaxis(numbers, 0, -1), axis, 0)
        order = inner.ravel()
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        width = int(np.max(np.abs(place[entries.row] - place[entries.col]), initial=0))
        if best is None or width < best[0]:
            best = width, order
    assert best is not None
    return best[1], K[best[1]][:, best[1]]


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
