"""Scattering: the linearized equation for long waves with coefficients that vary in space.

A wave of number k passes places where it is faster and places where it is slower. To the first order in 1/k that
turns its phase back and forth, and so mixes it with its neighbours. The equations linearized about the initial data
are a matrix between the waves `exp(2πi m ξ)`, whose eigenvectors keep their shape. Where the highest derivatives couple
fields, there are branches, such as `u ± iv` of Schrödinger's equation; waves of one do not become waves of another, as
their frequencies are too far apart, so each branch is scattered by itself. Where what scatters moves along, as in the
equation of Korteweg and de Vries, waves that feel the mean are nearer to the truth, and it is left at that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Complex, Float, Int

from qres.jets import MultiIndex, factorial, namespace
from qres.posed import TIME

from ._kinks import SAME, Kink
from ._plane_waves import cosine

_MOST = 40  # waves of the kink that are scattered; shorter ones feel the mean of what they pass
_BEYOND = 8  # and so many shorter ones that they are scattered into
_GROWTH = (
    1.0  # waves may grow by a factor of e to this over all times: what they pass does not stay as it was
)
_VARIES = 1e-4  # of the largest: less is the same everywhere
_MOVES = 0.5  # of how much it varies: by more, over all times, if it went on as at first, what scatters does not stay


@dataclass(frozen=True, eq=False)
class ScatteredWaves:
    """`Re f Σ_k exp(i k (x - x₀)) Σ_r C_kr exp(λ_r (t - t₀))`, of t and x as numbers or arrays."""

    factor: complex
    shares: Complex[np.ndarray, "k r"]
    across: Float[np.ndarray, " k"]
    rates: Complex[np.ndarray, " r"]
    origin: tuple[float, ...]
    time: int  # which coordinate

    def table(self, indices: Sequence[MultiIndex], *coordinates: Any) -> Any:
        """The Taylor coefficients of some multi-indices at points, one row each, in the shape of the coordinates."""
        xp = namespace(coordinates[0])
        points = [xp.ravel(z) - at for z, at in zip(coordinates, self.origin, strict=True)]
        moving = self._moving(points[self.time])
        turns = np.outer(self.across / (2 * np.pi), 1.0) * points[1 - self.time]
        cos, sin = cosine(turns), cosine(turns - 0.25)
        rows, parts = [], {}
        for index in indices:
            order = index[self.time]
            if order not in parts:
                shares = self.shares * self.rates**order
                turned = np.block([[np.real(shares), -np.imag(shares)], [np.imag(shares), np.real(shares)]])
                real, imaginary = xp.split(turned @ moving, 2)
                parts[order] = real * cos - imaginary * sin, real * sin + imaginary * cos
            step = self.factor * (1j * self.across) ** index[1 - self.time] / factorial(index)
            rows.append(np.real(step) @ parts[order][0] - np.imag(step) @ parts[order][1])
        return xp.stack(rows).reshape(len(indices), *xp.shape(coordinates[0]))

    def _moving(self, t: Any) -> Any:
        """Real and imaginary parts of all `exp(λ t)`, one below the other."""
        xp = namespace(t)
        turns = np.outer(np.imag(self.rates) / (2 * np.pi), 1.0) * t
        found = xp.concatenate([cosine(turns), cosine(turns - 0.25)])
        if not np.any(np.real(self.rates)):
            return found
        swell = xp.exp(np.outer(np.real(self.rates), 1.0) * t)
        return xp.concatenate([swell, swell]) * found


def scattered(kink: Kink, most: int) -> tuple[list[tuple[ScatteredWaves, ...]], int]:
    """For each field the longest waves, scattered, and how many that are; none where that says nothing more.

    Args:
        kink: what they come from.
        most: how many waves it has, of all lengths.
    """
    none: list[tuple[ScatteredWaves, ...]] = [()] * len(kink.sizes)
    branches, time = _branches(kink), kink.coordinates.index(TIME)
    longest = min(most, _MOST)
    numbers = np.arange(-longest - _BEYOND, longest + _BEYOND + 1)
    across = 2 * np.pi * numbers / kink.period
    first = np.zeros((len(numbers), len(kink.sizes)))
    inside = (numbers != 0) & (np.abs(numbers) <= longest)
    first[inside] = kink.waves(numbers[inside]) / 2
    found = none
    for branch in branches:
        rates, vectors = np.linalg.eig(branch.matrix(numbers, kink.period))
        rates = np.where(np.abs(np.real(rates)) <= SAME * np.abs(rates).max(), 1j * np.imag(rates), rates)
        if np.max(np.real(rates)) * kink.duration > _GROWTH or np.linalg.cond(vectors) > 1 / SAME:
            return none, 0
        shares = vectors * np.linalg.solve(vectors, first @ branch.row)
        found = [
            (*parts, ScatteredWaves(complex(size * factor), shares, across, rates, kink.origin, time))
            for parts, size, factor in zip(found, kink.sizes, branch.column, strict=True)
        ]
    return found, longest if branches else 0


@dataclass(frozen=True)
class _Branch:
    """Waves by themselves: a share `row` of the fields, which gives them `column`, with the equation that it obeys."""

    row: Complex[np.ndarray, " fields"]
    column: Complex[np.ndarray, " fields"]
    rates: Mapping[int, Complex[np.ndarray, " n"]]

    def matrix(self, numbers: Int[np.ndarray, " k"], period: float) -> Complex[np.ndarray, "k k"]:
        """The equation between the waves of these numbers."""
        across, between = 2j * np.pi * numbers / period, numbers[:, None] - numbers
        total = np.zeros(between.shape, complex)
        for order, rate in self.rates.items():
            spectrum = np.fft.fft(rate) / len(rate)
            known = np.abs(between) < len(rate) / 2
            total += np.where(known, spectrum[between % len(rate)], 0) * across**order
        return total


def _branches(kink: Kink) -> list[_Branch]:
    """All branches, one of each two that are conjugate; none where they are not distinct and continuous."""
    speeds, columns = np.linalg.eig(kink.rates[max(kink.rates)].mean(axis=0).astype(complex))
    apart = np.abs(speeds[:, None] - speeds) + np.diag(np.full(len(speeds), np.inf))
    if apart.min() < SAME * np.abs(speeds).max() or np.linalg.cond(columns) > 1 / SAME or kink.drift is None:
        return []
    found, varies = [], False
    for row, column, speed in zip(np.linalg.inv(columns), columns.T, speeds, strict=True):
        rates, drift = (
            {order: np.einsum("f,nfg,g->n", row, rate, column) for order, rate in several.items()}
            for several in (kink.rates, kink.drift)
        )
        for order, rate in rates.items():
            deviation = np.abs(rate - rate.mean()).max()
            varies |= deviation > _VARIES * np.abs(rate).max()
            if kink.duration * np.abs(drift[order]).max() > _MOVES * max(
                deviation, _VARIES * np.abs(rate).max()
            ):
                return []
        if speed.imag >= 0:  # one of two conjugates counts twice
            found.append(_Branch(row, column * (2 if speed.imag else 1), rates))
    return found if varies else []
