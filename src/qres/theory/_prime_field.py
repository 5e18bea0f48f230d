"""Linear algebra over a prime field: integers modulo p < 2^31, exact, in NumPy arrays."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

# The two largest primes below 2^31.
PRIMES: tuple[int, int] = (2147483647, 2147483629)

# A product of a 31-bit and a 16-bit number is below 2^47; 31 of them and one more stay below 2^52, where
# float64 holds every integer and the quotient by p still rounds on the right side. So BLAS computes exactly.
_HALF = float(1 << 16)
_BLOCK = 31
_CHUNK = 128


def _reduce(values: Float[np.ndarray, "*shape"], prime: int) -> Float[np.ndarray, "*shape"]:
    """Remainder in place: `values mod p`, for integers `0 <= values <= 2^52` held as float64."""
    quotient = values / prime
    np.floor(quotient, out=quotient)
    quotient *= prime
    values -= quotient
    return values


def _product_block(
    left: Float[np.ndarray, "n k"], right: Float[np.ndarray, "k m"], prime: int
) -> Float[np.ndarray, "n m"]:
    """`left @ right mod p` for an inner dimension of at most 31, the left factor split in 16-bit halves."""
    high = np.floor(left / _HALF)
    product = _reduce(high @ right, prime)
    product *= _HALF
    product += (left - high * _HALF) @ right
    return _reduce(product, prime)


def multiply(
    left: Int[np.ndarray, "n k"], right: Int[np.ndarray, "k m"], prime: int
) -> Int[np.ndarray, "n m"]:
    """Matrix product over the prime field.

    `(left @ right) mod p`

    Args:
        left: entries in `[0, p)`, shape (n, k).
        right: entries in `[0, p)`, shape (k, m).
        prime: p, below 2^31.
    """
    total = np.zeros((left.shape[0], right.shape[1]))
    for start in range(0, left.shape[1], _BLOCK):
        inner = slice(start, start + _BLOCK)
        total += _product_block(left[:, inner].astype(np.float64), right[inner].astype(np.float64), prime)
    return _reduce(total, prime).astype(np.int64)


def power(base: Int[np.ndarray, "*shape"], exponent: int, prime: int) -> Int[np.ndarray, "*shape"]:
    """Elementwise power over the prime field, by repeated squaring.

    `base^exponent mod p`, with `0^0 = 1`

    Args:
        base: entries in `[0, p)`.
        exponent: zero or more.
        prime: p, below 2^31.
    """
    result = np.ones_like(base)
    square = base.copy()
    while exponent:
        if exponent & 1:
            result = result * square % prime
        square = square * square % prime
        exponent >>= 1
    return result


def _eliminate_panel(
    panel: Int[np.ndarray, "n b"], prime: int
) -> tuple[list[tuple[int, int]], Int[np.ndarray, "n k"]]:
    """Gaussian elimination of a few columns, in place: the row swaps, and a column of multipliers a pivot."""
    rows, columns = panel.shape
    lower = np.zeros((rows, columns), dtype=np.int64)
    swaps: list[tuple[int, int]] = []
    for column in range(columns):
        pivot = len(swaps)
        nonzero = np.flatnonzero(panel[pivot:, column])
        if nonzero.size == 0:
            continue
        other = pivot + int(nonzero[0])
        panel[[pivot, other]] = panel[[other, pivot]]
        lower[[pivot, other]] = lower[[other, pivot]]
        swaps.append((pivot, other))
        below = panel[pivot + 1 :, column:]
        factors = below[:, 0] * pow(int(panel[pivot, column]), -1, prime) % prime
        below -= factors[:, None] * panel[pivot, column:] % prime
        below += prime * (below < 0)
        lower[pivot + 1 :, pivot] = factors
        if len(swaps) == rows:
            break
    return swaps, lower[:, : len(swaps)]


def _update_trailing(
    rest: Float[np.ndarray, "n m"], swaps: list[tuple[int, int]], lower: Int[np.ndarray, "n k"], prime: int
) -> None:
    """Bring the columns right of a panel to its step: `A12 <- L11^-1 A12`, `A22 <- A22 - L21 A12`."""
    for first, second in swaps:
        rest[[first, second]] = rest[[second, first]]
    factors = lower.astype(np.float64)
    rank = factors.shape[1]
    top = rest[:rank]
    for row in range(1, rank):
        top[row] -= _product_block(factors[row : row + 1, :row], top[:row], prime)[0]
        top[row] += prime * (top[row] < 0)
    # A few rows at a time stay in the cache.
    for start in range(rank, rest.shape[0], _CHUNK):
        chunk = rest[start : start + _CHUNK]
        chunk -= _product_block(factors[start : start + _CHUNK], top, prime)
        chunk += prime * (chunk < 0)


def rank(matrix: Int[np.ndarray, "n m"], prime: int) -> int:
    """Rank over the prime field, by Gaussian elimination in panels of columns.

    Args:
        matrix: entries in `[0, p)`, shape (n, m); left as it is.
        prime: p, below 2^31.
    """
    work = matrix.astype(np.float64)
    rows, columns = work.shape
    found = 0
    for start in range(0, columns, _BLOCK):
        if found == rows:
            break
        panel = work[found:, start : start + _BLOCK].astype(np.int64)
        swaps, lower = _eliminate_panel(panel, prime)
        _update_trailing(work[found:, start + _BLOCK :], swaps, lower, prime)
        found += len(swaps)
    return found
