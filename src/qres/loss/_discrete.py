"""The loss in discrete time: Runge–Kutta stages at points in space, matched to snapshots.

The network gives all stages of a step at once, as functions of space (M. Raissi, P. Perdikaris, G. E. Karniadakis,
J. Comput. Phys. 378, 2019).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from qres.fields import Model, Stages, Time
from qres.geometry import Sampling, points_in, points_on_face
from qres.networks import Network
from qres.posed.evaluator import Residuals
from qres.problems import Problem
from qres.residuals import (
    Block,
    Chunk,
    Segment,
    TrialResidual,
    condition_block,
    create_model,
    power_of_ten,
    scale_of,
    snapshot_block,
    term_sizes,
)
from qres.runtime.random import split

from ._continuous import DataRow, Points, term_weights
from ._engine import Batch, Engine
from ._snapshots import discretize


def discrete_model(problem: Problem, time: Time, sampling: Sampling, seed: int, build: Any) -> Model:
    """A model whose network, `build(domain)`, gives all stages, in the units of the snapshots."""
    scheme, snapshots = discretize(problem, time, sampling, seed)
    values = np.concatenate([snapshot.values for snapshot in snapshots], axis=1)
    pairs = [
        scale_of(row, name in problem.transform) for name, row in zip(problem.fields, values, strict=True)
    ]
    scales = [(0.0, 1.0) if pair is None else (pair[0], power_of_ten(pair[1])) for pair in pairs]
    return create_model(problem, build(scheme.domain(problem)), scales)


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
        self.engine = Engine(self.blocks, model)
        self.start = self.engine.start
        self.weights = term_weights(self.engine.names, weights or {})
        self.sizes = self._sizes(model)

    def _sizes(self, model: Model) -> dict[str, float]:
        """Snapshots are scaled by their standard deviation, or by the field's scale where it is zero."""
        sizes = dict.fromkeys(self.engine.names, 1.0)
        if isinstance(model.network, Network) and not model.network.architecture.scaled:
            return sizes
        scales = [scale for _, scale in model.scales]
        for segment, snapshot in zip(self.blocks[0].segments, self.snapshots, strict=True):
            for name, row, scale in zip(segment.names, snapshot.values, scales, strict=True):
                sizes[name] = power_of_ten(float(np.std(row)) or scale)
        problem = self.stages.problem
        residuals = Residuals.of(problem, equations=False, conditions=problem.soft_conditions).residuals
        return sizes | term_sizes((TrialResidual(problem, one) for one in residuals), problem, model)

    @property
    def adapts(self) -> bool:
        """No: values are known at the points of the snapshots only."""
        return False

    @property
    def names(self) -> tuple[str, ...]:
        """The terms of the loss."""
        return self.engine.names

    def model(self, theta: Float[Array, " parameters"] | Float[np.ndarray, " parameters"]) -> Model:
        """The model that a flat vector stands for."""
        return self.engine.unflatten(theta)

    def data_rows(self) -> list[DataRow]:
        """None: a measurement is in as many residuals as there are stages, and its noise in all of them at once."""
        return []

    def update_robust_weights(self, theta: Float[Array, " parameters"], points: Points) -> None:
        """Snapshots are trusted as they are."""

    def draw(self, key: PRNGKeyArray, count: int | None = None) -> Points:
        """The points of the snapshots, and points of the faces for the conditions."""
        points: Points = {0: tuple(snapshot.points for snapshot in self.snapshots)}
        if len(self.blocks) > 1:
            segments = self.blocks[1].segments
            keys = split(key, len(segments))
            points[1] = tuple(self._on_face(s, k) for s, k in zip(segments, keys, strict=True))
        return points

    def _on_face(self, segment: Segment, key: PRNGKeyArray) -> np.ndarray:
        domain = self.scheme.domain(self.problem)
        free = tuple(name in segment.place.free for name in domain.coordinates)
        count = points_on_face(self.sampling.condition_points, sum(free))
        method = self.sampling.method if sum(free) > 1 else "grid"
        return points_in(domain.lower, domain.upper, free, method, count, key)

    def pool(self, theta: Float[Array, " parameters"], points: Points, count: int, key: PRNGKeyArray) -> None:
        """No fresh points: values are known at no others."""

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
