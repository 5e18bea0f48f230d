"""Kinks that waves carry: periodic initial data whose slope jumps where the period closes.

A dispersive equation never smooths such a kink; it spreads as waves of all lengths, of which a network learns the few
longest. So `u = g̃ + w + (t/T) N`: the data without their kink, the waves that come of it, and the network. A kink of
jump J is `-J P B₂(ξ)/2`, with the period P, `ξ = (x - low)/P` and Bernoulli's polynomial `B₂ = Σ_m cos(2πmξ)/(π²m²)`;
each term is a wave that the linear part of the equations moves on. Short waves cross the domain many times and feel the
mean of what they pass, so the equations are linearized about the initial data and averaged over space. At the end of
the library's Schrödinger problem, waves shorter than a sixteenth of the domain have a size of 1.8e-4; less these, 5e-5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Complex, Float

from qres.jets import Jet, MultiIndex, Recording, Truncation, factorial, namespace, needed

from ._condition import Bounds
from ._evolution import TIME
from ._expression import Background, Expression, Name, evaluate, names_in
from ._probe import residuals_of, rows_of
from ._scope import Scope
from ._symbolic import minus, number, plus, power, times

_SAME = 1e-9  # of the data's size
_LEFT_OUT = 3e-5  # of the data's size: what the shortest waves, which are not there, may add up to
_MOST = 256  # waves
_POINTS = 200  # that the equations are averaged over
_STEP = 1e-4  # of central differences
_ORDER = 20  # of the polynomial: (π/2)^23/23! is far below rounding
_VARIES = 1e-6  # of the largest factor in the equations: less is rounding
_DAMPING = 0.1  # of a wave's frequency: with more it is no wave, and kinks go by themselves
_GROWTH = 5.0  # a wave may grow by a factor of e to this over all times


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


def carried(
    data: Mapping[str, Expression], scope: Scope, parts: Mapping[str, Any]
) -> tuple[dict[str, Expression], dict[str, Expression]] | None:
    """The initial data without their kink, and the waves of it, by field; None where there is no kink to carry.

    Args:
        data: what every field is at the lower end of t, as formulas of the other coordinate.
        scope: the names of the problem.
        parts: the problem's bounds, periodic coordinates, equations, definitions and unknowns.
    """
    bounds: Bounds = parts["bounds"]
    space = [name for name in scope.coordinates if name != TIME]
    if len(space) != 1 or tuple(parts["periodic"]) != (space[0],) or TIME not in bounds or parts["unknowns"]:
        return None
    (x,) = space
    if set(data) != set(scope.fields) or not all(_is_plain(value, x, scope) for value in data.values()):
        return None
    with np.errstate(all="ignore"):  # what has no value somewhere is found out below
        values, jumps = _jumps([data[field] for field in scope.fields], x, scope, bounds[x])
        waves = _waves(data, values, jumps, x, scope, parts)
    if waves is None:
        return None
    half = 0.5 / (bounds[x][1] - bounds[x][0])
    smooth = {
        field: plus(data[field], times(number(half * float(jump)), _parabola(x, *bounds[x])))
        for field, jump in zip(scope.fields, jumps, strict=True)
    }
    return smooth, {
        field: Background(f"waves_{field}", wave, scope.coordinates)
        for field, wave in zip(scope.fields, waves, strict=True)
    }


def _is_plain(value: Expression, x: str, scope: Scope) -> bool:
    return all(name == x or name in scope.constants for name in names_in(value))


def _parabola(x: str, low: float, high: float) -> Expression:
    """`P² B₂((x - low)/P) = (x - low)² - P (x - low) + P²/6`, whose slope jumps by -2P."""
    period, xi = high - low, minus(Name(x), number(low))
    return plus(plus(power(xi, 2), times(number(-period), xi)), number(period**2 / 6))


def _jumps(
    data: Sequence[Expression], x: str, scope: Scope, bounds: tuple[float, float]
) -> tuple[Float[np.ndarray, "fields n"], Float[np.ndarray, " fields"]]:
    """The data from one end to the other, and by how much their slopes jump where the period closes."""
    truncation = Truncation.closure((x,), [(1,)])
    along = Jet.coordinate(truncation, x, np.linspace(*bounds, _POINTS + 1))
    found = [evaluate(value, {**scope.constants, x: along}) + 0.0 * along for value in data]
    slopes = np.stack([np.asarray(jet.coefficient((1,))) for jet in found])
    return np.stack([np.asarray(jet.value) for jet in found]), slopes[:, 0] - slopes[:, -1]


def _waves(
    data: Mapping[str, Expression],
    values: Float[np.ndarray, "fields n"],
    jumps: Float[np.ndarray, " fields"],
    x: str,
    scope: Scope,
    parts: Mapping[str, Any],
) -> list[Waves] | None:
    """The waves of each field; None where there is no kink, or the equations have no waves, or are not `A u_t = …`."""
    low, high = parts["bounds"][x]
    start, stop = parts["bounds"][TIME]
    period, sizes = high - low, _sizes(values)
    kinks, gaps = period * np.abs(jumps) / sizes, np.abs(values[:, 0] - values[:, -1]) / sizes
    if not (np.all(np.isfinite(kinks)) and np.max(kinks) > _SAME and np.max(gaps) <= _SAME):
        return None  # also where the values themselves jump, which a network would not follow anyway
    numbers = np.arange(1, _enough(np.max(kinks)) + 1)
    symbols = _symbols(data, 2 * np.pi * numbers / period, sizes, x, scope, parts)
    if symbols is None:
        return None
    rates, vectors = np.linalg.eig(symbols)  # one matrix a wave
    rates = np.where(np.abs(np.real(rates)) <= _SAME * np.abs(rates), 1j * np.imag(rates), rates)
    short = rates[len(numbers) // 2 :]
    if np.any(np.abs(np.real(short)) > _DAMPING * np.abs(np.imag(short))):
        return None
    if np.max(np.real(rates)) * (stop - start) > _GROWTH or np.linalg.cond(vectors).max() > 1 / _SAME:
        return None
    first = -jumps / sizes * period / (2 * np.pi**2) / numbers[:, None] ** 2
    shares = vectors * np.linalg.solve(vectors, first[:, :, None].astype(complex))[:, None, :, 0]
    lengths = np.broadcast_to(2j * np.pi * numbers[:, None] / period, rates.shape)
    exponents = np.stack([(rates if name == TIME else lengths).ravel() for name in scope.coordinates])
    origin = tuple(parts["bounds"][name][0] for name in scope.coordinates)
    return [Waves(size * shares[:, k].ravel(), exponents, origin) for k, size in enumerate(sizes)]


def _sizes(values: Float[np.ndarray, "fields n"]) -> Float[np.ndarray, " fields"]:
    """In what units each field is; one that is zero at first is in those of the largest."""
    sizes = np.sqrt(np.mean(values**2, axis=1))
    return np.where(sizes > 0, sizes, np.max(sizes) or 1.0)


def _enough(ratio: float) -> int:
    """How many waves there must be for those left out to be small: their squares add up to `ratio²/(12 π⁴ m³)`."""
    return int(np.clip(np.ceil((ratio / _LEFT_OUT) ** (2 / 3) / (12 * np.pi**4) ** (1 / 3)), 8, _MOST))


def _symbols(
    data: Mapping[str, Expression],
    k: Float[np.ndarray, " m"],
    sizes: Float[np.ndarray, " fields"],
    x: str,
    scope: Scope,
    parts: Mapping[str, Any],
) -> Complex[np.ndarray, "m fields fields"] | None:
    """The matrices L of `v_t = L v` for small waves `v exp(ikx)` on the initial data, averaged over space.

    Each field is in units of its size.
    """
    first = tuple(int(name == TIME) for name in scope.coordinates)
    slopes = _slopes(data, sizes, x, scope, parts)
    place, order = scope.coordinates.index(TIME), max(map(sum, slopes))
    if len(parts["equations"]) != len(sizes) or not all(np.all(np.isfinite(a)) for a in slopes.values()):
        return None
    if first not in slopes or any(index[place] for index in slopes if index != first):
        return None
    leading = [slope for index, slope in slopes.items() if index == first or sum(index) == order]
    if any(np.ptp(slope, axis=0).max() > _VARIES * np.abs(slope).max() for slope in leading):
        return None  # what moves short waves is not the same everywhere
    means = {index: slope.mean(axis=0) for index, slope in slopes.items()}
    rate = means.pop(first)
    rate /= (row := np.abs(rate).max(axis=1, keepdims=True))
    if not np.all(row > 0) or np.linalg.matrix_rank(rate) < len(sizes):
        return None
    total = np.zeros((len(k), *rate.shape), complex)
    for index, mean in means.items():
        total += ((1j * k) ** sum(index) / factorial(index))[:, None, None] * mean / row
    return -np.linalg.solve(np.broadcast_to(rate, total.shape), total)


def _slopes(
    data: Mapping[str, Expression],
    sizes: Float[np.ndarray, " fields"],
    x: str,
    scope: Scope,
    parts: Mapping[str, Any],
) -> dict[MultiIndex, Float[np.ndarray, "n equations fields"]]:
    """How the equations depend on each Taylor coefficient of the fields, where these are the data, along space."""

    def residuals(raw: Mapping[str, Any], coordinates: Mapping[str, Any]) -> list[Any]:
        return residuals_of(parts, {}, scope.constants, raw, coordinates)[0]

    everywhere = {name: Recording.field(scope.coordinates) for name in scope.coordinates}
    truncation = needed(lambda raw: residuals(raw, everywhere), scope.fields, scope.coordinates)
    (low, high), start = parts["bounds"][x], parts["bounds"][TIME][0]
    at = {x: np.linspace(low, high, _POINTS, endpoint=False), TIME: np.full(_POINTS, start)}
    coordinates = {name: Jet.coordinate(truncation, name, at[name]) for name in scope.coordinates}
    known = {**scope.constants, x: coordinates[x]}
    state = {field: evaluate(value, known) + 0.0 * coordinates[x] for field, value in data.items()}

    def moved(field: str, place: int, step: float) -> Float[np.ndarray, "equations n"]:
        coefficients = list(state[field].coefficients)
        old = coefficients[place]
        coefficients[place] = np.full(_POINTS, step) + (0.0 if old is None else np.asarray(old))
        raw = {**state, field: Jet(truncation, coefficients)}
        return rows_of(residuals(raw, coordinates), _POINTS)

    def slope(place: int, field: str, size: float) -> Float[np.ndarray, "n equations"]:
        extents = [high - low for low, high in parts["bounds"].values()]
        step = _STEP * size / np.prod(np.power(extents, truncation.indices[place]))
        return (moved(field, place, step) - moved(field, place, -step)).T * (size / (2 * step))

    return {
        index: np.stack([slope(place, f, size) for f, size in zip(scope.fields, sizes, strict=True)], axis=-1)
        for place, index in enumerate(truncation.indices)
    }
