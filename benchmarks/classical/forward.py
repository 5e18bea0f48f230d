"""A dozen forward problems of the documentation, each with a classical method at increasing resolution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from classical import spectral
from qres.reference import gridded
from qres.reference.burgers import cole_hopf

Array = np.ndarray


@dataclass(frozen=True)
class Forward:
    """A problem and its classical solver.

    Attributes:
        method: in a few words.
        levels: resolutions, coarse to fine.
        solve: the solver at a resolution; this is what is timed.
        error: the relative L2 error of what it gives.
    """

    method: str
    levels: tuple[Any, ...]
    solve: Callable[[Any], Any]
    error: Callable[[Any], float]


def relative(found: Array, true: Array) -> float:
    """The relative L2 error."""
    return float(np.linalg.norm(found - true) / np.linalg.norm(true))


def _on_grid(exact: Callable[[Array, Array], Array], times: Array) -> Callable[[tuple[Array, Array]], float]:
    def error(found: tuple[Array, Array]) -> float:
        x, values = found
        return relative(values, exact(times[:, None], x[None, :]))

    return error


def _ode(slope: Callable, start: list[float], end: float, exact: Callable[[Array], Array]) -> Forward:
    times = np.linspace(0, end, 101)

    def solve(tolerance: float) -> Array:
        return solve_ivp(slope, (0, end), start, "DOP853", times, rtol=tolerance, atol=tolerance).y

    return Forward(
        "SciPy solve_ivp, DOP853", (1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13), solve,
        lambda y: relative(y, exact(times)),
    )  # fmt: skip


def _oscillator() -> Forward:
    d, w0 = 0.5, 4.0
    w = np.sqrt(w0**2 - d**2)
    decay = lambda t: np.exp(-d * t)  # noqa: E731
    u = lambda t: decay(t) * (np.cos(w * t) + d / w * np.sin(w * t))  # noqa: E731
    v = lambda t: -decay(t) * np.sin(w * t) * (w + d**2 / w)  # noqa: E731
    return _ode(
        lambda t, y: [y[1], -2 * d * y[1] - w0**2 * y[0]], [1.0, 0.0], 4.0, lambda t: np.array([u(t), v(t)])
    )


def lotka_volterra(t: float, y: Array) -> list[float]:
    """The rates of prey and predators."""
    return [1.5 * y[0] - y[0] * y[1], y[0] * y[1] - y[1]]


def _lotka_volterra() -> Forward:
    def exact(times: Array) -> Array:
        return solve_ivp(lotka_volterra, (0, 4), [1.0, 0.5], "Radau", times, rtol=1e-13, atol=1e-14).y

    return _ode(lotka_volterra, [1.0, 0.5], 4.0, exact)


def _heat() -> Forward:
    times = np.linspace(0, 1, 21)
    exact = lambda t, x: np.exp(-0.1 * np.pi**2 * t) * np.sin(np.pi * x)  # noqa: E731
    solve = lambda n: spectral.heat(n, 0.1, lambda x: np.sin(np.pi * x), times)  # noqa: E731
    return Forward(
        "Chebyshev collocation, matrix exponential", (4, 6, 8, 10, 12, 16), solve, _on_grid(exact, times)
    )


def _wave() -> Forward:
    times = np.linspace(0, 1, 21)
    start = (lambda x: np.sin(np.pi * x), lambda x: 2 * np.pi * np.sin(2 * np.pi * x))
    exact = lambda t, x: np.cos(np.pi * t) * np.sin(np.pi * x) + np.sin(2 * np.pi * t) * np.sin(2 * np.pi * x)  # noqa: E731
    solve = lambda n: spectral.second_order(n, lambda second: second, start, times)  # noqa: E731
    return Forward(
        "Chebyshev collocation, matrix exponential", (6, 8, 10, 12, 16, 20, 24), solve, _on_grid(exact, times)
    )


def _beam() -> Forward:
    times = np.linspace(0, 1 / np.pi, 21)
    exact = lambda t, x: np.cos(np.pi**2 * t) * np.sin(np.pi * x)  # noqa: E731
    start = (lambda x: np.sin(np.pi * x), np.zeros_like)
    # With u = u_xx = 0 at the ends, the fourth derivative is the square of the second with u = 0.
    solve = lambda n: spectral.second_order(n, lambda second: -second @ second, start, times)  # noqa: E731
    return Forward(
        "Chebyshev collocation, matrix exponential", (4, 6, 8, 10, 12, 16, 20), solve, _on_grid(exact, times)
    )


def _square(low: float, shift: float, source: Callable, exact: Callable) -> Forward:
    return Forward(
        "Chebyshev collocation, diagonalized", (4, 6, 8, 10, 12, 16, 20, 24, 28),
        lambda n: spectral.poisson(n, low, shift, source, exact),
        lambda found: relative(found[2], exact(found[0], found[1])),
    )  # fmt: skip


def _poisson() -> Forward:
    bump = lambda x, y: np.sin(np.pi * x) * np.sin(np.pi * y)  # noqa: E731
    return _square(0, 0, lambda x, y: -2 * np.pi**2 * bump(x, y) + 4, lambda x, y: bump(x, y) + x**2 + y**2)


def _helmholtz() -> Forward:
    exact = lambda x, y: np.sin(np.pi * x) * np.sin(2 * np.pi * y)  # noqa: E731
    return _square(-1, 4, lambda x, y: (4 - 5 * np.pi**2) * exact(x, y), exact)


def _ring() -> Forward:
    return Forward(
        "Chebyshev collocation in polar coordinates", (4, 6, 8, 10, 12, 16, 20), spectral.ring,
        lambda found: relative(found[1], -np.log(found[0])),
    )  # fmt: skip


def _fisher() -> Forward:
    times = np.linspace(0, 2, 11)
    exact = lambda t, x: 1 / (1 + np.exp((x - 5 * t / np.sqrt(6)) / np.sqrt(6))) ** 2  # noqa: E731
    levels = ((16, 1e-4), (24, 1e-6), (32, 1e-8), (40, 1e-10), (48, 1e-11))
    return Forward(
        "Chebyshev collocation, SciPy Radau", levels, lambda level: spectral.fisher(level[0], level[1], exact, times),
        _on_grid(exact, times),
    )  # fmt: skip


def _periodic(
    box: tuple[float, float], start: Callable, symbol: Callable, nonlinear: Callable, times: Array,
    levels: tuple[tuple[int, int], ...], true: Callable[[], tuple[Array, Array]], part: Callable = np.real,
) -> Forward:  # fmt: skip
    def error(found: tuple[Array, Array]) -> float:
        x, values = true()
        return relative(part(spectral.at_points(found[1], box, x)), values)

    def solve(level: tuple[int, int]) -> tuple[Array, Array]:
        return spectral.lawson(*level, box, start, symbol, nonlinear, times)

    return Forward("Fourier collocation, integrating-factor Runge–Kutta", levels, solve, error)


def _reference(name: str, times: Array, field: str) -> Callable[[], tuple[Array, Array]]:
    """The stored truth at some of its times."""

    def true() -> tuple[Array, Array]:
        found = gridded(name)
        rows = [found.nearest("t", float(time)) for time in times]
        assert all(exact for _, exact in rows), f"{name} has no such times"
        return found.axes["x"], found.fields[field][[row for row, _ in rows]]

    return true


def _burgers() -> Forward:
    nu, times = 0.01 / np.pi, np.linspace(0, 1, 5)
    x = np.linspace(-1, 1, 257)
    return _periodic(
        (-1, 1), lambda x: -np.sin(np.pi * x), lambda ik: nu * ik**2, lambda u, ik: -ik / 2 * np.fft.fft(u.real**2),
        times, ((256, 400), (512, 1000), (1024, 2000), (1536, 4000), (2048, 8000)),
        lambda: (x, cole_hopf(times, x, nu)),
    )  # fmt: skip


def _kdv() -> Forward:
    times = np.linspace(0, 1, 5)
    return _periodic(
        (-1, 1), lambda x: np.cos(np.pi * x), lambda ik: -0.0025 * ik**3,
        lambda u, ik: -ik / 2 * np.fft.fft(u.real**2), times,
        ((64, 400), (128, 1000), (256, 2000), (256, 4000), (384, 8000), (512, 16000)),
        _reference("kdv", times, "u"),
    )  # fmt: skip


def _allen_cahn() -> Forward:
    times = np.linspace(0, 1, 5)
    return _periodic(
        (-1, 1), lambda x: x**2 * np.cos(np.pi * x), lambda ik: 1e-4 * ik**2 + 5,
        lambda u, ik: -5 * np.fft.fft(u.real**3), times,
        ((256, 100), (512, 200), (1024, 400), (4096, 400), (16384, 800)), _reference("allen-cahn", times, "u"),
    )  # fmt: skip


def _schrodinger() -> Forward:
    times = np.linspace(0, np.pi / 2, 5)
    return _periodic(
        (-5, 5), lambda x: 2 / np.cosh(x), lambda ik: 0.5j * ik**2, lambda h, ik: 1j * np.fft.fft(np.abs(h) ** 2 * h),
        times, ((64, 400), (128, 800), (256, 1600), (512, 6400), (1024, 12800), (2048, 25600)),
        _reference("schrodinger", times, "h"), np.abs,
    )  # fmt: skip


def _convection() -> Forward:
    times = np.linspace(0, 1, 21)
    exact = lambda t, x: np.sin(x - 50 * t)  # noqa: E731

    def solve(n: int) -> tuple[Array, Array]:
        x = 2 * np.pi * np.arange(n) / n
        ik = 1j * np.fft.fftfreq(n, 1 / n)
        modes = np.exp(-50 * ik * times[:, None]) * np.fft.fft(np.sin(x))
        return x, np.fft.ifft(modes).real

    return Forward("Fourier collocation, exact in time", (4, 8, 16), solve, _on_grid(exact, times))


CASES: dict[str, Callable[[], Forward]] = {
    "oscillator": _oscillator, "lotka-volterra": _lotka_volterra, "heat": _heat, "wave": _wave, "beam": _beam,
    "poisson-2d": _poisson, "helmholtz": _helmholtz, "ring": _ring, "fisher": _fisher, "convection": _convection,
    "burgers": _burgers, "kdv": _kdv, "allen-cahn": _allen_cahn, "schrodinger": _schrodinger,
}  # fmt: skip


def levels(name: str) -> Iterator[tuple[Forward, Any]]:
    """The solver of a problem at each of its resolutions."""
    case = CASES[name]()
    for level in case.levels:
        yield case, level
