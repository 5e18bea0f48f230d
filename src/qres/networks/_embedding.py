"""The input embedding: scaling to [-1, 1], exact periodicity, Fourier features."""

from __future__ import annotations

import math

import equinox as eqx
import jax.numpy as jnp

from qres.jets import Rows, concatenate, cos, linear, rows, sin

from ._frequencies import Frequencies


class Embedding(eqx.Module):
    """Coordinates to features, with nothing to learn.

    A plain coordinate is scaled to [-1, 1] by its bounds. A periodic one becomes `cos kφ, sin kφ`, k = 1 … harmonics,
    with `φ = 2π (x - lower)/(upper - lower)`, so that all that follows is exactly periodic. Fourier features
    `cos(2πBz), sin(2πBz)` of the scaled coordinates z may be added (Tancik et al. 2020).
    """

    lower: tuple[float, ...] = eqx.field(static=True)
    upper: tuple[float, ...] = eqx.field(static=True)
    harmonics: tuple[int, ...] = eqx.field(static=True)  # for each coordinate; 0: not periodic
    frequencies: Frequencies = eqx.field(static=True, default=())

    @property
    def width(self) -> int:
        """How many features come out."""
        return sum(2 * k if k else 1 for k in self.harmonics) + 2 * len(self.frequencies)

    def __call__(self, x: Rows) -> Rows:
        """The features of an array or a jet of coordinates."""
        centre = jnp.array([(a + b) / 2 for a, b in zip(self.lower, self.upper, strict=True)])
        slope = jnp.array([2 / (b - a) for a, b in zip(self.lower, self.upper, strict=True)])
        scaled = (x - centre[:, None]) * slope[:, None]
        if not any(self.harmonics) and not self.frequencies:
            return scaled
        parts = [
            _waves(scaled, place, harmonics) if harmonics else rows(scaled, place, place + 1)
            for place, harmonics in enumerate(self.harmonics)
        ]
        if self.frequencies:
            angles = linear(2 * math.pi * jnp.array(self.frequencies), scaled)
            parts += [cos(angles), sin(angles)]
        return concatenate(parts)


def _waves(scaled: Rows, place: int, harmonics: int) -> Rows:
    """`cos kφ` and `sin kφ` of one coordinate, scaled to [-1, 1]."""
    multiples = math.pi * jnp.arange(1.0, harmonics + 1)
    angles = linear(multiples[:, None], rows(scaled, place, place + 1))
    return concatenate([cos(angles), sin(angles)])
