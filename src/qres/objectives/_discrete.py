"""Discrete time: Runge–Kutta stages at points of space, which must fit the snapshots they begin with or lie between.

The network gives all stages of a step at once, as functions of space (M. Raissi, P. Perdikaris, G. E. Karniadakis,
J. Comput. Phys. 378, 2019).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import NamedSharding, PartitionSpec
from jaxtyping import Float, PRNGKeyArray

from qres.jets import Jet, Truncation, columns
from qres.problems import Condition, Problem

from ._block import Block, Chunk, Names, Segment, condition_values
from ._continuous import DataRow, Points, network_rows, spread_points, term_weights
from ._engine import Batch, Engine
from ._model import Model
from ._sampling import Sampling, points_in
from ._scales import near_one, scale_of
from ._scheme import TIME, Part, Scheme
from ._snapshots import discretize
from ._stages import Stages, stacked
from ._time import Time


def discrete_model(problem: Problem, time: Time, sampling: Sampling, seed: int, build: Any) -> Model:
    """A model whose network, `build(domain)`, gives all stages, in the units of the snapshots."""
    scheme, snapshots = discretize(problem, time, sampling, seed)
    values = np.concatenate([snapshot.values for snapshot in snapshots], axis=1)
    scales = [
        scale_of(row, name in problem.transform) for name, row in zip(problem.fields, values, strict=True)
    ]
    return Model.create(problem, build(scheme.domain(problem)), scales)


class DiscreteObjective:
    """Stages of a Runge–Kutta scheme as named residuals; the interface is that of `Objective`.

    Forward, one term `stages`: every stage, and the end, lead back to the snapshot that the step begins with. Inverse,
    a term `snapshot_k` for each snapshot. Conditions of space hold at all stages. A term is a mean over points, stages.
    """

    robust = False

    def __init__(
        self,
        problem: Problem,
        model: Model,
        sampling: Sampling,
        weights: Mapping[str, float] | None = None,
        *,
        time: Time,
        seed: int = 0,
    ) -> None:
        self.problem, self.sampling = problem, sampling
        self.scheme, self.snapshots = discretize(problem, time, sampling, seed)
        self.stages = Stages(problem, self.scheme)
        self.trust: dict[str, np.ndarray] = {}
        blocks = [snapshot_block(self.stages, self.scheme.parts())]
        conditions = self.stages.problem.soft_conditions
        if conditions:
            blocks.append(condition_block(self.stages, conditions))
        self.blocks: tuple[Block, ...] = tuple(blocks)
        start, unflatten = model.flatten()
        self.engine = Engine(self.blocks, unflatten, start.size, network_rows(model))
        self.start = jax.device_put(start, NamedSharding(self.engine.mesh, PartitionSpec()))
        self.weights = term_weights(self.engine.names, weights or {})
        self.sizes = self._sizes()

    def _sizes(self) -> dict[str, float]:
        """Snapshots are compared in units of their spread, where that is not of size one."""
        sizes = dict.fromkeys(self.engine.names, 1.0)
        for segment, snapshot in zip(self.blocks[0].segments, self.snapshots, strict=True):
            for name, row in zip(segment.names, snapshot.values, strict=True):
                spread = float(np.std(row))
                sizes[name] = 1.0 if spread == 0 or near_one(spread) else spread
        return sizes

    @property
    def names(self) -> tuple[str, ...]:
        """The terms of the loss."""
        return self.engine.names

    def model(self, theta: Float[Array, " parameters"]) -> Model:
        """The model that a flat vector stands for."""
        return self.engine.unflatten(theta)

    def data_rows(self) -> list[DataRow]:
        """None: a measurement is in as many residuals as there are stages, and its noise in all of them at once."""
        return []

    def judge(self, theta: Float[Array, " parameters"], points: Points) -> None:
        """Snapshots are trusted as they are."""

    def draw(self, key: PRNGKeyArray) -> Points:
        """The points of the snapshots, and points of the faces for the conditions."""
        points: Points = {0: tuple(snapshot.points for snapshot in self.snapshots)}
        if len(self.blocks) > 1:
            segments = self.blocks[1].segments
            keys = jax.random.split(key, len(segments))
            points[1] = tuple(self._on_face(s, k) for s, k in zip(segments, keys, strict=True))
        return points

    def _on_face(self, segment: Segment, key: PRNGKeyArray) -> np.ndarray:
        domain = self.scheme.domain(self.problem)
        free = tuple(name in segment.free for name in domain.coordinates)
        count = spread_points(self.sampling.condition_points, sum(free))
        method = self.sampling.method if sum(free) > 1 else "grid"
        return points_in(domain.lower, domain.upper, free, method, count, key)

    def resample(self, theta: Float[Array, " parameters"], points: Points, key: PRNGKeyArray) -> Points:
        """The same points: values are known at no others."""
        return points

    def batch(self, points: Points) -> Batch:
        """Points on the devices, with weights such that the loss is a weighted sum of means of squares."""
        return {number: self._place(number, arrays) for number, arrays in points.items()}

    def _place(self, number: int, arrays: tuple[np.ndarray, ...]) -> Chunk:
        block = self.blocks[number]
        each = [len(part.rows) for part in self.scheme.parts()] if number == 0 else None
        weights = []
        for place, (segment, array) in enumerate(zip(block.segments, arrays, strict=True)):
            rows = len(self.scheme.times) if each is None else each[place]
            scale = [self.weights[name] / self.sizes[name] ** 2 for name in segment.names]
            column = np.repeat(scale, rows)[:, None] / (rows * array.shape[1])
            weights.append(np.broadcast_to(column, (len(column), array.shape[1])))
        if number > 0:
            return self.engine.place(number, arrays, weights)
        targets = [snapshot.values for snapshot in self.snapshots]
        return self.engine.place(number, arrays, weights, targets=targets)


def snapshot_block(stages: Stages, parts: Sequence[Part]) -> Block:
    """What the stages make of every snapshot; all snapshots go through the network side by side."""
    problem, scheme = stages.problem, stages.scheme
    truncation, rates_of = stages.equations()

    def at(model: Model, chosen: Sequence[Part], chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
        counts = [points.shape[1] for points in chunk["points"]]
        total, edges = sum(counts), [0, *itertools.accumulate(counts)]
        names = stages.names(model, truncation, jnp.concatenate(chunk["points"], axis=1))
        rates = rates_of(names, total)
        outputs = [stacked(names[field], len(scheme.times), total) for field in problem.fields]
        results = []
        for part, target, a, b in zip(chosen, chunk["targets"], edges[:-1], edges[1:], strict=True):
            results.append(
                jnp.concatenate(
                    [
                        output[part.rows, a:b] + part.matrix @ rate[:, a:b] - target[row]
                        for row, (output, rate) in enumerate(zip(outputs, rates, strict=True))
                    ]
                )
            )
        return tuple(results)

    segments = tuple(
        Segment(_names(problem.fields, number, scheme), scheme.domain(problem).coordinates)
        for number in range(len(parts))
    )
    return Block(
        segments,
        lambda model, chunk: at(model, parts, chunk),
        lambda model, place, part: at(model, [parts[place]], {k: (v,) for k, v in part.items()})[0],
        truncation,
    )


def _names(fields: Sequence[str], number: int, scheme: Scheme) -> tuple[str, ...]:
    term = f"snapshot_{number + 1}" if scheme.inverse else "stages"
    return (term,) if len(fields) == 1 else tuple(f"{term}_{field}" for field in fields)


def condition_block(stages: Stages, conditions: Sequence[Condition]) -> Block:
    """All conditions of space, at all stages; those at the same places are one segment."""
    problem, count = stages.problem, len(stages.scheme.times)
    groups: dict[Any, list[Condition]] = {}
    for condition in conditions:
        groups.setdefault(condition.locations, []).append(condition)

    def values(group: Sequence[Condition], names_at: Sequence[Names]) -> list[Any]:
        return condition_values(problem, group, names_at)

    needs = [
        stages.truncation(lambda names, group=group: values(group, [names] * len(group[0].locations)))
        for group in groups.values()
    ]
    truncation = Truncation.closure(problem.coordinates, [k for need in needs for k in need.indices])

    def alone(model: Model, place: int, part: dict[str, Array]) -> Float[Array, "rows n"]:
        places, group = list(groups.items())[place]
        n = part["points"].shape[1]
        arrays = [stages_points(part["points"], location, stages.place) for location in places]
        everywhere = stages.names(model, truncation, jnp.concatenate(arrays, axis=1))
        names_at = [_part(everywhere, k * n, (k + 1) * n) for k in range(len(places))]
        return jnp.concatenate([stacked(value, count, n) for value in values(group, names_at)])

    def residuals(model: Model, chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
        return tuple(alone(model, k, {"points": points}) for k, points in enumerate(chunk["points"]))

    segments = tuple(
        Segment(tuple(c.name for c in group), tuple(name for name in group[0].free if name != TIME))
        for group in groups.values()
    )
    return Block(segments, residuals, alone, truncation)


def stages_points(
    points: Float[Array, "d n"], location: Sequence[float | None], time: int
) -> Float[Array, "d n"]:
    """Points of space with the coordinates that a location fixes; of the location, the time is left out."""
    places = [value for k, value in enumerate(location) if k != time]
    rows = [
        row if value is None else jnp.full_like(row, value) for row, value in zip(points, places, strict=True)
    ]
    return jnp.stack(rows)


def _part(names: Names, start: int, stop: int) -> dict[str, Any]:
    return {k: columns(v, start, stop) if isinstance(v, Jet) else v for k, v in names.items()}
