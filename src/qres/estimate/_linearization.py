"""A problem linearised about its solution, in a space of splines: rows for every residual, and their least squares.

The rows of equations, conditions and measurements at Gauss's points, each in units of its own terms. None of the points
was trained on.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy.sparse as sparse
from jaxtyping import Float

from qres.posed.evaluator import Residuals, Slopes, Tabulated

from ._grids import Grid, Sampled
from ._solved import Solved
from .splines import Space, Sparse, factored

_CONDITION_WEIGHT = 30.0  # of a condition's rows against an equation's: what is known exactly is to hold
_DATA_WEIGHT = 0.01  # of measurements: what noise they have is not to bend the equations
_DRAWS = 4  # of noise, to see what it does to the fields
_RIDGE = 1e-10  # of a relative change: keeps what nothing determines at rest
_LEAST = 1e-6  # of the size at which its terms matter: what a field counts as at least, in relative changes
_JITTER = 16 * np.finfo(float).eps  # of the box: moves points by so little that only rounding changes


class Step(NamedTuple):
    """A step of Gauss and Newton: a row of coefficients a field, the change of the unknowns, and what is left.

    `quiet` is the same pair if measurements were as the solution has them; `noisy` are coefficients of what noise like
    that which is left in the measurements does to the fields. `left` are the weighted residuals that remain, by place.
    """

    moved: Float[np.ndarray, "fields n"]
    shift: Float[np.ndarray, " unknowns"]
    quiet: tuple[Float[np.ndarray, "fields n"], Float[np.ndarray, " unknowns"]]
    noisy: list[Float[np.ndarray, "fields n"]]
    left: list[Float[np.ndarray, " n"]]
    solver: Any


class Linearization:
    """All residuals of a problem at one solution and near it, in a space of splines."""

    def __init__(self, solution: Solved, residuals: Residuals, space: Space) -> None:
        self.solution, self.problem, self.residuals, self.space = (
            solution,
            solution.problem,
            residuals,
            space,
        )
        self.fields, self.indices = self.problem.fields, residuals.truncation.indices
        self.grids = [
            Grid(self.problem, group[0], space, lambda points: derivatives_of(solution, residuals, points))
            for group in residuals.groups
        ]
        at = {r.name: grid for group, grid in zip(residuals.groups, self.grids, strict=True) for r in group}
        self.places = [Sampled(residual, at[residual.name]) for residual in residuals.residuals]
        self.unknowns = solution.model.parameters(self.problem)
        self.scale = self.sizes_of(self.inside.grid.derivatives[0])
        self.start = self.slopes(None, self.unknowns)
        pairs = zip(self.places, self.start, strict=True)
        self.sizes = {place.residual.name: self._size(place, slopes) for place, slopes in pairs}
        self._known = [place.residual.measured is None for place in self.places]

    @property
    def inside(self) -> Sampled:
        """The first equation's place."""
        return self.places[0]

    def sizes_of(self, derivatives: np.ndarray) -> Float[np.ndarray, "fields indices"]:
        """Root mean squares inside."""
        weights = self.inside.weights
        counted = np.where(weights > 0, derivatives, 0.0)
        return np.sqrt(np.sum(weights * counted**2, axis=-1))

    def _size(self, place: Sampled, slopes: Slopes) -> float:
        """How large the terms of a residual are: `Σ rms(∂r/∂u_k) rms(u_k)` over all derivatives in it."""
        if place.residual.measured is not None:
            return float(np.std(place.residual.measured.target)) or 1.0
        total = sum(
            float(np.sum(np.sqrt(np.mean(finite(array) ** 2, axis=-1)) * self.scale))
            for array in slopes.fields
        )
        return total or 1.0

    def source(self, derivatives: Float[np.ndarray, "fields indices n"]) -> Tabulated:
        """Fields with these derivatives."""
        return Tabulated(self.fields, self.indices, jnp.asarray(derivatives))

    def moved(self, grid: Grid, location: int, moved: np.ndarray | None) -> np.ndarray:
        """The solution's derivatives at a location, with a correction."""
        if moved is None:
            return grid.derivatives[location]
        derivatives = grid.derivatives[location].copy()
        for number, index in enumerate(self.indices):
            derivatives[:, number] += grid.sums(location, index, moved)
        return derivatives

    def values(self, moved: np.ndarray | None) -> dict[str, np.ndarray]:
        """Fields and definitions inside, with the correction where there is one."""
        grid = self.inside.grid
        source = self.source(self.moved(grid, 0, moved))
        names = self.residuals.names(
            source, self.residuals.truncation, jnp.asarray(grid.points), self.unknowns
        )
        wanted = (*self.fields, *self.problem.definitions)
        return {name: np.asarray(names[name].value)[0] for name in wanted}

    def shifted(self, shift: np.ndarray) -> dict[str, Any]:
        """The unknowns, moved."""
        found, start = {}, 0
        for name, value in self.unknowns.items():
            size = int(np.size(value))
            found[name] = np.asarray(value) + shift[start : start + size].reshape(np.shape(value))
            start += size
        return found

    def slopes(self, moved: np.ndarray | None, unknowns: dict[str, Any]) -> list[Slopes]:
        """Those of each residual, with the correction where there is one."""
        derivatives = [
            self.moved(grid, location, moved)
            for grid in self.grids
            for location in range(len(grid.derivatives))
        ]
        source = self.source(np.concatenate(derivatives, axis=-1))
        found = self.residuals.slopes(source, [grid.points for grid in self.grids], unknowns)
        return [found[place.residual.name] for place in self.places]

    def _scaled(self, place: Sampled, values: np.ndarray) -> np.ndarray:
        """The factor of a place's rows: its weight, in units of its terms; zero where there is no value."""
        weight = _DATA_WEIGHT
        if place.residual.measured is None:
            weight = 1.0 if place.residual.place.is_inside else _CONDITION_WEIGHT
        scale = weight / self.sizes[place.residual.name] * np.sqrt(place.weights)
        return np.where(np.isfinite(values), scale, 0.0)

    def weighted(self, slopes: list[Slopes]) -> list[Float[np.ndarray, " n"]]:
        """The residuals as they count in least squares, by place."""
        return [
            self._scaled(p, s.residual) * finite(s.residual) for p, s in zip(self.places, slopes, strict=True)
        ]

    def norm(self, parts: list[Float[np.ndarray, " n"]], known_only: bool = False) -> float:
        """Of residuals as they count; without the measurements where only what is known counts."""
        counted = zip(parts, self._known, strict=True)
        return float(np.sqrt(sum(float(p @ p) for p, known in counted if known or not known_only)))

    def blind(self, slopes: list[Slopes]) -> dict[str, float]:
        """The share of each equation's points at which it has no finite slope, where there are some."""
        found = {}
        for place, slope in zip(self.places, slopes, strict=True):
            bad = np.zeros(len(place.weights), dtype=bool)
            for array in slope.fields:
                bad |= ~np.isfinite(array).all(axis=(0, 1))
            share = float(np.sum(place.weights[bad]))
            if place.residual.place.is_inside and share > 0:
                found[place.residual.name] = share
        return found

    def rounding(self) -> float:
        """The norm of what rounding alone makes of the residuals: their changes from point to point beside it."""
        generator = np.random.default_rng(0)
        span = np.ptp(np.array(list(self.problem.bounds.values())), axis=1)[:, None]
        parts = []
        for group, grid in zip(self.residuals.groups, self.grids, strict=True):
            if group[0].measured is not None:
                continue
            beside = grid.points + _JITTER * span * generator.standard_normal(grid.points.shape)
            pair = [self._evaluated(group, grid, points) for points in (grid.points, beside)]
            for residual in group:
                place = next(p for p in self.places if p.residual is residual)
                change = (pair[1][residual.name] - pair[0][residual.name]) / np.sqrt(2)
                parts.append(self._scaled(place, change) * finite(change))
        return float(np.sqrt(sum(float(p @ p) for p in parts)))

    def _evaluated(self, group: Any, grid: Grid, points: np.ndarray) -> dict[str, np.ndarray]:
        placed = group[0].place.placed(points)
        derivatives = [derivatives_of(self.solution, self.residuals, x) for x in placed]
        one = Residuals(self.problem, group)
        found = one.at(
            self.source(np.concatenate(derivatives, axis=-1)),
            [jnp.asarray(points)],
            self.unknowns,
            truncation=self.residuals.truncation,
        )
        return {name: np.asarray(value)[0] for name, value in found.items()}

    def step(self, slopes: list[Slopes]) -> Step:
        """The least-squares solution of `r + r' e = 0`."""
        scales = [self._scaled(p, s.residual) for p, s in zip(self.places, slopes, strict=True)]
        rows = [
            sparse.diags(scale) @ self._rows(place, slope)
            for scale, place, slope in zip(scales, self.places, slopes, strict=True)
        ]
        right = [-part for part in self.weighted(slopes)]
        A, b = sparse.vstack(rows, format="csr"), np.concatenate(right)
        sizes = [one.size for one in self.space.splines]
        solver = factored(A, b, _RIDGE * np.sqrt(self.mass), len(self.fields), sizes)
        edges = np.cumsum([len(part) for part in right])[:-1]
        known = np.repeat(self._known, [len(part) for part in right])
        quiet = solver.x if known.all() else solver.inverse(A.T @ np.where(known, b, 0.0))
        left = np.split(A @ solver.x - b, edges)
        noise = [] if known.all() else [solver.inverse(A.T @ one) for one in self._draws(left)]
        return Step(
            *self._parts(solver.x), self._parts(quiet), [self._parts(x)[0] for x in noise], left, solver
        )

    def _parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count = self.space.size * len(self.fields)
        return x[:count].reshape(len(self.fields), -1), x[count:]

    def _draws(self, left: list[np.ndarray]) -> list[np.ndarray]:
        """Right sides that are noise in the measurements, as large as what is left of them, and zero elsewhere."""
        generator = np.random.default_rng(0)
        levels = [
            np.zeros(len(part)) if known else np.full(len(part), np.sqrt(np.mean(part**2)))
            for part, known in zip(left, self._known, strict=True)
        ]
        level = np.concatenate(levels)
        return [level * generator.standard_normal(len(level)) for _ in range(_DRAWS)]

    @cached_property
    def mass(self) -> Float[np.ndarray, " n"]:
        """Of each coefficient: its spline's integral over the square of the field's size; of unknowns, zero."""
        zero = (0,) * len(self.problem.coordinates)
        integral = np.asarray(self.inside.grid.matrix(0, zero).T @ self.inside.weights).ravel()
        unknowns = sum(int(np.size(value)) for value in self.unknowns.values())
        return np.concatenate([*(integral / size**2 for size in self._field_sizes()), np.zeros(unknowns)])

    def _field_sizes(self) -> Float[np.ndarray, " fields"]:
        """The size of each field; at least a small share of that at which its terms matter."""
        matters = np.full(len(self.fields), np.inf)
        for place, slopes in zip(self.places, self.start, strict=True):
            strength = sum(np.sqrt(np.mean(finite(a) ** 2, axis=-1)) for a in slopes.fields)
            felt = np.max(strength, axis=-1)
            size = self.sizes[place.residual.name]
            matters = np.minimum(matters, np.divide(size, felt, out=matters.copy(), where=felt > 0))
        least = np.where(np.isfinite(matters), _LEAST * matters, 1.0)
        return np.maximum(self.scale[:, 0], least)

    def _rows(self, place: Sampled, slopes: Slopes) -> Sparse:
        """A term's rows: what it gains from each spline of each field, and from each unknown."""
        n = len(slopes.residual)
        blocks = [sparse.csr_matrix((n, self.space.size)) for _ in self.fields]
        for location, array in enumerate(slopes.fields):
            for number, index in enumerate(self.indices):
                used = [f for f in range(len(self.fields)) if np.any(array[f, number])]
                matrix = place.grid.matrix(location, index) if used else None
                for f in used:
                    blocks[f] = blocks[f] + sparse.diags(finite(array[f, number])) @ matrix
        return sparse.hstack([*blocks, sparse.csr_matrix(finite(slopes.unknowns.T))], format="csr")


def derivatives_of(
    solution: Solved, residuals: Residuals, points: Float[np.ndarray, "d n"]
) -> Float[np.ndarray, "fields indices n"]:
    """All derivatives that the problem has in it, of all fields of the solution."""
    fields, indices = solution.problem.fields, residuals.truncation.indices
    requests = tuple((name, index) for name in fields for index in indices)
    return solution.evaluate(points, requests).reshape(len(fields), len(indices), points.shape[1])


def finite(values: np.ndarray) -> np.ndarray:
    """Zero where a value is not finite."""
    return np.nan_to_num(values, posinf=0.0, neginf=0.0)
