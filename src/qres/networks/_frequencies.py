"""Frequencies of Fourier features: random, or found in the measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from qres.runtime.errors import InputError

Frequencies = tuple[tuple[float, ...], ...]
"""Rows of B in `cos(2πBz), sin(2πBz)`, where z are coordinates scaled to [-1, 1]."""

_CELLS = 2**20  # of the grid that values are gathered on, at most
_FINEST = 256  # cells along a coordinate, at most
_LONGEST = 0.3  # waves a unit: the network sees longer ones by itself


class Series(NamedTuple):
    """Values at scattered points, whose coordinates are scaled to [-1, 1]."""

    points: Float[np.ndarray, "d n"]
    values: Float[np.ndarray, " n"]


def random_frequencies(
    random: np.random.Generator, count: int, scale: float, periodic: Sequence[bool]
) -> Frequencies:
    """Normal with the given scale; zero along periodic coordinates, whose period they would break."""
    drawn = scale * random.standard_normal((count, len(periodic)))
    return _rows(np.where(periodic, 0.0, drawn))


def measured_frequencies(series: Sequence[Series], count: int, periodic: Sequence[bool]) -> Frequencies:
    """Those of the plane waves that all series have most of, each the strongest in what the ones before it leave.

    This is matching pursuit: find the strongest wave, fit all found so far, go on with what is left. Along a periodic
    coordinate they are whole harmonics. No wave is shorter than what the places of the measurements tell apart.
    """
    units = [Series(points, _standard(values)) for points, values in series]
    shortest = np.max([[_shortest(row) for row in points] for points, _ in units], axis=0)
    found: list[Float[np.ndarray, " d"]] = []
    for _ in range(count):
        left = [Series(points, _misfit(points, values, found)) for points, values in units]
        found.append(_refined(_strongest(left, shortest), left, np.array(periodic)))
    return _rows(np.array(found))


def _rows(array: Float[np.ndarray, "count d"]) -> Frequencies:
    return tuple(tuple(float(value) for value in row) for row in array)


def _standard(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    std = np.std(values)
    return (values - np.mean(values)) / (std if std > 0 else 1.0)


def _shortest(places: Float[np.ndarray, " n"]) -> float:
    """Waves a unit, at most, that so many different places along a coordinate can tell from longer ones."""
    return (len(np.unique(places)) - 1) / 4


def _misfit(
    points: Float[np.ndarray, "d n"],
    values: Float[np.ndarray, " n"],
    found: Sequence[Float[np.ndarray, " d"]],
) -> Float[np.ndarray, " n"]:
    """What a linear function and waves leave of values, by least squares."""
    angles = [2 * np.pi * wave @ points for wave in found]
    columns = [np.ones_like(values), *points, *map(np.cos, angles), *map(np.sin, angles)]
    basis = np.stack(columns, axis=1)
    return values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]


def _strongest(left: Sequence[Series], shortest: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
    """The peak of the power spectrum: of sums over cells of a grid, twice as long as the box for a finer spectrum."""
    dimensions = len(shortest)
    cells = min(_FINEST, 2 ** int(np.log2(_CELLS) / dimensions))
    power = 0.0
    for points, values in left:
        places = np.clip((points + 1) / 4 * cells, 0, cells / 2 - 1).astype(int)
        flat = np.ravel_multi_index(tuple(places), (cells,) * dimensions)
        sums = np.bincount(flat, values, cells**dimensions).reshape((cells,) * dimensions)
        power = power + np.abs(np.fft.rfftn(sums / len(values))) ** 2
    both = np.fft.fftfreq(cells, 4 / cells)
    axes = [both] * (dimensions - 1) + [np.abs(both[: cells // 2 + 1])]
    waves = np.stack(np.meshgrid(*axes, indexing="ij"))
    sharp = np.minimum(shortest, cells / 16)  # cells blur what is shorter
    inside = np.all(np.abs(waves) <= sharp.reshape(-1, *[1] * dimensions), axis=0)
    inside &= np.max(np.abs(waves), axis=0) >= _LONGEST
    if not np.any(inside):
        raise InputError("fourier_from = 'data': the measurements are at too few places to show a wave")
    place = np.argmax(np.where(inside, power, -1.0))
    return waves.reshape(dimensions, -1)[:, place]


def _refined(
    wave: Float[np.ndarray, " d"], left: Sequence[Series], periodic: np.ndarray
) -> Float[np.ndarray, " d"]:
    """The top of the peak near a wave; along periodic coordinates, the harmonic that is nearest."""
    from scipy.optimize import minimize  # only here: it takes long to import

    def misfit(wave: Float[np.ndarray, " d"]) -> tuple[float, Float[np.ndarray, " d"]]:
        power, slope = 0.0, np.zeros(len(wave))
        for points, values in left:
            turns = values * np.exp(-2j * np.pi * wave @ points)
            amplitude = np.mean(turns)
            power += float(abs(amplitude) ** 2)
            slope += 2 * np.real(np.conj(amplitude) * np.mean(-2j * np.pi * points * turns, axis=1))
        return -power, -slope

    start = np.where(periodic, np.round(2 * wave) / 2, wave)
    margin = np.where(periodic, 0.0, 0.25)
    bounds = list(zip(start - margin, start + margin, strict=True))
    top = minimize(misfit, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return top * np.sign(top[np.argmax(np.abs(top))])
