"""The loss in continuous time: equations at collocation points in space-time, and conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from qres.data import Data
from qres.fields import Model
from qres.formulas import integrals_through
from qres.geometry import (
    Pool,
    Sampling,
    draw_checked,
    find_sampler,
    points_in,
    points_on_face,
    region_points,
    surface_points,
)
from qres.posed import Condition
from qres.posed.evaluator import Term
from qres.problems import Problem
from qres.residuals import Block, Chunk, Segment, equation_block, place_block, residual_sizes
from qres.runtime.errors import InputError, did_you_mean, listed, number
from qres.runtime.random import split

from ._engine import Batch, Engine

Points = dict[int, tuple[np.ndarray, ...]]  # by block, one array `(d, n)` a segment


class DataRow(NamedTuple):
    """One measured field of one file."""

    name: str
    field: str
    points: int
    noise: float | None


class Objective:
    """A problem and a model as named residuals; a scalar loss is their weighted mean square.

    `weights` are the user's, by term; what they multiply is divided by the units of each residual (`_units`). With
    `robust`, outliers among the measurements lose weight (`update_robust_weights`). `terms` are the user's residuals
    by name, each with its points; they are in units of their own.
    """

    def __init__(
        self,
        problem: Problem,
        model: Model,
        sampling: Sampling,
        weights: Mapping[str, float] | None = None,
        *,
        robust: bool = False,
        terms: Mapping[str, Term] | None = None,
    ) -> None:
        self.problem, self.scheme = problem, None  # time is continuous
        self.robust = robust
        self.trust: dict[str, np.ndarray] = {}  # of each measurement, by its segment's first name
        self.sampling = sampling
        blocks = [equation_block(problem)] if problem.equations else []
        plain, integral = _by_integrals(problem)
        if integral:  # a block of their own: only their points need the fields at nodes
            blocks.append(place_block(problem, integral))
        if plain or problem.data or terms:
            blocks.append(place_block(problem, plain, problem.data, terms))
        self.blocks: tuple[Block, ...] = tuple(blocks)
        _check_names([name for block in blocks for name in block.names], terms or {})
        self.engine = Engine(self.blocks, model)
        self.start = self.engine.start
        self.weights = term_weights(self.engine.names, weights or {})
        self.sizes = residual_sizes(problem, model, self.blocks)

    @property
    def adapts(self) -> bool:
        """Whether there are as many points of the equations as a run turns out to need; measurements are given."""
        sampling, asked = self.sampling, bool(self.problem.equations)
        return sampling.adaptive and sampling.resample_every > 0 and sampling.method != "data" and asked

    @property
    def names(self) -> tuple[str, ...]:
        """The terms of the loss."""
        return self.engine.names

    def model(self, theta: Float[Array, " parameters"] | Float[np.ndarray, " parameters"]) -> Model:
        """The model that a flat vector stands for."""
        return self.engine.unflatten(theta)

    def data_rows(self) -> list[DataRow]:
        """Every measured field of every file, with the name of its term in the loss."""
        rows = []
        for block in self.blocks:
            for segment in block.segments:
                if (data := segment.data) is not None:
                    rows += [
                        DataRow(name, field, data.count, data.noise_level(field))
                        for name, field in zip(segment.names, self._measured(data), strict=True)
                    ]
        return rows

    def draw(self, key: PRNGKeyArray, count: int | None = None) -> Points:
        """Points for every block, before anything is known of the residuals; for the equations so many, or all."""
        count = count or self.sampling.points
        keys = iter(split(key, sum(len(block.segments) for block in self.blocks)))
        return {
            i: tuple(self._draw(segment, next(keys), count) for segment in block.segments)
            for i, block in enumerate(self.blocks)
        }

    def _draw(self, segment: Segment, key: PRNGKeyArray, most: int) -> np.ndarray:
        if segment.data is not None:
            return segment.data.points(self.problem.coordinates)
        if segment.term is not None:
            return self._term_points(segment, key)
        free = tuple(name in segment.place.free for name in self.problem.coordinates)
        if segment.place.surface is not None:
            count = points_on_face(self.sampling.condition_points, len(free) - 1)
            return surface_points(self.problem, segment.place.surface, count, key)
        inside = all(free)
        if inside and self.sampling.method == "data":
            if not self.problem.data:
                raise InputError("sampling method 'data': the problem has no measurements")
            return np.concatenate([d.points(self.problem.coordinates) for d in self.problem.data], axis=1)
        if inside and find_sampler(self.sampling.method) is not None:
            return draw_checked(self.sampling.method, self.problem, most, key)
        count = most if inside else points_on_face(self.sampling.condition_points, sum(free))
        method = self.sampling.method if inside or sum(free) > 1 else "grid"
        if self.problem.region is not None:
            return region_points(self.problem, segment.place.locations, free, method, count, key)
        return points_in(self.problem.lower, self.problem.upper, free, method, count, key)

    def _term_points(self, segment: Segment, key: PRNGKeyArray) -> np.ndarray:
        """The points of a term of the user's, checked."""
        assert segment.term is not None
        points = np.asarray(segment.term.points(key), dtype=float)
        rows = len(self.problem.coordinates)
        if points.ndim != 2 or len(points) != rows or not points.size or not np.all(np.isfinite(points)):
            raise InputError(
                f"term {segment.names[0]!r}: points must be finite numbers of shape ({rows}, n), a row for each of "
                f"{listed(self.problem.coordinates)}, not an array of shape {points.shape}"
            )
        return points

    def batch(self, points: Points) -> Batch:
        """Points on the devices, with weights such that the loss is a weighted sum of means of squares."""
        return {i: self._place(i, arrays) for i, arrays in points.items()}

    def _place(self, number: int, arrays: tuple[np.ndarray, ...]) -> Chunk:
        segments, known = self.blocks[number].segments, self.blocks[number].known
        weights = [self._weights(s, a.shape[1]) for s, a in zip(segments, arrays, strict=True)]
        more = {} if known is None else {"known": [known(array) for array in arrays]}
        if any(segment.data for segment in segments):
            more["targets"] = [self._targets(s, a.shape[1]) for s, a in zip(segments, arrays, strict=True)]
        room = self.sampling.points if self.adapts and number == 0 else 0
        return self.engine.place(number, arrays, weights, room=room, **more)

    def _measured(self, data: Data) -> tuple[str, ...]:
        """The fields that are in these data, in the order of their rows."""
        return data.measured((*self.problem.fields, *self.problem.definitions))

    def _targets(self, segment: Segment, count: int) -> np.ndarray:
        """Measured values; a condition has none."""
        if segment.data is None:
            return np.zeros((1, count))
        return segment.data.values(self._measured(segment.data))

    def _weights(self, segment: Segment, count: int) -> np.ndarray:
        rows = np.array([self.weights[name] / self.sizes[name] ** 2 for name in segment.names])
        each = np.broadcast_to(rows[:, None] / count, (len(rows), count))
        if segment.data is not None:
            each = each * segment.data.precision_weights(self._measured(segment.data))
        return each * self.trust.get(segment.names[0], 1.0)

    def update_robust_weights(self, theta: Float[Array, " parameters"], points: Points) -> None:
        """Reduce the weight of outliers: the weights of a pseudo-Huber loss, updated at each resampling.

        `1/sqrt(1 + (r/δ)²)` with δ = 1.5 robust standard deviations (1.4826 median absolute deviations).
        """
        number = len(self.blocks) - 1
        if not self.robust or not self.problem.data:
            return
        arrays, segments = points[number], self.blocks[number].segments
        chunk = self._place(number, arrays)
        found = self.engine.residuals(number, theta, chunk, [array.shape[1] for array in arrays])
        for segment, residual in zip(segments, found, strict=True):
            if segment.data is not None:
                residual = residual * np.sqrt(segment.data.precision_weights(self._measured(segment.data)))
                deviation = 1.4826 * np.median(np.abs(residual), axis=1, keepdims=True)
                ratio = residual / np.maximum(1.5 * deviation, np.finfo(float).tiny)
                self.trust[segment.names[0]] = 1 / np.sqrt(1 + ratio**2)

    def pool(
        self, theta: Float[Array, " parameters"], points: Points, count: int, key: PRNGKeyArray
    ) -> Pool | None:
        """A pool of fresh points to choose `count` from, and their residuals relative to the current ones."""
        if not self.problem.equations:
            return None
        own = find_sampler(self.sampling.method) is not None  # it chooses for itself
        times = 1 if own else max(self.sampling.pool, 2 if self.adapts else 1)
        fresh = self._draw(self.blocks[0].segments[0], key, count * times)
        square, trained = (self._squares(theta, array) for array in (fresh, points[0][0]))
        sound = square[np.isfinite(square)]
        excess = (
            float(np.mean(sound)) / max(float(np.mean(trained)), np.finfo(float).tiny) if sound.size else 1.0
        )
        return Pool(self.sampling, fresh, np.sqrt(square), excess, self._resampled(theta))

    def _resampled(self, theta: Float[Array, " parameters"]) -> Any:
        """Draws points by the user's sampler, where there is one, which may look at the residuals."""
        method = self.sampling.method
        if find_sampler(method) is None:
            return None

        def size(points: Float[np.ndarray, "d n"]) -> Float[np.ndarray, " n"]:
            return np.sqrt(self._squares(theta, np.asarray(points, dtype=float)))

        return lambda count, key: draw_checked(method, self.problem, count, key, size)

    def _squares(self, theta: Float[Array, " parameters"], points: np.ndarray) -> Float[np.ndarray, " n"]:
        """The sum of the equations' squared residuals, in their units, at each point."""
        weights = np.array([self.weights[n] / self.sizes[n] ** 2 for n in self.blocks[0].names])
        pieces = np.split(points, range(self.sampling.points, points.shape[1], self.sampling.points), axis=1)
        found = [self.engine.residuals(0, theta, self._place(0, (a,)), [a.shape[1]])[0] for a in pieces]
        return weights @ np.concatenate(found, axis=1) ** 2


