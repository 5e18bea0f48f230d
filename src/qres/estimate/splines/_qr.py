"""Least squares for products of splines by QR, without the loss of digits of the normal equations.

A smooth error of an equation of fourth order weighs 1e-8 or less against the roughest spline. Squared, in normal
equations, that is below rounding, and the error goes unseen. Householder reflections do not square. With the
coefficients ordered along one coordinate, the rows of two neighbouring blocks are all that is dense at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.linalg
import scipy.sparse as sparse
from jaxtyping import Float

from ._normal import NormalEquations, band_order
from ._splines import Sparse

_MOST_WORK = 1e11  # floating point operations: some ten seconds of a busy core
_FLOOR = 1e-14  # of a column of length one: a spline that no point sees stays at rest


def factored(
    A: Sparse,
    b: Float[np.ndarray, " m"],
    ridge: Float[np.ndarray, " n"],
    fields: int,
    sizes: Sequence[int],
) -> BandQR | NormalEquations:
    """The minimum of `|Ax - b|² + |ridge·x|²`: by QR where that is affordable, else by normal equations.

    Args:
        A: sparse; a column for each product of splines of each field, in C order, then further, dense ones.
        b: as many numbers as A has rows.
        ridge: as many numbers as A has columns.
        fields: how many there are.
        sizes: the number of splines in each coordinate.
    """
    order, width = band_order(A[:, : fields * int(np.prod(sizes))], fields, sizes)
    columns = min(2 * width, len(order)) + A.shape[1] - len(order)
    rows = A.shape[0] + (len(order) // width + 1) * columns
    if 2.0 * rows * columns**2 > _MOST_WORK:
        return NormalEquations(A, b, fields, sizes)
    return BandQR(A, b, ridge, order, width)


class BandQR:
    """`A = QR` block by block, each column scaled to one. `x` is the solution; R is kept for `inverse`."""

    def __init__(
        self,
        A: Sparse,
        b: Float[np.ndarray, " m"],
        ridge: Float[np.ndarray, " n"],
        order: Float[np.ndarray, " k"],
        width: int,
    ) -> None:
        banded, n = len(order), A.shape[1]
        self._order = np.concatenate([order, np.arange(banded, n)])
        length = np.sqrt(np.asarray(A.multiply(A).sum(axis=0)).ravel() + ridge**2)
        self._scale = np.where(length > 0, 1 / np.maximum(length, np.finfo(float).tiny), 1.0)
        bottom = np.maximum(ridge * self._scale, _FLOOR)[self._order]
        ordered = (A @ sparse.diags(self._scale)).tocsr()[:, self._order].tocsr()
        self._edges = [*range(0, banded, width), banded]
        self._factor(ordered, b, bottom)
        self.x = self._out(self._backward(self._right))

    def _factor(self, A: Sparse, b: np.ndarray, bottom: np.ndarray) -> None:
        """R by blocks: of each, its own columns, those of the next, and the dense ones; and `Qᵀb`."""
        banded, n = self._edges[-1], A.shape[1]
        first = _first_columns(A, banded)
        dense = A[:, banded:].toarray()
        self._blocks: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        right = []
        carry = np.zeros((0, 0))
        for number, (start, stop) in enumerate(pairwise(self._edges)):
            end = self._edges[min(number + 2, len(self._edges) - 1)]
            rows = np.flatnonzero((first >= start) & (first < stop))
            new = np.hstack([A[rows, start:end].toarray(), dense[rows], b[rows, None]])
            own = stop - start
            old = np.zeros((len(carry), new.shape[1]))
            if len(carry):  # columns of this block, dense ones, right side
                old[:, :own], old[:, end - start :] = carry[:, :own], carry[:, own:]
            still = np.zeros((own, new.shape[1]))
            still[:, :own] = np.diag(bottom[start:stop])
            R = np.asarray(np.linalg.qr(np.vstack([old, new, still]), mode="r"))
            R = R[: min(R.shape)]
            self._blocks.append((R[:own, :own], R[:own, own : end - start], R[:own, end - start : -1]))
            right.append(R[:own, -1])
            carry = R[own:, own:]
        rows = np.flatnonzero(first >= banded)
        last = np.hstack([dense[rows], b[rows, None]])
        still = np.hstack([np.diag(bottom[banded:]), np.zeros((n - banded, 1))])
        R = np.zeros((0, 1))
        if n > banded:
            R = np.asarray(np.linalg.qr(np.vstack([carry, last, still]), mode="r"))
        self._last = R[: n - banded, :-1]
        self._right = np.concatenate([*right, R[: n - banded, -1]])

    def inverse(self, v: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """`(AᵀA)⁻¹ v`."""
        return self._out(self._backward(self._forward((self._scale * v)[self._order])))

    def _out(self, y: np.ndarray) -> np.ndarray:
        x = np.empty_like(y)
        x[self._order] = y
        return self._scale * x

    def _backward(self, right: np.ndarray) -> np.ndarray:
        """`R⁻¹ right`."""
        banded = self._edges[-1]
        tail = _triangle(self._last, right[banded:], False)
        parts, after = [tail], np.zeros(0)
        for (own, beside, dense), start in reversed(list(zip(self._blocks, self._edges, strict=False))):
            part = right[start : start + len(own)] - beside @ after[: beside.shape[1]] - dense @ tail
            after = _triangle(own, part, False)
            parts.append(after)
        return np.concatenate(parts[::-1])

    def _forward(self, right: np.ndarray) -> np.ndarray:
        """`R⁻ᵀ right`."""
        banded = self._edges[-1]
        parts, ends = [], right[banded:].copy()
        pending = np.zeros(0)
        for (own, beside, dense), start in zip(self._blocks, self._edges, strict=False):
            part = right[start : start + len(own)].copy()
            part[: len(pending)] -= pending
            part = _triangle(own, part, True)
            pending = beside.T @ part
            ends -= dense.T @ part
            parts.append(part)
        return np.concatenate([*parts, _triangle(self._last, ends, True)])


def _triangle(R: np.ndarray, right: np.ndarray, transposed: bool) -> np.ndarray:
    if not len(right):
        return right
    return scipy.linalg.solve_triangular(R, right, trans=1 if transposed else 0, check_finite=False)


def _first_columns(A: Sparse, banded: int) -> np.ndarray:
    """The first column that each row has an entry in, of those in the band; `banded` where there is none."""
    entries = A[:, :banded].tocoo()
    first = np.full(A.shape[0], banded)
    np.minimum.at(first, entries.row, entries.col)
    return first
