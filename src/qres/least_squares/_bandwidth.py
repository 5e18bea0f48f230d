"""How fast the solution may vary along each coordinate, read off the statement.

Sources, initial and boundary values and coefficients are sampled along lines, and the band that holds nearly all of
their power is found. Where the equations are affine, their symbol at the ends of that band then gives the frequencies
in time: of a wave `u_tt = c² u_xx` they are `ω = ck`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from qres.jets import factorial
from qres.problems import Problem
from qres.runtime.random import generator_for

from ._linearised import Linearised, Lineariser

_SAMPLES, _LINES = 256, 6
_WAVES = 6  # that are looked for at most
_LEAVES = 1e-3  # of the power may be left by them
_ROUNDING = 1e-20  # of the power: what is left of a straight line


class Band(NamedTuple):
    """The wave numbers that there are along each coordinate, in radians over half the box."""

    low: Float[np.ndarray, " d"]
    high: Float[np.ndarray, " d"]


def given_band(problem: Problem, lineariser: Lineariser) -> Band:
    """The band of what is given, and of the frequencies that follow from it."""
    d = len(problem.coordinates)
    low, high = np.full(d, np.inf), np.zeros(d)
    for number, group in enumerate(lineariser.residuals.groups):
        if group[0].measured is not None or group[0].term is not None or group[0].place.surface is not None:
            continue
        for place in (i for i, name in enumerate(problem.coordinates) if name in group[0].place.free):
            points = _lines(problem, place, number)
            raw = np.zeros((len(group[0].place.locations), *lineariser.shape, points.shape[1]))
            for one in lineariser.at(number, points, raw, problem.start):
                for values in _varying(one):
                    ends = _band(values)
                    low[place], high[place] = min(low[place], ends[0]), max(high[place], ends[1])
    low = np.where(low <= high, low, 0.0)
    if "t" in problem.coordinates and lineariser.affine:
        time = problem.coordinates.index("t")
        ends = [_frequencies(problem, lineariser, band) for band in (low, high)]
        if ends[1].size and np.max(ends[1]) > high[time]:
            low[time] = np.min(np.concatenate(ends)) if high[time] == 0 else 0.0
            high[time] = np.max(ends[1])
    return Band(low, high)


def _lines(problem: Problem, place: int, number: int) -> Float[np.ndarray, "d n"]:
    """Points on some lines along a coordinate, one line after the other."""
    lower, upper = np.array(problem.lower), np.array(problem.upper)
    random = generator_for(0, "lines", number, place)
    starts = lower + (upper - lower) * random.random((_LINES, len(lower)))
    points = np.repeat(starts.T, _SAMPLES, axis=1)
    points[place] = np.tile(np.linspace(lower[place], upper[place], _SAMPLES), _LINES)
    return points


def _varying(one: Linearised) -> Iterator[Float[np.ndarray, " n"]]:
    """What is given in a residual: where the outputs are at rest, and the coefficients of the outputs."""
    yield one.value
    for row in one.slopes.reshape(-1, one.slopes.shape[-1]):
        if np.ptp(row) > 0:
            yield row


def _band(values: Float[np.ndarray, " n"]) -> tuple[float, float]:
    """The wave numbers of the waves that values on lines consist of; infinity and zero where lines are straight.

    Waves are found one after the other, each the one that with those before it leaves least (matching pursuit).
    """
    lines = np.nan_to_num(values.reshape(_LINES, _SAMPLES), posinf=0.0, neginf=0.0).T
    x = np.linspace(-1, 1, _SAMPLES)
    columns, found = [np.ones_like(x), x], []
    whole = left = _left(columns, lines)
    if left <= _ROUNDING * np.sum(lines**2):
        return np.inf, 0.0
    while left > _LEAVES * whole and len(found) < _WAVES:
        best, spacing = _scan(columns, lines, x, np.arange(1, 2 * np.pi * _SAMPLES / 4) / 2), 0.5
        for _ in range(2):
            best, spacing = _scan(columns, lines, x, best + spacing * np.linspace(-1, 1, 21)), spacing / 10
        columns += [np.cos(best * x), np.sin(best * x)]
        found.append(abs(float(best)))
        left = _left(columns, lines)
    return (0.0 if left > _LEAVES * whole else min(found)), max(found)


def _left(columns: list[np.ndarray], lines: Float[np.ndarray, "n lines"]) -> float:
    Q = np.linalg.qr(np.stack(columns, axis=1))[0]
    return float(np.sum((lines - Q @ (Q.T @ lines)) ** 2))


def _scan(
    columns: list[np.ndarray], lines: Float[np.ndarray, "n lines"], x: np.ndarray, waves: np.ndarray
) -> float:
    """The wave number whose cosine and sine, beside the columns there are, take most of the lines."""
    Q = np.linalg.qr(np.stack(columns, axis=1))[0]
    rest = lines - Q @ (Q.T @ lines)
    pair = [part(np.outer(x, waves)) for part in (np.cos, np.sin)]
    c, s = (one - Q @ (Q.T @ one) for one in pair)
    cc, ss, cs = (np.sum(a * b, axis=0) for a, b in ((c, c), (s, s), (c, s)))
    rc, rs = c.T @ rest, s.T @ rest
    determinant = np.maximum(cc * ss - cs**2, 1e-12 * np.maximum(cc, ss) ** 2 + 1e-300)
    gain = np.sum(ss[:, None] * rc**2 - 2 * cs[:, None] * rc * rs + cc[:, None] * rs**2, axis=1) / determinant
    return float(waves[np.argmax(gain)])


def _frequencies(
    problem: Problem, lineariser: Lineariser, band: Float[np.ndarray, " d"]
) -> Float[np.ndarray, " n"]:
    """The frequencies in time that the equations give waves of some wave numbers."""
    equations = [n for n, group in enumerate(lineariser.residuals.groups) if group[0].kind == "equation"]
    if len(equations) != 1 or len(problem.fields) != len(lineariser.residuals.groups[equations[0]]):
        return np.zeros(0)
    points = _lines(problem, 0, equations[0])
    raw = np.zeros((1, *lineariser.shape, points.shape[1]))
    group = lineariser.at(equations[0], points, raw, problem.start)
    slopes = np.stack([np.mean(one.slopes[0], axis=-1) for one in group])
    halves = (np.array(problem.upper) - np.array(problem.lower)) / 2
    time = problem.coordinates.index("t")
    order = max(index[time] for index in lineariser.truncation.indices)
    polynomial = np.zeros((order + 1, *slopes.shape[:2]), dtype=complex)
    for place, index in enumerate(lineariser.truncation.indices):
        factors = [1j * k / half for k, half in zip(band, halves, strict=True)]
        wave = np.prod([f**n for i, (f, n) in enumerate(zip(factors, index, strict=True)) if i != time])
        polynomial[index[time]] += slopes[:, :, place] / factorial(index) * wave
    roots = _eigenvalues(polynomial)
    return np.abs(np.imag(roots[np.isfinite(roots)])) * halves[time]


def _eigenvalues(polynomial: np.ndarray) -> np.ndarray:
    """The s at which a matrix polynomial `Σ s^n P_n` is singular, by its companion pencil."""
    from scipy.linalg import eigvals

    order, size = len(polynomial) - 1, polynomial.shape[1]
    if order == 0:
        return np.zeros(0)
    left, right = np.zeros((2, order * size, order * size), dtype=complex)
    for n in range(order - 1):
        left[n * size : (n + 1) * size, (n + 1) * size : (n + 2) * size] = np.eye(size)
        right[n * size : (n + 1) * size, n * size : (n + 1) * size] = np.eye(size)
    for n in range(order):
        left[(order - 1) * size :, n * size : (n + 1) * size] = -polynomial[n]
    right[(order - 1) * size :, (order - 1) * size :] = polynomial[order]
    with np.errstate(all="ignore"):
        return np.asarray(eigvals(left, right))
