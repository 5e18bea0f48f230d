"""Kinks of periodic initial data: slopes that jump where the period closes, and what the equations do to them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.jets import Jet, MultiIndex, Recording, Truncation, factorial, needed

from ._condition import Bounds
from ._evolution import TIME
from ._expression import Expression, evaluate, names_in
from ._probe import residuals_of, rows_of
from ._scope import Scope

SAME = 1e-9  # of the data's size
GROWTH = 5.0  # what comes of a kink may grow by a factor of e to this over all times
_POINTS = 200  # at which the equations are looked at
_STEP = 1e-4  # of central differences
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
    """

    coordinates: tuple[str, ...]
    space: str
    bounds: Bounds
    jumps: Float[np.ndarray, " fields"]
    sizes: Float[np.ndarray, " fields"]
    rates: Mapping[int, Float[np.ndarray, "n fields fields"]]

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


def find_kink(data: Mapping[str, Expression], scope: Scope, parts: Mapping[str, Any]) -> Kink | None:
    """The kink of initial data; None where there is none, or the equations are not `A u_t = …`.

    Also where the values themselves jump, which a network would not follow anyway.

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
    low, high = bounds[x]
    with np.errstate(all="ignore"):  # what has no value somewhere is found out below
        values, jumps = _jumps([data[field] for field in scope.fields], x, scope, bounds[x])
        sizes = _sizes(values)
        kinks, gaps = (high - low) * np.abs(jumps) / sizes, np.abs(values[:, 0] - values[:, -1]) / sizes
        if not (np.all(np.isfinite(kinks)) and np.max(kinks) > SAME and np.max(gaps) <= SAME):
            return None
        rates = _rates(_slopes(data, sizes, x, scope, parts), scope)
    return None if rates is None else Kink(scope.coordinates, x, bounds, jumps, sizes, rates)


def _is_plain(value: Expression, x: str, scope: Scope) -> bool:
    return all(name == x or name in scope.constants for name in names_in(value))


def _jumps(
    data: Sequence[Expression], x: str, scope: Scope, bounds: tuple[float, float]
) -> tuple[Float[np.ndarray, "fields n"], Float[np.ndarray, " fields"]]:
    """The data from one end to the other, and by how much their slopes jump where the period closes."""
    truncation = Truncation.closure((x,), [(1,)])
    along = Jet.coordinate(truncation, x, np.linspace(*bounds, _POINTS + 1))
    found = [evaluate(value, {**scope.constants, x: along}) + 0.0 * along for value in data]
    slopes = np.stack([np.asarray(jet.coefficient((1,))) for jet in found])
    return np.stack([np.asarray(jet.value) for jet in found]), slopes[:, 0] - slopes[:, -1]


def _sizes(values: Float[np.ndarray, "fields n"]) -> Float[np.ndarray, " fields"]:
    """In what units each field is; one that is zero at first is in those of the largest."""
    sizes = np.sqrt(np.mean(values**2, axis=1))
    return np.where(sizes > 0, sizes, np.max(sizes) or 1.0)


def _rates(
    slopes: Mapping[MultiIndex, Float[np.ndarray, "n equations fields"]], scope: Scope
) -> dict[int, Float[np.ndarray, "n fields fields"]] | None:
    """By the order of the derivative; None where what counts most for short waves is not the same everywhere."""
    first = tuple(int(name == TIME) for name in scope.coordinates)
    place, order = scope.coordinates.index(TIME), max(map(sum, slopes))
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
