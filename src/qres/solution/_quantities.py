"""Integrals and extrema of formulas of a solution, over all coordinates or with some of them fixed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.problems import Problem
from qres.runtime.errors import InputError, listed, number, shorten

from ._extremum import Extremum, maximize
from ._quadrature import Quadrature, integrate, integrate_inside

Points = Float[np.ndarray, "d n"]
Values = Float[np.ndarray, " n"]
Over = Mapping[str, Sequence[float]] | Sequence[str] | str | None


_SLABS = (
    2000,
    20_000,
)  # sizes of what is evaluated at a time: another number of points needs another program


def in_slabs(function: Callable[[Points], Values]) -> Callable[[Points], Values]:
    """A function of any number of points, from one that is called with few different numbers of them."""

    def slab(points: Points) -> Values:
        size = next(size for size in _SLABS if points.shape[1] <= size)
        return function(np.pad(points, ((0, 0), (0, size - points.shape[1])), mode="edge"))[: points.shape[1]]

    def everywhere(points: Points) -> Values:
        starts = range(0, points.shape[1], _SLABS[-1])
        parts = [slab(points[:, start : start + _SLABS[-1]]) for start in starts]
        return np.concatenate(parts) if parts else np.zeros(0)

    return everywhere


@dataclass(frozen=True)
class Slice:
    """A part of the domain: intervals of some coordinates, and a value for each of the others."""

    problem: Problem
    intervals: Mapping[str, tuple[float, float]]
    fixed: Mapping[str, float]

    def points(self, free: Points) -> Points:
        """Points of the domain, from those of the intervals."""
        rows = dict(zip(self.intervals, free, strict=True))
        fixed = {name: np.full(free.shape[1], value) for name, value in self.fixed.items()}
        return np.stack([{**rows, **fixed}[name] for name in self.problem.coordinates])

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds of the intervals."""
        lower, upper = np.array(list(self.intervals.values()), dtype=float).reshape(-1, 2).T
        return lower, upper

    def integral(self, function: Callable[[Points], Values], tolerance: float) -> float:
        """The integral of a function of the domain; a warning where the tolerance is not met."""
        lower, upper = self.bounds
        region = self.problem.region

        def here(free: Points) -> Values:
            return function(self.points(free))

        def level(free: Points) -> Values:
            assert region is not None
            return region.level(self.points(free))

        found: Quadrature = (
            integrate(here, lower, upper, tolerance)
            if region is None
            else integrate_inside(here, level, lower, upper, tolerance)
        )
        if not np.isfinite(found.value):
            raise InputError("the integral is not finite: the formula has no value somewhere in the domain")
        if (
            found.error > 100 * tolerance * max(abs(found.value), np.finfo(float).tiny)
            and found.error > 1e-12
        ):
            warnings.warn(f"the integral {found.value:.6g} is off by about {found.error:.1g}", stacklevel=3)
        return found.value

    def extremum(self, function: Callable[[Points], Values], sign: int) -> Extremum:
        """The largest value of a function of the domain, or with a sign of -1 the smallest."""
        lower, upper = (one[:, None] for one in self._all_bounds())
        height, place = maximize(lambda points: sign * function(points), lower, upper, self.problem.region)
        if not np.isfinite(height):
            raise InputError("there is no extremum: the formula has no finite value in the domain")
        return Extremum(sign * height, dict(zip(self.problem.coordinates, place.tolist(), strict=True)))

    def _all_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of all coordinates, in which the fixed ones cannot move."""
        known = {**self.intervals, **{name: (value, value) for name, value in self.fixed.items()}}
        lower, upper = np.array([known[name] for name in self.problem.coordinates], dtype=float).T
        return lower, upper


def slices(
    problem: Problem, bounds: Mapping[str, tuple[float, float]], over: Over, fixed: Mapping[str, Any]
) -> tuple[tuple[int, ...], list[Slice]]:
    """The parts of the domain that are meant, one for each of the fixed values, and the shape that these have.

    Args:
        problem: whose coordinates these are.
        bounds: of all coordinates.
        over: coordinates, or intervals of them; all that are not fixed by default.
        fixed: values of the others; arrays broadcast.
    """
    names = tuple(bounds)
    for name in (*fixed, *([over] if isinstance(over, str) else over or ())):
        if name not in bounds:
            raise InputError(f"not a coordinate: {shorten(str(name))}; the coordinates are {listed(names)}")
    intervals = _intervals(bounds, over, fixed)
    missing = [name for name in names if name not in intervals and name not in fixed]
    both = [name for name in fixed if name in intervals]
    if missing or both or not intervals:
        what = f"no value for {missing[0]}" if missing else f"{both[0]} is fixed" if both else "all are fixed"
        raise InputError(f"{what}: each of {listed(names)} is either in over= or has a value")
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in fixed.values()))
    shape = arrays[0].shape if arrays else ()
    part = Slice(problem, intervals, {})
    rows = zip(*(array.ravel().tolist() for array in arrays), strict=True) if arrays else [()]
    return shape, [replace(part, fixed=dict(zip(fixed, row, strict=True))) for row in rows]


def _intervals(
    bounds: Mapping[str, tuple[float, float]], over: Over, fixed: Mapping[str, Any]
) -> dict[str, tuple[float, float]]:
    if over is None:
        return {name: ends for name, ends in bounds.items() if name not in fixed}
    if not isinstance(over, Mapping):
        chosen = [over] if isinstance(over, str) else list(over)
        return {name: ends for name, ends in bounds.items() if name in chosen}
    found = {}
    for name, ends in over.items():
        low, high = _ends(name, ends)
        inner, outer = bounds[name]
        slack = 1e-9 * (outer - inner)
        if low < inner - slack or high > outer + slack:
            raise InputError(f"over {name}: [{low:g}, {high:g}] is not within [{inner:g}, {outer:g}]")
        found[name] = (low, high)
    return {name: found[name] for name in bounds if name in found}


def _ends(name: str, ends: Any) -> tuple[float, float]:
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        raise InputError(f"over {name}: two bounds are wanted, (low, high), not {shorten(repr(ends))}")
    low, high = (number(end, f"over {name}: a bound") for end in ends)
    if not low < high:
        raise InputError(f"over {name}: the lower bound comes first, not ({low:g}, {high:g})")
    return low, high
