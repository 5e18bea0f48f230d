"""The point schedule of a run: the number of points, resampling, and robust weights of measurements."""

from __future__ import annotations

from typing import Any

from qres.loss import (
    Batch,
    DiscreteObjective,
    Objective,
    PointBudget,
    Points,
    first_point_budget,
    next_point_budget,
)
from qres.runs import Specification
from qres.runtime.random import fold_in, split, stream

from ._checkpointer import State

_TRUST = "trust."


class PointSchedule:
    """The collocation points of the loss, and when they are resampled."""

    def __init__(self, specification: Specification, objective: Objective | DiscreteObjective) -> None:
        self._objective = objective
        self._key = stream(specification.seed, "points")
        self.resamples = specification.sampling.resample_every > 0
        self.points: Points = {}
        self.batch: Batch = {}  # the same on the devices, with weights
        self.draw = PointBudget(0, 0)  # how many points there are, and for how long
        self.draws = 0  # how often they were resampled
        self._drawn = 0  # the iteration of the stage at which they last were

    def begin(self, *, all_points: bool) -> None:
        """Fresh points; all of them where several starts are compared."""
        self.draw = first_point_budget(self._objective, all_points=all_points)
        self._set(self._objective.draw(fold_in(self._key, 0), self.draw.points))
        # Measurements, and a grid, have a number of their own.
        self.draw = self.draw._replace(points=self.points[0][0].shape[1])

    def adapt(self) -> None:
        """Reduce to the initial number of points, once a start is chosen."""
        self.draw = first_point_budget(self._objective)

    def begin_stage(self) -> None:
        """A stage counts its iterations from zero."""
        self._drawn = 0

    def interval(self, work_per_step: int) -> int:
        """For how many iterations of a method the points are kept, one of which does the work of `work_per_step`."""
        return max(1, self.draw.iterations // work_per_step)

    def left(self, done: int, work_per_step: int) -> int | None:
        """The iterations before points are resampled; None where they never are."""
        return self._drawn + self.interval(work_per_step) - done if self.resamples else None

    def is_due(self, done: int, work_per_step: int) -> bool:
        """Whether points are to be resampled before the next iteration; at the end of a run they are not."""
        left = self.left(done, work_per_step)
        return left is not None and left <= 0

    def resample(self, theta: Any, done: int) -> None:
        """Resample the points, more where residuals are large; their number adapts to the residuals at fresh ones."""
        self.draws += 1
        self._drawn = done
        self._objective.update_robust_weights(theta, self.points)
        pool_key, choice_key = split(fold_in(self._key, self.draws), 2)
        pool = self._objective.pool(theta, self.points, self.draw.points, pool_key)
        if pool is None:
            self._set(self.points)
            return
        if self._objective.adapts:
            self.draw = next_point_budget(self._objective.sampling, self.draw, pool.excess)
        self._set({**self.points, 0: (pool.chosen(self.draw.points, choice_key),)})

    def reweigh(self) -> None:
        """Change the weights of the conditions, at the same points."""
        last = len(self._objective.blocks) - 1  # the one with the conditions
        self.batch |= self._objective.batch({last: self.points[last]})

    def _set(self, points: Points) -> None:
        self.points = points
        self.batch = self._objective.batch(points)

    def state(self) -> State:
        """Points, robust weights of measurements, and when points are due."""
        arrays = {f"{i}.{k}": array for i, group in self.points.items() for k, array in enumerate(group)}
        arrays |= {_TRUST + name: array for name, array in self._objective.trust.items()}
        return State({"draw": self.draw, "draws": self.draws, "drawn": self._drawn}, arrays)

    def restore(self, state: State) -> None:
        """Go on from a checkpoint, with the weights that were restored before."""
        self.draw = PointBudget(*state.counters["draw"])
        self.draws, self._drawn = state.counters["draws"], state.counters["drawn"]
        arrays = state.arrays
        self._objective.trust = {n.removeprefix(_TRUST): a for n, a in arrays.items() if n.startswith(_TRUST)}
        segments = [len(block.segments) for block in self._objective.blocks]
        self._set({i: tuple(arrays[f"{i}.{k}"] for k in range(n)) for i, n in enumerate(segments)})
