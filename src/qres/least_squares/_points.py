"""Points of a least-squares problem: a few for each feature, spread evenly, more of them towards the faces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from qres.geometry import part_inside, placed, surface_points
from qres.posed.evaluator import Residual, Residuals
from qres.problems import Problem
from qres.runtime.errors import InputError
from qres.runtime.random import generator_for, stream

_EACH = 3.0  # points of the equations for each feature
_FACE = 5.0  # points of a face for each feature that a face of as many dimensions has
_LEAST = 24  # of a face
_TRIES = 20

Arrays = list[Float[np.ndarray, "d n"]]


def draw_points(problem: Problem, residuals: Residuals, count: int, seed: int, name: str) -> Arrays:
    """Points for each group of residuals, as many as so many features need.

    Args:
        problem: whose domain it is.
        residuals: in groups that share their points.
        count: how many features there are.
        seed: of the run.
        name: of the stream of random numbers, such as `"held"`.
    """
    return [
        _points(problem, group[0], count, seed, f"{name}_{number}")
        for number, group in enumerate(residuals.groups)
    ]


def _points(
    problem: Problem, residual: Residual, count: int, seed: int, name: str
) -> Float[np.ndarray, "d n"]:
    place, dimensions = residual.place, len(problem.coordinates)
    if residual.measured is not None:
        return residual.measured.data.points(problem.coordinates)
    if residual.term is not None:
        return np.asarray(residual.term.points(stream(seed, name)), dtype=float)
    if place.surface is not None:
        return surface_points(
            problem, place.surface, _on_face(count, dimensions - 1, dimensions), stream(seed, name)
        )
    free = len(place.free)
    wanted = round(_EACH * count) if place.is_inside else _on_face(count, free, dimensions)
    return _box_points(problem, place.locations, wanted, seed, name)


def _on_face(count: int, free: int, dimensions: int) -> int:
    return max(_LEAST, round(_FACE * count ** (free / dimensions))) if free else 1


def _box_points(
    problem: Problem, locations: Sequence[tuple[float | None, ...]], count: int, seed: int, name: str
) -> Float[np.ndarray, "d n"]:
    """Points of the box, or of a face of it, that are inside the region wherever they are placed."""
    free = [value is None for value in locations[0]]
    shift = generator_for(seed, name).random(sum(free))
    lower, upper = np.array(problem.lower)[:, None], np.array(problem.upper)[:, None]
    wanted, found = count, np.zeros((len(free), 0))
    for _ in range(_TRIES):
        unit = _spread(wanted, shift)
        points = np.zeros((len(free), unit.shape[1])) + lower
        points[free] += (upper - lower)[free] * unit
        inside = part_inside(problem.region, [placed(points, where) for where in locations])
        found = points[:, inside]
        if found.shape[1] >= count:
            return found[:, :count]
        wanted = int(1.1 * wanted * min(20.0, count / max(1, found.shape[1]))) + 8
    raise InputError(f"{name}: only {found.shape[1]} of {count} points were found inside, in many tries")


def _spread(count: int, shift: Float[np.ndarray, " d"]) -> Float[np.ndarray, "d n"]:
    """Points of the unit cube that fill it evenly, of a Kronecker sequence; half of them gather towards the faces.

    The steps are powers of the root of `x^(d+1) = x + 1` (M. Roberts, 2018); of one dimension, the golden section.
    """
    d = len(shift)
    if d == 0:
        return np.zeros((0, 1))
    root = 1.5
    for _ in range(50):
        root = (1 + root) ** (1 / (d + 1))
    steps = root ** -np.arange(1.0, d + 1)
    unit = (shift[:, None] + steps[:, None] * np.arange(count)) % 1.0
    return np.where(np.arange(count) % 2 == 0, 0.5 - 0.5 * np.cos(np.pi * unit), unit)
