"""The correction of a solution: Newton's step for all residuals, in a spline space.

For a solution u with residuals r, the error e solves `r(u) + r'(u) e = 0`, equations and conditions alike, up to e².
Its coefficients are found by least squares at Gauss's points, none of which was trained on. The space only has to hold
the error, to ten per cent or so, and not the solution to all its digits: hence a few thousand splines are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np
import scipy.sparse as sparse
from jaxtyping import Float

from qres.fields import default_axes, rms
from qres.posed.evaluator import Residuals, Slopes, Tabulated
from qres.reference import mesh

from ._determined import weakest
from ._grids import Grid, Sampled
from ._qr import factored
from ._solved import Solved
from ._splines import Sparse, space_for
from ._zero import Parts, parts_of

_CONDITION_WEIGHT = 30.0  # of a condition's rows against an equation's: what is known exactly is to hold
_DATA_WEIGHT = 0.1  # of measurements: what noise they have is not to bend the equations
_SMALL = 0.03  # a relative correction from which on the problem is linear enough for one step
_KEPT = 0.05  # of the residuals may be left by a step that did what a linear problem promises
_STEPS = 4
_INVOLVED = 0.01  # of a change's square: what a field must have in it to be part of it
_RIDGE = 1e-10  # of a relative change: keeps what nothing determines at rest


@dataclass(frozen=True)
class Correction:
    """What was found: the correction of each field on a grid with weights, and how much of the residuals it removes."""

    values: dict[str, Float[np.ndarray, " n"]]
    change: dict[str, Float[np.ndarray, " n"]]
    points: Float[np.ndarray, "d n"]
    weights: Float[np.ndarray, " n"]
    fresh: dict[str, float]  # root mean square of each residual on the grid
    sizes: dict[str, float]  # of the terms of each residual
    unexplained: (
        float  # the share of the residuals, but for the data's, that no correction in the space removes
    )
    unknowns: dict[str, Any]  # how far they move
    weakest: float  # the smallest relative change of the residuals by a relative change of the fields of one
    loose: tuple[str, ...]  # the fields that this changes
    quiet: dict[str, Float[np.ndarray, " n"]]  # the correction if measurements were as the solution has them
    shares: dict[
        str, tuple[float | None, float | None]
    ]  # of a field and of its change in residuals; None: alone
    size: int
    derivatives: Callable[[np.ndarray], np.ndarray]  # of the solution, at any points


class Corrector:
    """Corrections of one solution, in a space of about `size` splines a field."""

    def __init__(self, solution: Solved, residuals: Residuals, size: int) -> None:
        self.solution, self.problem, self.residuals = solution, solution.problem, residuals
        self.fields = self.problem.fields
        axes = default_axes(self.problem)
        points, shape = mesh(axes)
        coarse = [row.reshape(shape) for row in self.derivatives(points)[:, 0]]
        order = max(max(index) for index in residuals.truncation.indices)
        self.space = space_for(coarse, axes, self.problem.periodic, max(4, order + 2), size)
        self.grids = [
            Grid(self.problem, group[0], self.space, self.derivatives) for group in residuals.groups
        ]
        at = {r.name: grid for group, grid in zip(residuals.groups, self.grids, strict=True) for r in group}
        self.places = [Sampled(residual, at[residual.name]) for residual in residuals.residuals]
        self.unknowns = solution.model.parameters(self.problem)
        self._scale = self._field_sizes(self.places[0])

    def derivatives(self, points: Float[np.ndarray, "d n"]) -> Float[np.ndarray, "fields indices n"]:
        """All derivatives that the problem has in it, of all fields of the solution."""
        indices = self.residuals.truncation.indices
        requests = tuple((name, index) for name in self.fields for index in indices)
        values = self.solution.evaluate(points, requests)
        return values.reshape(len(self.fields), len(indices), points.shape[1])

    def _field_sizes(self, place: Sampled) -> Float[np.ndarray, "fields indices"]:
        return self._sizes_of(place, place.grid.derivatives[0])

    def _sizes_of(self, place: Sampled, derivatives: np.ndarray) -> Float[np.ndarray, "fields indices"]:
        counted = np.where(place.weights > 0, derivatives, 0.0)
        return np.sqrt(np.sum(place.weights * counted**2, axis=-1))

    def find(self) -> Correction:
        """Newton's steps until they are small; the first alone where the further ones lead nowhere."""
        slopes = self._slopes(None, self.unknowns)
        sizes = {p.residual.name: self._size(p, s) for p, s in zip(self.places, slopes, strict=True)}
        norm = self._norm(slopes, sizes)
        fresh = {
            p.residual.name: rms(s.residual, p.weights) for p, s in zip(self.places, slopes, strict=True)
        }
        moved, shift, unexplained = self._step(slopes, sizes)
        loosest, loose = self._weakest()
        parts = parts_of(slopes, [place.grid.derivatives for place in self.places], self._scale)
        quiet = self._changed(self._quiet)
        first, promised = (moved, shift), max(2 * unexplained, _KEPT) ** 2 * norm
        for _ in range(_STEPS - 1):
            if self._relative(self._changed(moved)) < _SMALL:
                break
            slopes = self._slopes(moved, self._shifted(shift))
            now = self._norm(slopes, sizes)
            if now < promised:  # the problem is linear, or near enough
                break
            more, further, _ = self._step(slopes, sizes)
            moved, shift = moved + more, shift + further
        else:
            slopes = self._slopes(moved, self._shifted(shift))
            if not self._norm(slopes, sizes) < norm:
                moved, shift = first
        inside, unknowns = self.places[0], self._shifted(shift)
        return Correction(
            values=self._values(None),
            change=self._changed(moved),
            points=inside.grid.points,
            weights=inside.weights,
            fresh=fresh,
            sizes=sizes,
            unexplained=unexplained,
            unknowns={n: np.asarray(v - self.unknowns[n]).tolist() for n, v in unknowns.items()},
            weakest=loosest,
            loose=loose,
            quiet=quiet,
            shares=self._shares(parts, moved),
            size=self.space.size * len(self.fields),
            derivatives=self.derivatives,
        )

    def _shares(self, parts: Parts, moved: np.ndarray) -> dict[str, tuple[float | None, float | None]]:
        """The sensitivity of the residuals to each corrected field, and to its change."""
        inside = self.places[0]
        corrected = self._moved(inside.grid, 0, moved)
        sizes = (
            self._sizes_of(inside, corrected),
            self._sizes_of(inside, corrected - inside.grid.derivatives[0]),
        )
        return {
            name: (parts.share(f, sizes[0][f]), parts.share(f, sizes[1][f]))
            for f, name in enumerate(self.fields)
        }

    def _relative(self, change: dict[str, np.ndarray]) -> float:
        """The largest correction of a field, as a share of what the field becomes by it."""
        inside, values = self.places[0], self._values(None)
        return max(
            rms(change[name], inside.weights)
            / max(rms(values[name] + change[name], inside.weights), np.finfo(float).tiny)
            for name in self.fields
        )

    def _values(self, moved: np.ndarray | None) -> dict[str, np.ndarray]:
        """Fields and definitions inside, with the correction where there is one."""
        grid = self.places[0].grid
        source = self._source(grid.derivatives[0] if moved is None else self._moved(grid, 0, moved))
        names = self.residuals.names(
            source, self.residuals.truncation, jnp.asarray(grid.points), self.unknowns
        )
        wanted = (*self.fields, *self.problem.definitions)
        return {name: np.asarray(names[name].value)[0] for name in wanted}

    def _source(self, derivatives: Float[np.ndarray, "fields indices n"]) -> Tabulated:
        return Tabulated(self.fields, self.residuals.truncation.indices, jnp.asarray(derivatives))

    def _changed(self, moved: np.ndarray) -> dict[str, np.ndarray]:
        old, new = self._values(None), self._values(moved)
        return {name: new[name] - old[name] for name in old}

    def _moved(self, grid: Grid, location: int, moved: np.ndarray) -> np.ndarray:
        derivatives = grid.derivatives[location].copy()
        for number, index in enumerate(self.residuals.truncation.indices):
            derivatives[:, number] += grid.sums(location, index, moved)
        return derivatives

    def _shifted(self, shift: np.ndarray) -> dict[str, Any]:
        found, start = {}, 0
        for name, value in self.unknowns.items():
            size = int(np.size(value))
            found[name] = np.asarray(value) + shift[start : start + size].reshape(np.shape(value))
            start += size
        return found

    def _slopes(self, moved: np.ndarray | None, unknowns: dict[str, Any]) -> list[Slopes]:
        """Those of each residual, with the correction where there is one."""
        derivatives = [
            array if moved is None else self._moved(grid, location, moved)
            for grid in self.grids
            for location, array in enumerate(grid.derivatives)
        ]
        source = self._source(np.concatenate(derivatives, axis=-1))
        found = self.residuals.slopes(source, [grid.points for grid in self.grids], unknowns)
        return [found[place.residual.name] for place in self.places]

    def _size(self, place: Sampled, slopes: Slopes) -> float:
        """How large the terms of a residual are: `Σ rms(∂r/∂u_k) rms(u_k)` over all derivatives in it."""
        if place.residual.measured is not None:
            return float(np.std(place.residual.measured.target)) or 1.0
        total = sum(
            float(np.sum(np.sqrt(np.mean(array**2, axis=-1)) * self._scale)) for array in slopes.fields
        )
        return total or 1.0

    def _weight(self, place: Sampled) -> float:
        if place.residual.measured is not None:
            return _DATA_WEIGHT
        return 1.0 if place.residual.place.is_inside else _CONDITION_WEIGHT

    def _norm(self, slopes: list[Slopes], sizes: dict[str, float]) -> float:
        return float(
            sum(
                (self._weight(p) / sizes[p.residual.name] * rms(s.residual, p.weights)) ** 2
                for p, s in zip(self.places, slopes, strict=True)
            )
        )

    def _step(self, slopes: list[Slopes], sizes: dict[str, float]) -> tuple[np.ndarray, np.ndarray, float]:
        """The coefficients of a correction, a row a field; the change of the unknowns; the unexplained share."""
        rows, right = [], []
        for place, slope in zip(self.places, slopes, strict=True):
            scale = self._weight(place) / sizes[place.residual.name] * np.sqrt(place.weights)
            scale = np.where(np.isfinite(slope.residual), scale, 0.0)
            rows.append(sparse.diags(scale) @ self._rows(place, slope))
            right.append(-scale * _finite(slope.residual))
        A, b = sparse.vstack(rows, format="csr"), np.concatenate(right)
        found = factored(
            A, b, _RIDGE * np.sqrt(self._mass), len(self.fields), [one.size for one in self.space.splines]
        )
        x, self._solver = found.x, found
        known = np.repeat([p.residual.measured is None for p in self.places], [len(part) for part in right])
        left = np.linalg.norm((A @ x - b)[known]) / max(np.linalg.norm(b[known]), np.finfo(float).tiny)
        count = self.space.size * len(self.fields)
        noiseless = x if known.all() else found.inverse(A.T @ np.where(known, b, 0.0))
        self._quiet = noiseless[:count].reshape(len(self.fields), -1)
        return x[:count].reshape(len(self.fields), -1), x[count:], float(left)

    @cached_property
    def _mass(self) -> Float[np.ndarray, " n"]:
        """Of each coefficient: its spline's integral over the square of the field's size; of unknowns, zero."""
        inside = self.places[0]
        zero = (0,) * len(self.problem.coordinates)
        integral = np.asarray(inside.grid.matrix(0, zero).T @ inside.weights).ravel()
        sizes = np.maximum(self._scale[:, 0], np.finfo(float).tiny)
        unknowns = sum(int(np.size(value)) for value in self.unknowns.values())
        return np.concatenate([*(integral / size**2 for size in sizes), np.zeros(unknowns)])

    def _weakest(self) -> tuple[float, tuple[str, ...]]:
        """The smallest relative change of the residuals by a relative change of one, and the fields in that."""
        shape = (len(self.fields), *(one.size for one in self.space.splines))
        numbers = np.arange(int(np.prod(shape))).reshape(shape)
        means = []
        for name in self.problem.up_to_constant:
            if name in self.fields:
                own = numbers[self.fields.index(name)]
                time = self.problem.coordinates.index("t") if "t" in self.problem.coordinates else None
                own = own[None] if time is None else np.moveaxis(own, time, 0)
                means.append(own.reshape(len(own), -1))
        value, z = weakest(self._solver.inverse, self._mass, means)
        parts = np.add.reduceat(self._mass * z**2, numbers.reshape(len(self.fields), -1)[:, 0])
        return value, tuple(n for n, part in zip(self.fields, parts, strict=True) if part > _INVOLVED)

    def _rows(self, place: Sampled, slopes: Slopes) -> Sparse:
        """A term's rows: what it gains from each spline of each field, and from each unknown."""
        n = len(slopes.residual)
        blocks = [sparse.csr_matrix((n, self.space.size)) for _ in self.fields]
        for location, array in enumerate(slopes.fields):
            for number, index in enumerate(self.residuals.truncation.indices):
                used = [f for f in range(len(self.fields)) if np.any(array[f, number])]
                matrix = place.grid.matrix(location, index) if used else None
                for f in used:
                    blocks[f] = blocks[f] + sparse.diags(_finite(array[f, number])) @ matrix
        return sparse.hstack([*blocks, sparse.csr_matrix(slopes.unknowns.T)], format="csr")


def _finite(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    return np.nan_to_num(values, posinf=0.0, neginf=0.0)