def _by_integrals(problem: Problem) -> tuple[list[Condition], list[Condition]]:
    """The conditions to train on, those without integrals and those with some."""
    definitions, soft = problem.definitions, problem.soft_conditions
    having = [bool(integrals_through(definitions, [c.formula.residual], ())) for c in soft]
    return [c for c, has in zip(soft, having, strict=True) if not has], [
        c for c, has in zip(soft, having, strict=True) if has
    ]


def _check_names(names: list[str], terms: Mapping[str, Term]) -> None:
    """A term of the user's is told from all others by its name."""
    for name in terms:
        if names.count(name) > 1:
            raise InputError(f"terms: {name!r} is the name of a term of the problem; take another")


def kind_of(term: str) -> str:
    """What a term of the loss is about: `boundary` of `boundary_1`."""
    return term.split("_", maxsplit=1)[0]


def term_weights(names: tuple[str, ...], given: Mapping[str, Any]) -> dict[str, float]:
    """A weight for each term: by its name, or by its kind (`boundary` for `boundary_1`, `boundary_2`); else 1."""
    kinds = {name: kind_of(name) for name in names}
    allowed = list(dict.fromkeys([*names, *kinds.values()]))
    for name, value in given.items():
        if name not in allowed:
            hint = did_you_mean(name, allowed) or ";"
            raise InputError(f"weights: no term is called {name!r}{hint} the terms are {listed(allowed)}")
        number(value, f"weights: {name}", least=0)
    return {name: float(given.get(name, given.get(kinds[name], 1.0))) for name in names}
