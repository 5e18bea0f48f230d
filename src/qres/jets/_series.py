"""Arithmetic of truncated Taylor series, on bare tuples of coefficients.

A series is a tuple with one entry for each multi-index of a `Truncation`; an entry is an array, or None where the
coefficient is known to be zero. Coefficients are Taylor's, `u_k = ∂^k u / k!`, so that products are plain convolutions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from jax import Array

from ._truncation import Truncation

Coefficient = Array | np.ndarray | float | None
Series = Sequence[Coefficient]


def add(a: Coefficient, b: Coefficient) -> Coefficient:
    """A sum in which None is zero."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def multiply(a: Coefficient, b: Coefficient) -> Coefficient:
    """A product in which None is zero."""
    return None if a is None or b is None else a * b


def scale(factor: float, a: Coefficient) -> Coefficient:
    """A multiple in which None is zero, and a factor of 1 costs nothing."""
    return a if a is None or factor == 1 else factor * a


def total(terms: Iterable[Coefficient]) -> Coefficient:
    """A sum of many in which None is zero."""
    result = None
    for term in terms:
        result = add(result, term)
    return result


def product_at(truncation: Truncation, k: int, a: Series, b: Series) -> Coefficient:
    """One coefficient of a product, `(ab)_k = Σ_j a_j b_{k-j}`."""
    return total(scale(c, multiply(a[i], b[j])) for c, i, j in truncation.products[k])


def square_at(truncation: Truncation, k: int, a: Series) -> Coefficient:
    """One coefficient of a square: as `product_at`, with equal terms taken once."""
    return total(
        scale(c if i == j else 2 * c, multiply(a[i], a[j])) for c, i, j in truncation.products[k] if i <= j
    )


def product(truncation: Truncation, a: Series, b: Series) -> tuple[Coefficient, ...]:
    """The truncated product of two series."""
    if a is b:
        return tuple(square_at(truncation, k, a) for k in range(len(truncation)))
    return tuple(product_at(truncation, k, a, b) for k in range(len(truncation)))


def integral_at(truncation: Truncation, k: int, slope: Series, z: Series) -> Coefficient:
    """One coefficient of `y` from `∂y = slope ∂z`; needs the slope below k only."""
    return total(scale(c, multiply(z[i], slope[j])) for c, i, j in truncation.integrals[k])
