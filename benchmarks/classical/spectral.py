"""The classical methods, written plainly with NumPy and SciPy: Chebyshev and Fourier collocation, matrix exponentials.

Sources: L. N. Trefethen, Spectral Methods in MATLAB, SIAM 2000 (Chebyshev differentiation matrices); J. D. Lawson,
SIAM J. Numer. Anal. 4 (1967) 372 (integrating factors).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm, solve

Array = np.ndarray


def chebyshev(n: int, low: float, high: float) -> tuple[Array, Array]:
    """The n + 1 Chebyshev points of an interval, from low to high, and the differentiation matrix there."""
    x = -np.cos(np.pi * np.arange(n + 1) / n)
    weight = np.hstack([2.0, np.ones(n - 1), 2.0]) * (-1.0) ** np.arange(n + 1)
    gap = x[:, None] - x[None, :]
    matrix = np.outer(weight, 1 / weight) / (gap + np.eye(n + 1))
    matrix -= np.diag(matrix.sum(axis=1))
    return low + (high - low) * (x + 1) / 2, matrix * 2 / (high - low)


def heat(n: int, k: float, initial: Callable[[Array], Array], times: Array) -> tuple[Array, Array]:
    """`u_t = k u_xx` on [0, 1] between ends at zero: Chebyshev collocation and the matrix exponential."""
    x, d = chebyshev(n, 0, 1)
    inner = k * (d @ d)[1:-1, 1:-1]
    values = np.zeros((len(times), n + 1))
    step = expm(inner * (times[1] - times[0]))
    values[0, 1:-1] = initial(x[1:-1])
    for i in range(1, len(times)):
        values[i, 1:-1] = step @ values[i - 1, 1:-1]
    return x, values


def second_order(
    n: int, operator: Callable[[Array], Array], start: tuple[Callable, Callable], times: Array
) -> tuple[Array, Array]:
    """`u_tt = L u` on [0, 1] with `u = 0` (beams: `u_xx = 0` too) at the ends: Chebyshev and the matrix exponential."""
    x, d = chebyshev(n, 0, 1)
    inner = operator((d @ d)[1:-1, 1:-1])
    zero, one = np.zeros_like(inner), np.eye(n - 1)
    step = expm(np.block([[zero, one], [inner, zero]]) * (times[1] - times[0]))
    state = np.hstack([start[0](x[1:-1]), start[1](x[1:-1])])
    values = np.zeros((len(times), n + 1))
    for i in range(len(times)):
        values[i, 1:-1] = state[: n - 1]
        state = step @ state
    return x, values


def poisson(
    n: int, low: float, shift: float, source: Callable, boundary: Callable
) -> tuple[Array, Array, Array]:
    """`u_xx + u_yy + shift u = f` on a square with given values around it: Chebyshev collocation, diagonalized."""
    x, d = chebyshev(n, low, 1)
    second = d @ d
    X, Y = np.meshgrid(x, x, indexing="ij")
    u = np.zeros_like(X)
    edge = np.zeros_like(X, dtype=bool)
    edge[[0, -1], :] = edge[:, [0, -1]] = True
    u[edge] = boundary(X[edge], Y[edge])
    right = source(X, Y)[1:-1, 1:-1] - (second @ u + u @ second.T)[1:-1, 1:-1]
    values, vectors = np.linalg.eig(second[1:-1, 1:-1])
    inverse = np.linalg.inv(vectors)
    modes = inverse @ right @ inverse.T / (values[:, None] + values[None, :] + shift)
    u[1:-1, 1:-1] = np.real(vectors @ modes @ vectors.T)
    return X, Y, u


def ring(n: int) -> tuple[Array, Array]:
    """Laplace's equation between the radii 1/2 and 1, zero outside, `u_r = -2` inside: Chebyshev in the radius.

    The data do not depend on the angle, and a Fourier method in the angle would see that at once; it is not used here.
    """
    r, d = chebyshev(n, 0.5, 1)
    matrix = d @ d + d / r[:, None]
    right = np.zeros(n + 1)
    matrix[0], right[0] = d[0], -2.0
    matrix[-1], right[-1] = np.eye(n + 1)[-1], 0.0
    return r, solve(matrix, right)


def fisher(n: int, tolerance: float, exact: Callable, times: Array) -> tuple[Array, Array]:
    """`u_t = u_xx + u (1 - u)` on [-5, 10] with given ends: Chebyshev collocation and Radau's method."""
    x, d = chebyshev(n, -5, 10)
    second = d @ d

    def slope(t: float, inner: Array) -> Array:
        u = np.hstack([exact(t, x[0]), inner, exact(t, x[-1])])
        return (second @ u)[1:-1] + inner * (1 - inner)

    def jacobian(t: float, inner: Array) -> Array:
        return second[1:-1, 1:-1] + np.diag(1 - 2 * inner)

    start = exact(0.0, x)[1:-1]
    found = solve_ivp(
        slope, (times[0], times[-1]), start, "Radau", times, jac=jacobian, rtol=tolerance, atol=tolerance
    )
    ends = np.array([exact(times, x[0]), exact(times, x[-1])])
    return x, np.vstack([ends[:1], found.y, ends[1:]]).T


def lawson(
    n: int,
    steps: int,
    box: tuple[float, float],
    start: Callable,
    symbol: Callable,
    nonlinear: Callable,
    times: Array,
) -> tuple[Array, Array]:
    """`u_t = L u + N(u)`, periodic: Fourier collocation, and the fourth-order Runge–Kutta method in `exp(-tL) u`.

    Args:
        n: modes.
        steps: from the first to the last of the times, which are evenly spaced.
        box: of x.
        start: at the first time.
        symbol: of L, a function of `ik`.
        nonlinear: of the values u and `ik`, as Fourier modes.
        times: when values are wanted.
    """
    x = box[0] + (box[1] - box[0]) * np.arange(n) / n
    ik = 2j * np.pi * np.fft.fftfreq(n, (box[1] - box[0]) / n)
    keep = np.abs(ik.imag) < np.abs(ik.imag).max() * 2 / 3  # products of two are free of aliases
    per = max(1, round(steps / (len(times) - 1)))
    h = (times[-1] - times[0]) / (per * (len(times) - 1))
    half = np.exp(symbol(ik) * h / 2)
    whole = half**2

    def rate(modes: Array) -> Array:
        return h * keep * nonlinear(np.fft.ifft(modes), ik)

    modes = np.fft.fft(start(x).astype(complex))
    values = [np.fft.ifft(modes)]
    for _ in range(len(times) - 1):
        for _ in range(per):
            a = rate(modes)
            b = rate(half * (modes + a / 2))
            c = rate(half * modes + b / 2)
            e = rate(whole * modes + half * c)
            modes = whole * modes + (whole * a + 2 * half * (b + c) + e) / 6
        values.append(np.fft.ifft(modes))
    return x, np.array(values)


def at_points(values: Array, box: tuple[float, float], x: Array) -> Array:
    """Rows of values on a periodic grid, by trigonometric interpolation at other points."""
    n = values.shape[1]
    modes = np.fft.fft(values, axis=1) / n
    k = np.fft.fftfreq(n, 1 / n)
    phase = 2j * np.pi * np.outer(k, (x - box[0]) / (box[1] - box[0]))
    return modes @ np.exp(phase)
