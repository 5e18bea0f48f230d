"""Exponential Runge–Kutta methods of order 4 for `v' = L v + N(v)`, with stiff diagonal L."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Complex

CONTOUR_POINTS = 64
CHUNK = 1 << 14

Modes = Complex[np.ndarray, "*modes"]
Nonlinear = Callable[[Modes], Modes]
Advance = Callable[[Modes, Nonlinear], Modes]


def _contour_means(z: Complex[np.ndarray, "m"]) -> Complex[np.ndarray, "4 m"]:
    """ETDRK4's functions, which lose all digits near 0, as means over a circle of radius 1 around z."""
    circle = np.exp(2j * np.pi * (np.arange(CONTOUR_POINTS) + 0.5) / CONTOUR_POINTS)
    r = z[:, None] + circle
    e, cube = np.exp(r), r**3
    return np.stack(
        [
            np.mean((np.exp(r / 2) - 1) / r, axis=1),
            np.mean((-4 - r + e * (4 - 3 * r + r**2)) / cube, axis=1),
            np.mean((2 + r + e * (r - 2)) / cube, axis=1),
            np.mean((-4 - 3 * r - r**2 + e * (4 - r)) / cube, axis=1),
        ]
    )


def etdrk4(linear: Modes, step: float) -> Advance:
    """Exponential time differencing: N is a polynomial in time over the step, against e^{Lt} exactly.

    The method for diffusion, and for smooth solutions of anything. Coefficients are complex, as L may be, and
    computed in chunks, so that memory stays small.

    Args:
        linear: the diagonal of L.
        step: length h of the step.

    Source: Kassam, Trefethen, SIAM J. Sci. Comput. 26 (2005), 1214.
    """
    z = step * np.asarray(linear, complex)
    flat = z.ravel()
    chunks = [_contour_means(flat[start : start + CHUNK]) for start in range(0, flat.size, CHUNK)]
    q, f1, f2, f3 = step * np.concatenate(chunks, axis=1).reshape(4, *z.shape)
    full, half = np.exp(z), np.exp(z / 2)

    def advance(v: Modes, nonlinear: Nonlinear) -> Modes:
        n0 = nonlinear(v)
        middle = half * v
        a = middle + q * n0
        na = nonlinear(a)
        nb = nonlinear(middle + q * na)
        nc = nonlinear(half * a + q * (2 * nb - n0))
        return full * v + f1 * n0 + 2 * f2 * (na + nb) + f3 * nc

    return advance


def lawson4(linear: Modes, step: float) -> Advance:
    """Integrating factor: the classical Runge–Kutta method on `w = e^{-Lt} v`.

    The method for dispersion of rough data. There N oscillates as fast as its mode does, so ETDRK4 is of
    order 1 in every mode with |hL| > 1, while here only differences of frequencies count.

    Args:
        linear: the diagonal of L.
        step: length h of the step.

    Source: Lawson, SIAM J. Numer. Anal. 4 (1967), 372.
    """
    z = step * np.asarray(linear, complex)
    full, half = np.exp(z), np.exp(z / 2)

    def advance(v: Modes, nonlinear: Nonlinear) -> Modes:
        n0 = nonlinear(v)
        middle, end = half * v, full * v
        na = nonlinear(middle + step / 2 * half * n0)
        nb = nonlinear(middle + step / 2 * na)
        nc = nonlinear(end + step * half * nb)
        return end + step / 6 * (full * n0 + 2 * half * (na + nb) + nc)

    return advance


METHODS: dict[str, Callable[[Modes, float], Advance]] = {"etdrk4": etdrk4, "lawson4": lawson4}
