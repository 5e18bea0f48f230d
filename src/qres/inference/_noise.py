"""Model-free noise estimation, and a test of the misfit against the noise.

Differences from the data that are noise have no structure in space and time. So the differences themselves are
smoothed: by least squares on polynomials of all degrees, from the data's own points, and by comparing nearest
neighbours, for whatever is finer than these. If a smoother explains more of them than it would of noise (F-test,
Moran's I), the fit has not reached the noise, and what the smoother leaves is the estimate of it:
`σ² = RSS / (n - p)`, or half the mean square difference of neighbours. To smooth differences, and not the data, asks
nothing of the solution, which may have steep fronts. Where the standard deviation is given, the misfit is also compared
with that, by a χ²-test.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

_MOST_POINTS = 20_000  # of a set, evenly taken from it: more would not make the answer surer
_MOST_FUNCTIONS = 200  # in a smoother, and no more than a quarter of the points
_LEAST_POINTS = 8  # fewer tell nothing
_LEVEL = 1e-3  # of significance
_SIGMAS = 3.3  # about the same, of a normal distribution
_NEGLIGIBLE = 1.05  # a ratio of mean squares up to which a difference does not matter, however significant


class Discrepancy(NamedTuple):
    """The root mean square misfit of a set of measurements, and the standard deviation of their noise."""

    misfit: float
    noise: float

    @property
    def is_noise(self) -> bool:
        """Whether the misfit is no larger than the noise."""
        return not self.misfit > np.sqrt(_NEGLIGIBLE) * self.noise


def discrepancy(
    points: Float[np.ndarray, "d n"], differences: Float[np.ndarray, " n"], known: float | None = None
) -> Discrepancy:
    """Compare the misfit of measurements with the noise in them; both are the same where it may well be noise.

    Args:
        points: where was measured, in any units.
        differences: of a fit from the measurements there, which weigh the same.
        known: the standard deviation of the noise, where it is given.
    """
    step = -(-differences.size // _MOST_POINTS)
    unit, r = _unit_box(points[:, ::step]), differences[::step]
    mean_square, n = float(np.mean(r**2)), r.size
    misfit = float(np.sqrt(mean_square))
    if known is not None:
        above = misfit**2 > known**2 * (1 + _SIGMAS * np.sqrt(2 / n))
        return Discrepancy(misfit, known if above else misfit)
    if n < _LEAST_POINTS or not mean_square > 0 or not len(unit):
        return Discrepancy(misfit, misfit)
    scaled = r / misfit
    noise = _of_polynomials(unit, scaled)
    noise = _of_neighbours(unit, scaled, noise)
    return Discrepancy(misfit, misfit * float(np.sqrt(noise)))


def _unit_box(points: Float[np.ndarray, "d n"]) -> Float[np.ndarray, "k n"]:
    """Points in [-1, 1] along each coordinate that varies."""
    low, high = points.min(axis=1, keepdims=True), points.max(axis=1, keepdims=True)
    varies = (high > low)[:, 0]
    return (2 * points - low - high)[varies] / (high - low)[varies]


def _of_polynomials(unit: np.ndarray, r: np.ndarray) -> float:
    """The noise, as a share of the mean square, by the best polynomial that explains more than it would of noise."""
    from scipy.special import fdtrc  # slow to import, and not needed to begin training

    n = r.size
    basis, ends = _legendre(unit, min(_MOST_FUNCTIONS, n // 4))
    explained = np.cumsum((np.linalg.qr(basis)[0].T @ r) ** 2) / n  # r has a mean square of 1
    found = []
    for p in ends:
        rest = max(1 - float(explained[p - 1]), np.finfo(float).eps)
        noise = rest * n / (n - p)
        if fdtrc(p, n - p, float(explained[p - 1]) * n / p / noise) < _LEVEL / len(ends):
            found.append((noise / (n - p), noise))  # generalised cross-validation chooses
    return min(found)[1] if found else 1.0


def _legendre(unit: np.ndarray, most: int) -> tuple[Float[np.ndarray, "n p"], list[int]]:
    """Products of Legendre polynomials by total degree, up to so many, and how many each degree takes, all told."""
    dimension, n = unit.shape
    columns, ends, degree = [np.ones(n)], [1], 1
    while True:
        values = np.stack([np.polynomial.legendre.legvander(x, degree) for x in unit])
        chosen = list(combinations_with_replacement(range(dimension), degree))
        if len(columns) + len(chosen) > most:
            return np.stack(columns, axis=1), ends
        for factors in chosen:
            powers = [factors.count(place) for place in range(dimension)]
            columns.append(np.prod([values[i, :, power] for i, power in enumerate(powers)], axis=0))
        ends.append(len(columns))
        degree += 1


def _of_neighbours(unit: np.ndarray, r: np.ndarray, smoothed: float) -> float:
    """The noise, as a share, by differences of nearest neighbours, where it is clearly below that of a smoother."""
    from scipy.spatial import KDTree

    nearest = KDTree(unit.T).query(unit.T, k=2)[1]
    pairs = np.unique(np.sort(nearest, axis=1), axis=0)
    a, b = r[pairs[:, 0]], r[pairs[:, 1]]
    # Under the null hypothesis the products of pairs are uncorrelated, with variance 1.
    alike = np.sum(a * b) / np.sqrt(len(pairs))
    found = float(np.mean((a - b) ** 2)) / 2
    is_below = alike > _SIGMAS and found < smoothed * (1 - _SIGMAS * np.sqrt(3 / len(pairs)))
    return found if is_below else smoothed
