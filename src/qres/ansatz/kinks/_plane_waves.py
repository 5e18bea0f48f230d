"""Plane waves as functions of the coordinates: values and all derivatives of a truncation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Complex

from qres.jets import MultiIndex, factorial, namespace

_ORDER = 20  # of the polynomial: (π/2)^23/23! is far below rounding


@dataclass(frozen=True, eq=False)
class PlaneWaves:
    """`Re Σ_r A_r exp(e_r · (z - origin))`, of the coordinates z as numbers or arrays."""

    amplitudes: Complex[np.ndarray, " r"]
    exponents: Complex[np.ndarray, "d r"]
    origin: tuple[float, ...]

    def table(self, indices: Sequence[MultiIndex], *coordinates: Any) -> Any:
        """The Taylor coefficients of some multi-indices at points, one row each, in the shape of the coordinates."""
        xp = namespace(coordinates[0])
        steps = np.stack([np.prod(self.exponents.T**index, axis=1) / factorial(index) for index in indices])
        rows = self.amplitudes * steps
        points = xp.stack([xp.ravel(z) - at for z, at in zip(coordinates, self.origin, strict=True)])
        swells = np.any(
            np.real(self.exponents) != 0, axis=0
        )  # few do, and an exponential of all would take long
        found: Any = sum(self._some(which, rows, points) for which in (swells, ~swells) if which.any())
        return found.reshape(len(indices), *xp.shape(coordinates[0]))

    def _some(self, which: Bool[np.ndarray, " r"], rows: Complex[np.ndarray, "i r"], points: Any) -> Any:
        """The part of the rows that is due to some of the waves."""
        xp, exponents, rows = namespace(points), self.exponents[:, which], rows[:, which]
        turns = (np.imag(exponents) / (2 * np.pi)).T @ points
        waves = cosine(xp.concatenate([turns, turns - 0.25]))
        if np.any(np.real(exponents)):
            swell = xp.exp(np.real(exponents).T @ points)
            waves = xp.concatenate([swell, swell]) * waves
        return np.concatenate([np.real(rows), -np.imag(rows)], axis=1) @ waves


def cosine(turns: Any) -> Any:
    """The cosine of `2π` times the argument, as a polynomial: XLA makes vector code of it, but calls a library for cos.

    `cos 2πr = sin 2π(1/4 - |r|)`, where r is what is left of the nearest whole turn.
    """
    xp = namespace(turns)
    angle = 2 * np.pi * (0.25 - xp.abs(turns - xp.round(turns)))  # within ±π/2
    square, series = angle * angle, xp.ones_like(angle)
    for order in range(_ORDER, 1, -2):
        series = 1 - (1 / (order * (order + 1))) * square * series
    return angle * series
