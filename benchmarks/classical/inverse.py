"""Inverse problems by SciPy's least_squares around a solver, from the same measurements that qres gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

from classical import spectral
from qres.data import Data

Array = np.ndarray


@dataclass(frozen=True)
class Inverse:
    """A classical method, and what it finds from measurements: unknowns by name, with their standard errors."""

    method: str
    fit: Callable[[Data], dict[str, tuple[float, float]]]


def _fitted(
    residual: Callable[[Array], Array], start: Array, names: tuple[str, ...]
) -> dict[str, tuple[float, float]]:
    """The first parameters, with standard errors from the Jacobian."""
    found = least_squares(residual, start, method="lm", xtol=1e-12, ftol=1e-12)
    noise = 2 * found.cost / (len(found.fun) - len(start))
    covariance = noise * np.linalg.inv(found.jac.T @ found.jac)
    return {name: (float(found.x[i]), float(np.sqrt(covariance[i, i]))) for i, name in enumerate(names)}


def _rod(data: Data) -> dict[str, tuple[float, float]]:
    """The diffusivity in units of 1e-9, and five sine coefficients of the unknown initial temperature."""
    columns, modes = data.columns, np.arange(1, 6)
    shape = np.sin(np.pi * np.outer(columns["x"] / 5e-3, modes))
    rate = (np.pi * modes / 5e-3) ** 2 * 1e-9

    def residual(p: Array) -> Array:
        return 300 + (shape * np.exp(-p[0] * np.outer(columns["t"], rate))) @ p[1:] - columns["T"]

    value, stderr = _fitted(residual, np.array([10.0, 10.0, 0, 0, 0, 0]), ("a",))["a"]
    return {"a": (value * 1e-9, stderr * 1e-9)}


def _hares(data: Data) -> dict[str, tuple[float, float]]:
    """Three rates, and the number of hares at the start."""
    order = np.argsort(data.columns["t"])
    times, counts = data.columns["t"][order], data.columns["hares"][order]

    def residual(p: Array) -> Array:
        def rates(_: float, y: Array) -> list[float]:
            return [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - 0.4 * y[1]]

        found = solve_ivp(rates, (0, 20), [p[3], 1.25], "LSODA", times, rtol=1e-9, atol=1e-9)
        return found.y[0] - counts if found.success else np.full(len(counts), 1e3)

    return _fitted(residual, np.array([1.0, 1.0, 1.0, counts[0]]), ("a", "b", "c"))


def _burgers(data: Data) -> dict[str, tuple[float, float]]:
    """Both coefficients, and the sine that the solution starts from, which is taken as known."""
    columns, box = data.columns, (-1.0, 1.0)
    times = np.unique(columns["t"])
    grid = np.linspace(0, 1, 101)
    assert np.allclose(grid[np.rint(times * 100).astype(int)], times), "times are multiples of 0.01"
    row = np.rint(columns["t"] * 100).astype(int)
    k = np.fft.fftfreq(512, 1 / 512)
    phase = np.exp(2j * np.pi * np.outer(columns["x"] + 1, k) / 2)

    def residual(p: Array) -> Array:
        _, values = spectral.lawson(
            512, 1000, box, lambda x: -np.sin(np.pi * x), lambda ik: p[1] * 1e-3 * ik**2,
            lambda u, ik: -p[0] * ik / 2 * np.fft.fft(u.real**2), grid,
        )  # fmt: skip
        modes = np.fft.fft(values, axis=1) / 512
        return np.real(np.einsum("pk,pk->p", phase, modes[row])) - columns["u"]

    found = _fitted(residual, np.array([0.5, 2.47875]), ("lambda_1", "lambda_2"))
    value, stderr = found["lambda_2"]
    return {**found, "lambda_2": (value * 1e-3, stderr * 1e-3)}


INVERSE: dict[str, Inverse] = {
    "rod": Inverse("least_squares around a sine series (6 parameters)", _rod),
    "hares": Inverse("least_squares around SciPy LSODA (4 parameters)", _hares),
    "burgers-inverse": Inverse("least_squares around a Fourier method (2 parameters, known start)", _burgers),
    "burgers-inverse --noise 0.01": Inverse("the same", _burgers),
}


def measurements(problem: Any) -> Data:
    """The measurements of a problem; these have one set."""
    (data,) = problem.data
    return data
