"""Dispersion of periodic initial data with a jump in the slope.

It never smooths such a kink, which disperses into waves of all lengths; a network learns the few longest. A kink
of jump J is `-J P B₂(ξ)/2`, with the period P, `ξ = (x - low)/P` and Bernoulli's `B₂ = Σ_m cos(2πmξ)/(π²m²)`;
each term is a wave that the linear part of the equations moves on. Short waves cross the domain many times and feel the
mean of what they pass, so the equations are linearized about the initial data and averaged over space. Those that are
not so short are scattered by it (`_scattering.py`). At the end of the library's Schrödinger problem, waves shorter than
a sixteenth of the domain are 2.2e-4 of the solution; less waves that feel the mean 6e-5, less scattered ones 8e-6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Complex

from qres.jets import Jet, MultiIndex, Recording
from qres.posed import TIME

from ._kinks import GROWTH, SAME, Kink
from ._plane_waves import PlaneWaves
from ._scattering import ScatteredWaves, scattered

_LEFT_OUT = 6e-6  # of the data's size: what the shortest waves, which are not there, may add up to
_MOST = 256  # waves
_DAMPING = 0.1  # of a wave's frequency: with more it is no wave


@dataclass(frozen=True, eq=False)
class Waves:
    """A sum of waves, of the coordinates as numbers, arrays, jets or recordings."""

    parts: tuple[PlaneWaves | ScatteredWaves, ...]

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
        found: Any = sum(part.table(indices, *coordinates) for part in self.parts)
        return found


def scattered_waves_of(kink: Kink) -> list[Waves] | None:
    """The waves of each field, the longest of them scattered; None where none are, or the equations have no waves."""
    plane = _plane(kink)
    if plane is None:
        return None
    near, longest = scattered(kink, plane.count)
    return [Waves((*near[k], *plane.beyond(longest, k))) for k in range(len(kink.sizes))] if longest else None


def plane_waves_of(kink: Kink) -> list[Waves] | None:
    """The waves of each field; None where the equations have none."""
    plane = _plane(kink)
    return None if plane is None else [Waves(plane.beyond(0, k)) for k in range(len(kink.sizes))]


@dataclass(frozen=True)
class _Plane:
    """Plane waves of a kink, from the longest on: how fast each evolves, and its shares in the fields."""

    kink: Kink
    lengths: Complex[np.ndarray, " m"]
    rates: Complex[np.ndarray, "m fields"]
    shares: Complex[np.ndarray, "m fields fields"]

    @property
    def count(self) -> int:
        return len(self.lengths)

    def beyond(self, longest: int, field: int) -> tuple[PlaneWaves, ...]:
        """Those of a field without so many of the longest."""
        far = slice(longest, None)
        across = np.broadcast_to(self.lengths[:, None], self.rates.shape)[far]
        exponents = np.stack(
            [(self.rates[far] if name == TIME else across).ravel() for name in self.kink.coordinates]
        )
        if not exponents.size:
            return ()
        amplitudes = self.kink.sizes[field] * self.shares[far, field].ravel()
        return (PlaneWaves(amplitudes, exponents, self.kink.origin),)


def _plane(kink: Kink) -> _Plane | None:
    """The waves that feel the mean of what they pass; None where the equations have none."""
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
    first = kink.waves(numbers)
    shares = vectors * np.linalg.solve(vectors, first[:, :, None].astype(complex))[:, None, :, 0]
    return _Plane(kink, lengths, rates, shares)


def _enough(ratio: float) -> int:
    """How many waves there must be for those left out to be small: their squares add up to `ratio²/(12 π⁴ m³)`."""
    return int(np.clip(np.ceil((ratio / _LEFT_OUT) ** (2 / 3) / (12 * np.pi**4) ** (1 / 3)), 8, _MOST))
