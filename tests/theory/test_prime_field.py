from itertools import pairwise

import numpy as np
import pytest

from qres.theory._prime_field import PRIMES, multiply, power, rank


def smallest_factor(number: int) -> int:
    return next((d for d in range(2, int(number**0.5) + 1) if number % d == 0), number)


def test_the_moduli_are_primes_below_2_to_the_31():
    assert all(smallest_factor(p) == p and p < 2**31 for p in PRIMES)
    assert all(a != b for a, b in pairwise(PRIMES))


@pytest.mark.parametrize("prime", PRIMES)
@pytest.mark.parametrize("inner", [1, 31, 32, 100])
def test_products_are_exact(prime, inner):
    rng = np.random.default_rng(inner)
    left, right = rng.integers(0, prime, (7, inner)), rng.integers(0, prime, (inner, 9))
    exact = left.astype(object) @ right.astype(object) % prime
    assert (multiply(left, right, prime) == exact.astype(np.int64)).all()


@pytest.mark.parametrize("prime", PRIMES)
def test_products_are_exact_at_the_largest_entries(prime):
    left, right = np.full((2, 31), prime - 1), np.full((31, 2), prime - 1)
    assert (multiply(left, right, prime) == 31).all()


@pytest.mark.parametrize("exponent", [0, 1, 2, 7, 1000])
def test_powers_are_those_of_python(exponent):
    prime = PRIMES[0]
    base = np.random.default_rng(0).integers(0, prime, 5)
    assert power(base, exponent, prime).tolist() == [pow(int(b), exponent, prime) for b in base]


@pytest.mark.parametrize("shape", [(1, 1), (5, 40), (40, 5), (70, 70), (150, 200)])
@pytest.mark.parametrize("fraction", [0.0, 0.3, 1.0])
def test_rank_of_a_product_is_its_inner_dimension(shape, fraction):
    prime, rng = PRIMES[0], np.random.default_rng(1)
    inner = max(0, round(fraction * min(shape)))
    left, right = rng.integers(0, prime, (shape[0], inner)), rng.integers(0, prime, (inner, shape[1]))
    assert rank(multiply(left, right, prime), prime) == inner


def test_rank_sees_through_zero_columns_and_repeated_rows():
    prime, rng = PRIMES[1], np.random.default_rng(2)
    block = rng.integers(0, prime, (10, 64))
    block[:, :40] = 0
    matrix = np.concatenate([np.zeros((3, 64), dtype=np.int64), block, block])
    before = matrix.copy()
    assert rank(matrix, prime) == 10
    assert (matrix == before).all()


def test_rank_depends_on_the_field():
    prime = PRIMES[1]
    matrix = np.array([[1, 1], [1, prime + 1]], dtype=np.int64)
    assert rank(matrix % prime, prime) == 1
    assert rank(matrix % PRIMES[0], PRIMES[0]) == 2
