"""Grids, and the known solution on them: the exact one, or a reference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from qres.data import Data
from qres.problems import Problem, reference_of
from qres.reference import Gridded, mesh
from qres.runtime.errors import InputError
from qres.runtime.memory import check_memory

from ._scheme import Scheme

_MOST_COMPARED = 250_000  # points of a reference that a solution is compared at; of larger ones, fewer times
_LEAST_TIMES, _LEAST_PLACES = 11, 64
_SIDES = {1: (1001,), 2: (101, 201), 3: (21, 61, 61), 4: (9, 21, 21, 21)}


def default_axes(problem: Problem, scheme: Scheme | None = None) -> dict[str, Float[np.ndarray, " n"]]:
    """Evenly spaced values of each coordinate, bounds included: fine enough for a picture, cheap enough to compute.

    In discrete time, the end is the only time.
    """
    sides = _SIDES[len(problem.coordinates) - (scheme is not None)]
    if scheme is not None:
        sides = tuple(1001 if len(sides) == 1 else 201 if len(sides) == 2 else 41 for _ in sides)
        place = problem.coordinates.index("t")
        return even_axes(problem, (*sides[:place], 1, *sides[place:])) | {"t": np.array(scheme.edges[-1:])}
    if "t" not in problem.coordinates and len(sides) > 1:
        sides = (round(float(np.prod(sides)) ** (1 / len(sides))),) * len(sides)
    return even_axes(problem, sides)


def even_axes(
    problem: Problem, sides: tuple[int, ...], scheme: Scheme | None = None
) -> dict[str, Float[np.ndarray, " n"]]:
    """Evenly spaced values of each coordinate, as many as asked."""
    if len(sides) != len(problem.coordinates):
        raise InputError(
            f"a grid needs a size for each of {', '.join(problem.coordinates)}, not {'x'.join(map(str, sides))}"
        )
    for size in sides:
        if size < 1:
            raise InputError(f"a grid's sizes must be 1 or more, not {size}")
    outputs = len(problem.fields) + len(problem.definitions)
    check_memory(
        8 * (2 * outputs * math.prod(sides) + sum(sides)),
        f"a grid of {'x'.join(map(str, sides))} points",
        "choose a smaller one",
    )
    bounds = (
        dict(problem.bounds) | ({} if scheme is None else {"t": (scheme.edges[0], scheme.edges[-1])})
    ).items()
    return {
        name: np.linspace(low, high, size) for (name, (low, high)), size in zip(bounds, sides, strict=True)
    }


def known_solution(problem: Problem, scheme: Scheme | None = None) -> Gridded | Data | None:
    """The exact solution on the default grid, or the reference that the problem names; None where neither is known.

    A reference of a file without a grid is values at points.
    """
    if problem.exact:
        axes = default_axes(problem, scheme)
        points, shape = mesh(axes)
        values = problem.exact_fields(dict(zip(problem.coordinates, points, strict=True)))
        arrays = {
            name: only_inside(problem, points, np.asarray(value, dtype=float).ravel()).reshape(shape)
            for name, value in values.items()
            if name in problem.exact
        }
        return Gridded(axes, arrays, {"source": "exact solution"})
    if problem.reference:
        known = reference_of(problem)
        if isinstance(known, Data):
            return _scattered(known, None if scheme is None else scheme.edges[-1])
        known = known.ordered(problem.coordinates)
        return _thinned(known) if scheme is None else _at_end(known, scheme.edges[-1])
    return None


def _at_end(known: Gridded, end: float) -> Gridded | None:
    """A reference at one time; None where it has no such time."""
    nearest, is_there = known.nearest("t", end)
    if not is_there:
        return None
    there = known.take("t", [nearest])
    return replace(there, axes={**there.axes, "t": np.array([end])})


def _scattered(known: Data, end: float | None) -> Data | None:
    """Values at points; in discrete time those at the end, of very many only some."""
    rows = np.arange(known.count)
    if end is not None:
        times = known.columns["t"]
        rows = np.flatnonzero(np.abs(times - end) <= 1e-9 * np.ptp(times))
    if len(rows) > _MOST_COMPARED:  # by chance, as every so-manieth may be of one time
        rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_COMPARED, replace=False))
    columns = {name: column[rows] for name, column in known.columns.items()}
    return Data(columns, source=known.source) if len(rows) else None


def _thinned(known: Gridded) -> Gridded:
    """The same at fewer times, where there are very many points, the last among them; then at fewer places."""
    for axis in sorted(known.axes, key=lambda name: name != "t"):
        count = len(known.axes[axis])
        least = min(count, _LEAST_TIMES if axis == "t" else _LEAST_PLACES)
        kept = max(least, count * _MOST_COMPARED // math.prod(known.shape))
        if kept < count:
            places = np.unique(np.linspace(count - 1, 0, kept).round().astype(int))
            known = known.take(axis, places.tolist())
    return known


def only_inside(
    problem: Problem, points: Float[np.ndarray, "d n"], values: Float[np.ndarray, "*rows n"]
) -> Float[np.ndarray, "*rows n"]:
    """Values at points of the box: NaN at those that are not part of the problem."""
    values = np.broadcast_to(values, (*values.shape[:-1], points.shape[1]))
    return values if problem.region is None else np.where(problem.region.covers(points), values, np.nan)


def without_mean(
    coordinates: Sequence[str], values: Float[np.ndarray, "*grid"]
) -> Float[np.ndarray, "*grid"]:
    """A field less its mean over all coordinates but the time: what is left of one known up to a constant."""
    space = tuple(place for place, name in enumerate(coordinates) if name != "t")
    return values - np.nanmean(values, space, keepdims=True)


def without_means(times: Float[np.ndarray, " n"], values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Values at points, less the mean of those at the same time."""
    _, groups = np.unique(times, return_inverse=True)
    return values - (np.bincount(groups, values) / np.bincount(groups))[groups]


