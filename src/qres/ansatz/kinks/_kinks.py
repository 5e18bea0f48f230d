"""Kinks of periodic initial data: jumps of the slope across the period, and the linearized equations there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from qres.formulas import Expression, evaluate, names_in
from qres.jets import Jet, MultiIndex, Truncation, factorial
from qres.posed import TIME, Bounds, Posed, rows_of
from qres.posed.evaluator import Residuals

SAME = 1e-9  # of the data's size
GROWTH = 5.0  # what comes of a kink may grow by a factor of e to this over all times
_POINTS = 200  # at which the equations are evaluated
_STEP = 1e-4  # of central differences
_MOVED = 1e-2  # of a field's size: how far the data go to see whether the rates change
_VARIES = 1e-6  # of the largest factor in the equations: less is rounding

Matrix = Float[np.ndarray, "fields fields"]


@dataclass(frozen=True)
class Kink:
    """Initial data whose slopes jump where the period closes, under equations of first order in time.

    Args:
        coordinates: of the problem, in order.
        space: the periodic one.
        bounds: of all coordinates.
        jumps: of the slopes, for each field.
        sizes: of the fields.
        rates: the equations linearized about the data, each field in units of its size: `v_t = Σ_k rates[k] ∂^k v`, at
            points from one end of space to the other.
        drift: how fast these change at first, as the data begin to move; None where that is not defined.
    """

    coordinates: tuple[str, ...]
    space: str
    bounds: Bounds
    jumps: Float[np.ndarray, " fields"]
    sizes: Float[np.ndarray, " fields"]
    rates: Mapping[int, Float[np.ndarray, "n fields fields"]]
    drift: Mapping[int, Float[np.ndarray, "n fields fields"]] | None

    @property
    def period(self) -> float:
        """The length of space."""
        low, high = self.bounds[self.space]
        return high - low

    @property
    def duration(self) -> float:
        """How long it goes on."""
        start, stop = self.bounds[TIME]
        return stop - start

    @property
    def origin(self) -> tuple[float, ...]:
        """The kink at the beginning, one number for each coordinate."""
        return tuple(self.bounds[name][0] for name in self.coordinates)

    def waves(self, numbers: Int[np.ndarray, " m"]) -> Float[np.ndarray, "m fields"]:
        """How much of `cos(2πmξ)` the kink has, each field in units of its size."""
        return -self.jumps / self.sizes * self.period / (2 * np.pi**2) / numbers[:, None] ** 2


def find_kink(data: Mapping[str, Expression], posed: Posed) -> Kink | None:
    """The kink of initial data; None where there is none, or the equations are not `A u_t = …`.

    Also where the values themselves jump, which a network would not follow anyway.

    Args:
        data: what every field is at the lower end of t, as formulas of the other coordinate.
        posed: the problem's bounds, periodic coordinates, equations, definitions and unknowns.
    """
    bounds: Bounds = posed.bounds
    space = [name for name in posed.coordinates if name != TIME]
    if len(space) != 1 or tuple(posed.periodic) != (space[0],) or TIME not in bounds or posed.unknowns:
        return None
    (x,) = space
    if set(data) != set(posed.fields) or not all(_is_plain(value, x, posed) for value in data.values()):
        return None
    low, high = bounds[x]
    with np.errstate(all="ignore"):  # what has no value somewhere is found out below
        values, jumps = _jumps([data[field] for field in posed.fields], x, posed, bounds[x])
        sizes = _sizes(values)
        kinks, gaps = (high - low) * np.abs(jumps) / sizes, np.abs(values[:, 0] - values[:, -1]) / sizes
        if not (np.all(np.isfinite(kinks)) and np.max(kinks) > SAME and np.max(gaps) <= SAME):
            return None
        look = _Look(data, sizes, x, posed)
        slopes = look.slopes()
        rates = _rates(slopes, posed)
        if rates is None:
            return None
        drift = _drift(look, slopes, rates, posed)
    return Kink(posed.coordinates, x, bounds, jumps, sizes, rates, drift)


def _is_plain(value: Expression, x: str, posed: Posed) -> bool:
    return all(name == x or name in posed.constants for name in names_in(value))


def _jumps(
    data: Sequence[Expression], x: str, posed: Posed, bounds: tuple[float, float]
) -> tuple[Float[np.ndarray, "fields n"], Float[np.ndarray, " fields"]]:
    """The data from one end to the other, and by how much their slopes jump where the period closes."""
    truncation = Truncation.closure((x,), [(1,)])
    along = Jet.coordinate(truncation, x, np.linspace(*bounds, _POINTS + 1))
    found = [evaluate(value, {**posed.constants, x: along}) + 0.0 * along for value in data]
    slopes = np.stack([np.asarray(jet.coefficient((1,))) for jet in found])
    return np.stack([np.asarray(jet.value) for jet in found]), slopes[:, 0] - slopes[:, -1]


def _sizes(values: Float[np.ndarray, "fields n"]) -> Float[np.ndarray, " fields"]:
    """In what units each field is; one that is zero at first is in those of the largest."""
    sizes = np.sqrt(np.mean(values**2, axis=1))
    return np.where(sizes > 0, sizes, np.max(sizes) or 1.0)


def _rates(
    slopes: Mapping[MultiIndex, Float[np.ndarray, "n equations fields"]], posed: Posed
) -> dict[int, Float[np.ndarray, "n fields fields"]] | None:
    """By the order of the derivative; None where what counts most for short waves is not the same everywhere."""
    first = _first(posed)
    place, order = posed.coordinates.index(TIME), max(map(sum, slopes))
    if first not in slopes or any(index[place] for index in slopes if index != first):
        return None
    if not all(np.all(np.isfinite(slope)) for slope in slopes.values()):
        return None
    leading = [slope for index, slope in slopes.items() if index == first or sum(index) == order]
    if any(np.ptp(slope, axis=0).max() > _VARIES * np.abs(slope).max() for slope in leading):
        return None
    factors = slopes[first].mean(axis=0)
    if factors.shape[0] != factors.shape[1]:
        return None
    row = np.abs(factors).max(axis=1, keepdims=True)
    if not np.all(row > 0) or np.linalg.matrix_rank(factors / row) < len(factors):
        return None
    inverse = np.linalg.inv(factors / row)
    return {
        sum(index): -inverse @ (slope / row) / factorial(index)
        for index, slope in slopes.items()
        if index != first
    }


def _first(posed: Posed) -> MultiIndex:
    """The derivative by t."""
    return tuple(int(name == TIME) for name in posed.coordinates)


def _drift(
    look: _Look,
    slopes: Mapping[MultiIndex, Float[np.ndarray, "n equations fields"]],
    rates: Mapping[int, Float[np.ndarray, "n fields fields"]],
    posed: Posed,
) -> dict[int, Float[np.ndarray, "n fields fields"]] | None:
    """How fast the rates change at first, from a short step in time; None where they have no meaning then."""
    speeds = -np.linalg.lstsq(slopes[_first(posed)].mean(axis=0), look.residuals(), rcond=None)[0]
    fastest = np.abs(speeds).max()
    if not np.isfinite(fastest):
        return None
    step = _MOVED * look.duration / max(1.0, fastest * look.duration)
    later = _rates(look.slopes(step * speeds, after=step), posed)
    if later is None or set(later) != set(rates):
        return None
    return {order: (later[order] - rate) / step for order, rate in rates.items()}


class _Look:
    """The equations at the initial data, along space; each field is in units of its size."""

    def __init__(
        self,
        data: Mapping[str, Expression],
        sizes: Float[np.ndarray, " fields"],
        x: str,
        posed: Posed,
    ) -> None:
        self.sizes, self.posed = sizes, posed
        self.equations = Residuals.of(posed)
        self.truncation = self.equations.truncation
        (low, high), (start, stop) = posed.bounds[x], posed.bounds[TIME]
        self.duration = stop - start
        at = {x: np.linspace(low, high, _POINTS, endpoint=False), TIME: np.full(_POINTS, start)}
        self.coordinates = {
            name: Jet.coordinate(self.truncation, name, at[name]) for name in posed.coordinates
        }
        known = {**posed.constants, x: self.coordinates[x]}
        self.state = {
            field: evaluate(value, known) + 0.0 * self.coordinates[x] for field, value in data.items()
        }

    def residuals(
        self, moves: Mapping[tuple[str, int], Any] | None = None, after: float = 0.0
    ) -> Float[np.ndarray, "equations n"]:
        """What the equations leave of the data, some of whose Taylor coefficients are moved, by field and place.

        `after` the beginning, where coefficients of the equations may be others.
        """
        raw, coordinates = dict(self.state), {**self.coordinates, TIME: self.coordinates[TIME] + after}
        for (field, place), step in (moves or {}).items():
            coefficients = list(raw[field].coefficients)
            old = coefficients[place]
            coefficients[place] = np.zeros(_POINTS) + step + (0.0 if old is None else np.asarray(old))
            raw[field] = Jet(self.truncation, coefficients)
        return rows_of(self.equations.everywhere(raw, coordinates), _POINTS)

    def slopes(
        self, more: Float[np.ndarray, "fields n"] | None = None, after: float = 0.0
    ) -> dict[MultiIndex, Float[np.ndarray, "n equations fields"]]:
        """How the equations depend on each Taylor coefficient of the fields, where the values are so much more."""
        extents = [high - low for low, high in self.posed.bounds.values()]
        fields, value = self.posed.fields, self.truncation.indices.index((0,) * len(extents))
        rows = np.zeros((len(fields), 1)) if more is None else more * self.sizes[:, None]
        start = {(field, value): row for field, row in zip(fields, rows, strict=True)}

        def slope(index: MultiIndex, place: int, number: int) -> Float[np.ndarray, "n equations"]:
            size = self.sizes[number]
            step = _STEP * size / np.prod(np.power(extents, index))

            def moved(by: float) -> Float[np.ndarray, "equations n"]:
                key = (fields[number], place)
                return self.residuals({**start, key: start.get(key, 0.0) + by}, after)

            return (moved(step) - moved(-step)).T * (size / (2 * step))

        return {
            index: np.stack([slope(index, place, number) for number in range(len(fields))], axis=-1)
            for place, index in enumerate(self.truncation.indices)
        }
