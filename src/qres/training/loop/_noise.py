"""The noise policy of a run: held-out measurements, weights of the equations, and early stopping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qres.data import Data
from qres.inference import NOISE_LEVEL, NoiseMonitor, data_discrepancies, handle_stall
from qres.loss import DiscreteObjective, Objective
from qres.results import Stop, Stopped
from qres.runs import Specification
from qres.runtime.processes import gather, shard
from qres.solution import Solution

from ._checkpointer import State
from ._points import PointSchedule
from ._stages import Stages, fitted
from ._weighing import Weighing


class NoisePolicy:
    """Monitors the fit to noisy data, and stops or reweights it.

    Args:
        specification: of the run.
        objective: what is fitted.
        weighing: gives other weights to a fit that follows the noise, or stalls above it.
        held_out: measurements that are compared with only.
        probe: a solution whose model is set to the one under evaluation.
        notify: called with a line about measurements that get more weight.
    """

    def __init__(
        self,
        specification: Specification,
        objective: Objective | DiscreteObjective,
        weighing: Weighing,
        held_out: tuple[Data, ...],
        probe: Solution,
        notify: Callable[[str], object],
    ) -> None:
        self._every = specification.sampling.resample_every
        self._objective, self._weighing, self._held, self._probe, self._notify = (
            objective,
            weighing,
            held_out,
            probe,
            notify,
        )
        self._noise_monitor = NoiseMonitor()
        self._looked = 0  # the iteration of the stage of the last look
        self._best: np.ndarray | None = None  # the vector that was best on the held-out points
        self.stopped: Stopped | None = None  # why the data should not be fitted further

    def begin_stage(self) -> None:
        """A stage counts its iterations from zero."""
        self._looked = 0

    def update(self, stages: Stages, points: PointSchedule) -> None:
        """Whether to stop, or to continue with other weights; a loss that is not monotone is not judged."""
        if stages.iteration < self._looked + self._every // stages.work_per_step:
            return
        self._looked = stages.iteration
        if not self._objective.problem.data or (not stages.optimizer.monotone and not self._held):
            return
        theta = stages.current.theta
        terms = {n: float(v) for n, v in self._objective.engine.terms(theta, points.batch).items()}
        error = None
        if self._held:
            self._probe.model = self._objective.model(gather(theta))
            error = float(np.linalg.norm(list(holdout_error(self._probe, self._held).values())))
        is_best, self.stopped = self._noise_monitor.update(error, terms)
        if is_best:
            self._best = np.asarray(theta)
        if self.stopped == NOISE_LEVEL or (self._weighing.sharpened < 0 and self._noise_monitor.stalled):
            found = data_discrepancies(self._objective, theta, points.points, points.batch)
            self.stopped = handle_stall(self._weighing, terms, found, self._notify)
            if self.stopped is None:
                self._weighing.restart()
                self._noise_monitor.loss = float("inf")

    @property
    def keeps_best(self) -> bool:
        """Whether the run ends with the vector that was best on held-out points."""
        is_held = self.stopped is not None and self.stopped.reason is Stop.HOLDOUT
        return self._best is not None and is_held

    def chosen(self, theta: Any) -> Any:
        """The vector that counts: the last, or the best on held-out points where the fit was stopped for them."""
        return shard(self._best, theta.sharding) if self._best is not None and self.keeps_best else theta

    def state(self) -> State:
        """What was seen so far."""
        stopped = None if self.stopped is None else self.stopped.to_dict()
        counters = {"looked": self._looked, "stopped": stopped, "watch": vars(self._noise_monitor)}
        return State(counters, {} if self._best is None else {"best": self._best})

    def restore(self, state: State) -> None:
        """Go on from a checkpoint."""
        stopped = state.counters["stopped"]
        self._looked, self._noise_monitor = state.counters["looked"], NoiseMonitor(**state.counters["watch"])
        self.stopped = None if stopped is None else Stopped.from_dict(stopped)
        if "best" in state.arrays:
            self._best = fitted("best", state.arrays["best"], (self._objective.engine.target.size,))


def holdout_error(solution: Solution, held_out: tuple[Data, ...]) -> dict[str, float]:
    """The root mean square difference from held-out measurements, by field, where surer ones count more."""
    squares: dict[str, list[np.ndarray]] = {}
    problem = solution.problem
    for data in held_out:
        points: dict[str, Any] = {name: data.columns[name] for name in problem.coordinates}
        for name in data.measured(solution.names):
            squares.setdefault(name, []).append(
                data.precision_weights([name])[0] * (solution(name, **points) - data.columns[name]) ** 2
            )
    return {name: float(np.sqrt(np.mean(np.concatenate(parts)))) for name, parts in squares.items()}
