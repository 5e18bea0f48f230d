"""Dimension of the leading variety: the generic rank of the Jacobian, over two prime fields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qres.runtime.errors import InputError

from ._architecture import Architecture
from ._jacobian import jacobian
from ._prime_field import PRIMES, rank

# Entries of one Jacobian: half a gigabyte as int64.
LARGEST_MATRIX = 1 << 26


@dataclass(frozen=True)
class Dimension:
    """A computed dimension, and how sure it is.

    The rank at one integer point modulo p never exceeds the generic rank over the rationals, so `value` is
    always a proven lower bound, and exact when it meets the upper bound by counting; else it is exact but for
    a chance of about `1/p` a prime.

    Args:
        value: the larger of the two ranks.
        by_prime: each prime with its rank.
        proven: whether `value` meets the upper bound.
    """

    value: int
    by_prime: tuple[tuple[int, int], ...]
    proven: bool

    @property
    def agree(self) -> bool:
        """Whether all primes gave the same rank."""
        return len({found for _, found in self.by_prime}) == 1


def _rank_at(architecture: Architecture, rows: int, prime: int, seed: int) -> int:
    """Rank of `rows` random rows of the Jacobian modulo one prime."""
    if rows * architecture.weights > LARGEST_MATRIX:
        size = f"{rows} x {architecture.weights}"
        raise InputError(
            f"widths={architecture}: a Jacobian of {size} entries; at most {LARGEST_MATRIX} are allowed"
        )
    rng = np.random.default_rng((seed, prime))
    return rank(jacobian(architecture, rows, prime, rng), prime)


def dimension(architecture: Architecture, *, seed: int = 0) -> Dimension:
    """Dimension of the leading variety.

    `max over p of rank_p d(coefficients) / d(weights)` at random weights

    Args:
        architecture: the network.
        seed: of the random weights and points.

    Source: Kileel, Trager and Bruna (2019), section 2: the dimension of the image is the generic rank of the
    differential.
    """
    ranks = tuple((prime, _rank_at(architecture, architecture.bound, prime, seed)) for prime in PRIMES)
    value = max(found for _, found in ranks)
    return Dimension(value, ranks, proven=value == architecture.bound)


def attains_dimension(architecture: Architecture, target: int, *, seed: int = 0) -> bool:
    """Whether the dimension is at least `target`: a yes is proven by the rank, a no is asked of every prime.

    Args:
        architecture: the network.
        target: a dimension, 1 or more.
        seed: of the random weights and points.
    """
    if target > architecture.bound:
        return False
    return any(_rank_at(architecture, target, prime, seed) >= target for prime in PRIMES)
