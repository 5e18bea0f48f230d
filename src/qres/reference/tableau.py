"""Gauss–Legendre collocation: the implicit Runge–Kutta methods of order 2q, for any number of stages q."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from qres.runtime.errors import InputError


class Tableau(NamedTuple):
    """A Butcher tableau: `u(t + c_i h) = u(t) + h Σ_j a_ij k_j`, `u(t + h) = u(t) + h Σ_j b_j k_j`."""

    a: Float[np.ndarray, "q q"]
    b: Float[np.ndarray, "q"]
    c: Float[np.ndarray, "q"]


def _legendre(x: Float[np.ndarray, "q"], count: int) -> Float[np.ndarray, "count q"]:
    """Legendre polynomials P_0 … P_{count-1} at x, by `(n+1) P_{n+1} = (2n+1) x P_n - n P_{n-1}`."""
    values = np.ones((max(count, 2), len(x)))
    values[1] = x
    for n in range(1, count - 1):
        values[n + 1] = ((2 * n + 1) * x * values[n] - n * values[n - 1]) / (n + 1)
    return values[:count]


def gauss_legendre(stages: int) -> Tableau:
    """The Gauss–Legendre tableau, accurate to rounding at hundreds of stages.

    With x the roots of P_q, `w_j = 1 / Σ_{n<q} (n+½) P_n(x_j)²` and `I_n(x) = ∫_{-1}^x P_n`:
    `a_ij = ½ w_j Σ_{n<q} (n+½) P_n(x_j) I_n(x_i)`, `b = w/2`, `c = (x+1)/2`.

    Args:
        stages: the number of stages q, at least 1.

    Source: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.7; the sums over n avoid
    the ill-conditioned Vandermonde system of the textbook formula.
    """
    if stages < 1:
        raise InputError(f"stages must be at least 1, not {stages!r}")
    x, _ = np.polynomial.legendre.leggauss(stages)
    x = (x - x[::-1]) / 2  # the roots are symmetric; rounding is not
    p = _legendre(x, stages + 1)
    scale = np.arange(stages)[:, None] + 0.5
    weights = 1 / np.sum(scale * p[:-1] ** 2, axis=0)
    integrals = np.empty((stages, stages))
    integrals[0] = x + 1
    integrals[1:] = (p[2:] - p[:-2]) / (2 * scale[1:])
    a = 0.5 * weights * (integrals.T @ (scale * p[:-1]))
    return Tableau(a, weights / 2, (x + 1) / 2)
