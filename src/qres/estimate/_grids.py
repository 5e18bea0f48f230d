"""Quadrature points of the estimate: Gauss points on a grid, or the points of measurements and surfaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from qres.geometry import part_inside, points_on_face, surface_points
from qres.jets import MultiIndex
from qres.posed.evaluator import Residual, Residuals
from qres.problems import Problem
from qres.runtime.random import stream

from .splines import Space, Sparse

_ON_SURFACE = 200  # points of a condition, along a line

Evaluation = Callable[[Float[np.ndarray, "d n"]], Float[np.ndarray, "fields indices n"]]


def all_residuals(problem: Problem) -> Residuals:
    """Every equation, condition and measurement, those too that hold by the ansatz."""
    return Residuals.of(
        problem, conditions=problem.conditions, data=problem.data, wanted=tuple(problem.definitions)
    )


def own_points(problem: Problem, residual: Residual) -> Float[np.ndarray, "d n"] | None:
    """The points of measurements, or of a surface; None where a grid has the points."""
    if residual.measured is not None:
        return residual.measured.data.points(problem.coordinates)
    if residual.place.surface is not None:
        count = points_on_face(_ON_SURFACE, len(problem.coordinates) - 1)
        return surface_points(problem, residual.place.surface, count, stream(0, "estimate"))
    return None


class Grid:
    """The points of residuals that are at the same place, and a solution's derivatives at each location of it."""

    def __init__(self, problem: Problem, residual: Residual, space: Space, evaluation: Evaluation) -> None:
        self.own, self._place, self._space = own_points(problem, residual), residual.place, space
        if self.own is not None:
            self.points, self.weights = self.own, np.full(self.own.shape[1], 1 / self.own.shape[1])
        else:
            self.points, weights = space.grid(residual.place.locations[0])
            weights = weights * part_inside(problem.region, residual.place.placed(self.points))
            self.weights = weights / max(weights.sum(), np.finfo(float).tiny)
        self.derivatives = [evaluation(points) for points in residual.place.placed(self.points)]

    def matrix(self, location: int, index: MultiIndex) -> Sparse:
        """A derivative of every spline product at the points of a location."""
        if self.own is not None:
            return self._space.at(self.own, index)
        return self._space.on_grid(self._place.locations[location], index)

    def sums(self, location: int, index: MultiIndex, coefficients: np.ndarray) -> np.ndarray:
        """A derivative of each field's sum of splines at the points of a location."""
        if self.own is not None:
            return (self._space.at(self.own, index) @ coefficients.T).T
        return self._space.sums_on_grid(self._place.locations[location], index, coefficients)


@dataclass(frozen=True)
class Sampled:
    """A residual on its grid."""

    residual: Residual
    grid: Grid

    @property
    def weights(self) -> Float[np.ndarray, " n"]:
        """How much each point counts."""
        measured = self.residual.measured
        return self.grid.weights if measured is None else self.grid.weights * measured.precision_weights
