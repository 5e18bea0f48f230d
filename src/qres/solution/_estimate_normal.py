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
_MORE, _MOST = 100.0, 1e-6  # the ridge grows until the matrix is positive in floating point


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
    ridge = _RIDGE
    while True:
        try:
            solved = _banded(inside, ridge, right[:count][order])
            break
        except np.linalg.LinAlgError:
            if ridge > _MOST:
                raise
            ridge *= _MORE
    first = np.empty_like(solved)
    first[order] = solved
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


def _banded(K: Sparse, ridge: float, right: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """The solution of a symmetric system: in blocks as wide as the band, it is tridiagonal.

    `K = LLᵀ` block by block, with dense blocks: LAPACK's own routine for bands is several times as slow.
    """
    entries = K.tocoo()
    width = max(_LEAST_BLOCK, int(np.max(np.abs(entries.row - entries.col), initial=0)))
    edges = [*range(0, K.shape[0], width), K.shape[0]]
    rows = K.tocsr()
    factors: list[tuple[np.ndarray, np.ndarray]] = []
    solved: list[np.ndarray] = []
    for start, stop in pairwise(edges):
        block = rows[start:stop, start:stop].toarray()
        block[np.diag_indices(stop - start)] += ridge
        part, below = right[start:stop], np.zeros((stop - start, 0))
        if factors:
            before = rows[start:stop, start - len(factors[-1][0]) : start].toarray()
            below = scipy.linalg.solve_triangular(factors[-1][0], before.T, lower=True, check_finite=False).T
            block -= below @ below.T
            part = part - below @ solved[-1]
        lower = scipy.linalg.cholesky(block, lower=True, check_finite=False)
        factors.append((lower, below))
        solved.append(scipy.linalg.solve_triangular(lower, part, lower=True, check_finite=False))
    for number in reversed(range(len(factors))):
        part = solved[number]
        if number + 1 < len(factors):
            part = part - factors[number + 1][1].T @ solved[number + 1]
        lower = factors[number][0]
        solved[number] = scipy.linalg.solve_triangular(lower, part, lower=True, trans=1, check_finite=False)
    return np.concatenate(solved)
