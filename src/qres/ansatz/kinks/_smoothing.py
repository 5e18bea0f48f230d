"""Diffusion of periodic initial data with a jump in the slope.

Under `v_t = νv_xx`, `|s|/2` becomes `K(s, t) = a exp(-s²/a²)/(2√π) + s erf(s/a)/2` with `a² = 4νt`: at first sharper
than any network follows. So the kink of jump J, as a periodic parabola (`_waves.py`), goes on as
`exp(ct) [-J P B₂(ξ)/2 + J Σ_n D(s_n, t)]` with `D = K - |s|/2`, the distances s_n from the kink and its images, and the
rate c at which the equations let small things grow at the kink: elsewhere D is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, pi, sqrt
from typing import Any

import numpy as np

from qres.jets import Recording, erf, exp
from qres.jets import sqrt as root
from qres.posed import TIME

from ._kinks import GROWTH, Kink

_FAR = 6.1  # in units of a: beyond it, D is below rounding
_IMAGES = 3  # to either side; where diffusion extends further, kinks vanish at once
_FIRST = 1e-30  # of the duration: the time that stands for zero, where a quotient would have no value
_SMALL = 1e-6  # of the diffusion: what may couple fields there, or move them on


@dataclass(frozen=True)
class Smoothing:
    """What comes of a kink, as a function of the coordinates: numbers, arrays, jets or recordings.

    Args:
        jump: of the slope at the kink.
        diffusivity: ν.
        rate: c.
        origin: of time and space, where the kink is.
        period: of space.
        images: the diffusion length to either side, in periods.
        first: the time that stands for zero, where a quotient would have no value.
        time: which of the coordinates is the time.
    """

    jump: float
    diffusivity: float
    rate: float
    origin: tuple[float, float]
    period: float
    images: int
    first: float
    time: int

    def __call__(self, *coordinates: Any) -> Any:
        """The kink and what has been smoothed of it."""
        t, x = coordinates[self.time], coordinates[1 - self.time]
        if isinstance(t, Recording):
            return t + x
        passed, place = t - self.origin[0], x - self.origin[1]
        parabola = place * place - self.period * place + self.period**2 / 6
        width = root(4 * self.diffusivity * (passed + self.first))
        distances = [place + n * self.period for n in range(self.images)]
        distances += [(n + 1) * self.period - place for n in range(self.images)]
        smoothed = sum(_difference(distance, width) for distance in distances)
        return self.jump * exp(self.rate * passed) * (smoothed - parabola / (2 * self.period))


def _difference(s: Any, a: Any) -> Any:
    """`D = K - s/2`, for s of at least zero."""
    z = s / a
    return a * exp(-(z * z)) / (2 * sqrt(pi)) + 0.5 * s * (erf(z) - 1.0)


def smoothing_of(kink: Kink) -> Sequence[Smoothing] | None:
    """The smoothed kink of each field; None where the equations do something else to it."""
    if max(kink.rates) != 2:
        return None
    at_kink = {order: rate[0] for order, rate in kink.rates.items()}
    diffusion = at_kink[2]
    still = np.zeros_like(diffusion)
    nu, rates = np.diag(diffusion), np.diag(at_kink.get(0, still))
    scale = np.min(nu)
    drift = np.abs(at_kink.get(1, still)).max() * kink.period
    coupled = np.abs(diffusion - np.diag(nu)).max()
    if scale <= 0 or max(drift, coupled) > _SMALL * scale or np.max(rates) * kink.duration > GROWTH:
        return None
    time = kink.coordinates.index(TIME)
    origin = (kink.origin[time], kink.origin[1 - time])
    found = [
        Smoothing(
            float(jump),
            float(v),
            float(c),
            origin,
            kink.period,
            ceil(_FAR * sqrt(4 * float(v) * kink.duration) / kink.period),
            _FIRST * kink.duration,
            time,
        )
        for jump, v, c in zip(kink.jumps, nu, rates, strict=True)
    ]
    return found if all(one.images <= _IMAGES for one in found) else None
