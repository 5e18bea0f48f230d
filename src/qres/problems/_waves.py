"""Kinks that waves carry: what a dispersive equation makes of periodic initial data whose slope jumps.

It never smooths such a kink, which spreads as waves of all lengths, of which a network learns the few longest. A kink
of jump J is `-J P B₂(ξ)/2`, with the period P, `ξ = (x - low)/P` and Bernoulli's `B₂ = Σ_m cos(2πmξ)/(π²m²)`;
each term is a wave that the linear part of the equations moves on. Short waves cross the domain many times and feel the
mean of what they pass, so the equations are linearized about the initial data and averaged over space. At the end of
the library's Schrödinger problem, waves shorter than a sixteenth of the domain have a size of 1.8e-4; less these, 5e-5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Complex

from qres.jets import Jet, MultiIndex, Recording, factorial, namespace

from ._evolution import TIME
from ._kinks import GROWTH, SAME, Kink

_LEFT_OUT = 3e-5  # of the data's size: what the shortest waves, which are not there, may add up to
_MOST = 256  # waves
_ORDER = 20  # of the polynomial: (π/2)^23/23! is far below rounding
_DAMPING = 0.1  # of a wave's frequency: with more it is no wave


@dataclass(frozen=True, eq=False)
class Waves:
    """`Re Σ_r A_r exp(e_r · (z - origin))`, of the coordinates z as numbers, arrays, jets or recordings."""

    amplitudes: Complex[np.ndarray, " r"]
    exponents: Complex[np.ndarray, "d r"]
    origin: tuple[float, ...]

    def __call__(self, *coordinates: Any) -> Any:
        """The sum, with all derivatives that a jet carries."""
        first = coordinates[0]
        if isinstance(first, Recording):
            return sum(coordinates[1:], first)
        if not isinstance(first, Jet):
            return self.table([(0,) * len(coordinates)], *coordinates)[0]
        indices = first.truncation.indices
        return Jet(first.truncation, list(self.table(indices, *(jet.value for jet in coordinates))))

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
        waves = _cosine(xp.concatenate([turns, turns - 0.25]))
        if np.any(np.real(exponents)):
            swell = xp.exp(np.real(exponents).T @ points)
            waves = xp.concatenate([swell, swell]) * waves
        return np.concatenate([np.real(rows), -np.imag(rows)], axis=1) @ waves


def _cosine(turns: Any) -> Any:
    """The cosine of `2π` times the argument, as a polynomial: XLA makes vector code of it, but calls a library for cos.

    `cos 2πr = sin 2π(1/4 - |r|)`, where r is what is left of the nearest whole turn.
    """
    xp = namespace(turns)
    angle = 2 * np.pi * (0.25 - xp.abs(turns - xp.round(turns)))  # within ±π/2
    square, series = angle * angle, xp.ones_like(angle)
    for order in range(_ORDER, 1, -2):
        series = 1 - (1 / (order * (order + 1))) * square * series
    return angle * series


def waves_of(kink: Kink) -> list[Waves] | None:
    """The waves of each field; None where the equations have none."""
    ratio = float(np.max(kink.period * np.abs(kink.jumps) / kink.sizes))
    numbers = np.arange(1, _enough(ratio) + 1)
    lengths = 2j * np.pi * numbers / kink.period
    symbols = sum(lengths[:, None, None] ** order * rate.mean(axis=0) for order, rate in kink.rates.items())
    rates, vectors = np.linalg.eig(np.broadcast_to(symbols, (len(numbers), len(kink.sizes), len(kink.sizes))))
    rates = np.where(np.abs(np.real(rates)) <= SAME * np.abs(rates), 1j * np.imag(rates), rates)
    short = rates[len(numbers) // 2 :]
    if np.any(np.abs(np.real(short)) > _DAMPING * np.abs(np.imag(short))):
        return None
    if np.max(np.real(rates)) * kink.duration > GROWTH or np.linalg.cond(vectors).max() > 1 / SAME:
        return None
    first = -kink.jumps / kink.sizes * kink.period / (2 * np.pi**2) / numbers[:, None] ** 2
    shares = vectors * np.linalg.solve(vectors, first[:, :, None].astype(complex))[:, None, :, 0]
    across = np.broadcast_to(lengths[:, None], rates.shape)
    exponents = np.stack([(rates if name == TIME else across).ravel() for name in kink.coordinates])
    return [Waves(size * shares[:, k].ravel(), exponents, kink.origin) for k, size in enumerate(kink.sizes)]


def _enough(ratio: float) -> int:
    """How many waves there must be for those left out to be small: their squares add up to `ratio²/(12 π⁴ m³)`."""
    return int(np.clip(np.ceil((ratio / _LEFT_OUT) ** (2 / 3) / (12 * np.pi**4) ** (1 / 3)), 8, _MOST))