def relative_error(prediction: np.ndarray, truth: np.ndarray) -> float:
    """`||û - u||₂ / ||u||₂` where there is a truth; absolute where that is zero."""
    if (missing := np.isnan(truth)).any():
        prediction, truth = prediction[~missing], truth[~missing]
    norm = float(np.linalg.norm(truth))
    difference = float(np.linalg.norm(prediction - truth))
    return difference / norm if norm > 0 else difference / max(1.0, truth.size**0.5)


def rms(values: Float[np.ndarray, " n"], weights: Float[np.ndarray, " n"]) -> float:
    """The root of a weighted mean square."""
    counted = np.where(weights > 0, values, 0.0)  # elsewhere there may be no value
    return float(np.sqrt(np.sum(weights * counted**2)))


def outside_box(problem: Problem, points: Float[np.ndarray, "d n"]) -> Iterator[str]:
    """For each coordinate of which some points are not in the domain's box, a line that says so."""
    for values, (name, (low, high)) in zip(points, problem.bounds.items(), strict=True):
        slack = 1e-9 * (high - low)
        far = values[(values < low - slack) | (values > high + slack)]
        if far.size and name not in problem.periodic:
            yield f"{name} = {far[0]:g} is outside the domain, [{low:g}, {high:g}], and nothing was asked there"


def outside(problem: Problem, points: Float[np.ndarray, "d n"]) -> Iterator[str]:
    """A line for each way in which points are outside the domain: of its box, or of the region in it."""
    yield from outside_box(problem, points)
    if problem.region is not None and not (covered := problem.region.covers(points, 1e-6)).all():
        place = points[:, np.flatnonzero(~covered)[0]]
        shown = ", ".join(
            f"{name} = {value:g}" for name, value in zip(problem.coordinates, place, strict=True)
        )
        yield f"{shown} is not inside, {' and '.join(problem.region.texts)}, and nothing was asked there"
