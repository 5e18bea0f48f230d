from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import pytest

from qres import reference

gauss_legendre = lru_cache(reference.gauss_legendre)
SQRT3, SQRT15 = np.sqrt(3), np.sqrt(15)


def test_closed_forms():
    one, two, three = (gauss_legendre(q) for q in (1, 2, 3))
    np.testing.assert_allclose(one.a, [[0.5]])
    np.testing.assert_allclose(
        two.a, [[1 / 4, 1 / 4 - SQRT3 / 6], [1 / 4 + SQRT3 / 6, 1 / 4]], rtol=0, atol=1e-16
    )
    expected = [
        [5 / 36, 2 / 9 - SQRT15 / 15, 5 / 36 - SQRT15 / 30],
        [5 / 36 + SQRT15 / 24, 2 / 9, 5 / 36 - SQRT15 / 24],
        [5 / 36 + SQRT15 / 30, 2 / 9 + SQRT15 / 15, 5 / 36],
    ]
    np.testing.assert_allclose(three.a, expected, rtol=0, atol=2e-16)
    np.testing.assert_allclose(three.b, [5 / 18, 4 / 9, 5 / 18], rtol=0, atol=2e-16)
    np.testing.assert_allclose(three.c, [0.5 - SQRT15 / 10, 0.5, 0.5 + SQRT15 / 10], rtol=0, atol=2e-16)


@pytest.mark.parametrize("q", [4, 50, 100, 500])
def test_order_conditions(q):
    """B(2q), C(q) and D(q): the quadrature, each stage, and their adjoint are exact on polynomials."""
    a, b, c = gauss_legendre(q)
    powers = np.arange(1, 2 * q + 1)
    moments = c ** (powers - 1)[:, None]
    np.testing.assert_allclose(moments @ b, 1 / powers, rtol=0, atol=1e-15)
    np.testing.assert_allclose(a @ moments[:q].T, (c[:, None] ** powers[:q]) / powers[:q], rtol=0, atol=1e-15)
    adjoint = b * (1 - c ** powers[:q, None]) / powers[:q, None]
    np.testing.assert_allclose((b * moments[:q]) @ a, adjoint, rtol=0, atol=1e-15)


@pytest.mark.parametrize("q", [1, 7, 100, 500])
def test_symmetry(q):
    a, b, c = gauss_legendre(q)
    np.testing.assert_allclose(a + a[::-1, ::-1], np.broadcast_to(b, (q, q)), rtol=0, atol=1e-16)
    np.testing.assert_array_equal(b, b[::-1])
    np.testing.assert_allclose(c + c[::-1], 1, rtol=0, atol=2e-16)


def legendre(n: int, x: Any) -> tuple[Any, Any]:
    """P_n and its derivative."""
    before, value = mpmath.mpf(1), x
    for k in range(1, n):
        before, value = value, ((2 * k + 1) * x * value - k * before) / (k + 1)
    return value, n * (before - x * value) / (1 - x * x)


def test_forty_digits_at_100_stages():
    """`a_ij = ∫_0^{c_i} ℓ_j`, from the definition, with 40 digits."""
    q = 100
    table = gauss_legendre(q)
    with mpmath.workdps(60):
        x = [mpmath.mpf(2 * c - 1) for c in table.c]
        for _ in range(4):
            x = [root - p / dp for root in x for p, dp in [legendre(q, root)]]
        nodes = [(root + 1) / 2 for root in x]
        weights = [1 / ((1 - root * root) * legendre(q, root)[1] ** 2) for root in x]
        for i, j in [(0, 0), (3, 97), (50, 51), (99, 2)]:
            others = [node for k, node in enumerate(nodes) if k != j]
            scale = mpmath.fprod(nodes[j] - node for node in others)
            entry = mpmath.fsum(
                w * nodes[i] * mpmath.fprod(nodes[i] * s - node for node in others)
                for s, w in zip(nodes, weights, strict=True)
            )
            assert abs(table.a[i, j] - float(entry / scale)) < 1e-16
        assert max(abs(float(w) - b) for w, b in zip(weights, table.b, strict=True)) < 1e-16


@pytest.mark.parametrize("q", [2, 10])
def test_it_solves_an_oscillator_with_order_2q(q):
    """`u' = i u` over one step of length 1: the stability function is a Padé approximant."""
    a, b, _ = gauss_legendre(q)
    stages = np.linalg.solve(np.eye(q) - 1j * a, np.full(q, 1j))
    assert abs(abs(1 + b @ stages) - 1) < 1e-14
    assert abs(1 + b @ stages - np.exp(1j)) < (2e-3 if q == 2 else 1e-14)


def test_bad_input():
    with pytest.raises(ValueError, match="stages must be at least 1, not 0"):
        gauss_legendre(0)
