"""Dense least squares in a backward-stable way: Householder QR with a ridge at the level of rounding.

Columns of random features are dependent to working precision. Normal equations would lose half of the digits, and a
pivoted QR or an SVD takes several times as long. A ridge of some 1e-15 of the columns' length, appended to R as
further rows, keeps the coefficients bounded and leaves a residual as small as the truncated SVD does, or smaller.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

_RIDGE = 1e-15  # of a column's length
_BLOCK = 32


def solve_dense(
    At: Float[np.ndarray, "n m"], b: Float[np.ndarray, " m"], ridge: float = _RIDGE
) -> Float[np.ndarray, " n"]:
    """The x that minimises `|Ax - b|² + |ridge D x|²`, D the lengths of the columns.

    Args:
        At: the transpose of A, in C order, which is A as LAPACK wants it. It is overwritten.
        b: the right side.
        ridge: keeps directions at rest that nothing but rounding determines.
    """
    from scipy.linalg import get_lapack_funcs, solve_triangular  # only here: it takes long to import

    geqrf, ormqr, tpqrt, tpmqrt = get_lapack_funcs(("geqrf", "ormqr", "tpqrt", "tpmqrt"), (At,))

    n = len(At)
    if At.shape[1] < n:  # fewer rows than columns: the ridge alone tells among all solutions
        At, b = np.pad(At, ((0, 0), (0, n - At.shape[1]))), np.pad(b, (0, n - len(b)))
    lengths = np.sqrt(np.einsum("ij,ij->i", At, At))
    scale = np.where(lengths > 0, 1 / np.maximum(lengths, np.finfo(float).tiny), 1.0)
    At *= scale[:, None]
    qr, tau, _, _ = _lapack(geqrf, At.T, overwrite_a=1)
    right, _, _ = _lapack(ormqr, "L", "T", qr, tau, b[:, None].copy(order="F"))
    R = np.asfortranarray(np.triu(qr[:n]))
    block = min(_BLOCK, n)
    R, V, T, _ = tpqrt(n, block, R, np.asfortranarray(ridge * np.eye(n)), overwrite_a=1)
    zero = np.zeros((n, 1), order="F")
    top, _, _ = tpmqrt(n, V, T, np.asfortranarray(right[:n]), zero, side="L", trans="T")
    return scale * solve_triangular(R, top[:, 0], check_finite=False)


def _lapack(routine: Any, *arguments: Any, **options: Any) -> Any:
    """A routine of LAPACK with the workspace that it asks for."""
    work = routine(*arguments, lwork=-1)[-2]
    return routine(*arguments, lwork=int(work[0]), **options)
