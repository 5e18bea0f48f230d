"""The loop that drives every optimizer: step, resample when due, judge noise, record, checkpoint, stop."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from qres.data import Data
from qres.fields import Model, known_solution
from qres.inference import Intervals, hold_out
from qres.optimizers import Stage
from qres.posed.evaluator import Term
from qres.reference import Gridded
from qres.results import Record, Stop, Stopped
from qres.runs import TRIAL, RunFolder, Specification
from qres.runtime.clock import Clock, Interruption
from qres.runtime.errors import NotConverged
from qres.runtime.processes import broadcast, gather, shard
from qres.solution import Solution

from .._assembly import build_objective
from .._progress import ProgressBar
from ._budget import Budget
from ._checkpointer import Checkpointer
from ._noise import NoisePolicy, holdout_error
from ._outcome import solution_of
from ._points import PointSchedule
from ._recorder import Recorder
from ._stages import Stages
from ._starts import choose_start
from ._stopping import stop_reason
from ._view import Callback
from ._weighing import Weighing

_INTERRUPTED = Stopped(Stop.INTERRUPTED, "interrupted: stopped by the user; qres resume goes on from here")


class Loop:
    """One run of a specification."""

    def __init__(
        self,
        specification: Specification,
        model: Model,
        optimizers: Sequence[Stage],
        *,
        folder: RunFolder | None,
        bar: ProgressBar,
        callbacks: Sequence[Callback] = (),
        terms: Mapping[str, Term] | None = None,
    ) -> None:
        self.specification, self.folder, self.bar = specification, folder, bar
        problem, self._held_out = hold_out(specification.problem, specification.holdout, specification.seed)
        self.objective = build_objective(specification, problem, model, terms)
        self._probe = Solution(problem, model, scheme=self.objective.scheme)
        self._now = 0.0  # seconds so far, the same for all processes
        clock = Clock()
        self.budget = Budget(specification, optimizers, clock)
        self.weighing = Weighing(specification, self.objective)
        self.points = PointSchedule(specification, self.objective)
        self.stages = Stages(optimizers, self.objective, self.points)
        self.noise = NoisePolicy(
            specification, self.objective, self.weighing, self._held_out, self._probe, bar.log
        )
        self.recorder = Recorder(self._measure, self.snapshot, self._show, clock, folder, callbacks)
        parts = {
            "budget": self.budget,
            "weighing": self.weighing,  # before the points, whose batch has the weights
            "points": self.points,  # before the stages, whose optimizer works on them
            "stages": self.stages,
            "noise": self.noise,
            "recorder": self.recorder,
        }
        self.checkpointer = Checkpointer(folder, parts, clock)

    def begin(self, others: Sequence[np.ndarray] = ()) -> None:
        """Fresh points, and the first stage at the network's own weights, or at others where those do better."""
        self.points.begin(all_points=bool(others))
        if self.weighing.begin(self.objective.start, self.points.points, self.points.batch):
            self.points.reweigh()
        self.stages.begin()
        if others:
            self._try(others)
            self.points.adapt()

    def _try(self, others: Sequence[np.ndarray]) -> None:
        """Go on from the best of several starts."""
        stages, budget, first = self.stages, self.budget, self.stages.current.theta
        trial = min(TRIAL, budget.limit(0) or TRIAL)
        stages.current, losses = choose_start(
            stages.optimizer,
            stages.target,
            self.points.batch,
            [first, *(shard(vector, first.sharding) for vector in others)],
            iterations=min(trial, self.points.interval(stages.work_per_step))
            if self.points.resamples
            else trial,
            is_over=lambda: budget.is_over(broadcast(budget.clock.seconds)),
            notify=self.bar.begin,
        )
        budget.total = stages.iteration
        shown = ", ".join(f"{loss:.1e}" for loss in losses)
        self.bar.log(
            f"{len(losses)} starts: the loss is {shown} after {budget.total} iterations; the smallest goes on"
        )

    def run(self) -> Stopped:
        """All stages to the end; why it stopped."""
        with Interruption() as interruption:
            stopped = None
            while stopped is None:
                self._step()
                self._now = broadcast(self.budget.clock.seconds)
                stopped = self._judge(bool(broadcast(interruption.wished))) or self.recorder.stopped
                self._record(force=stopped is not None or self.budget.is_snapshot())
                stopped = stopped or self.recorder.stopped
                if self.budget.is_snapshot():
                    self._keep_snapshot()
                if stopped is None:
                    self.checkpointer.save()
            self.checkpointer.save(force=True)
        return stopped

    def _step(self) -> None:
        """One compiled call of as many iterations as fit before the next event, then that event."""
        stages, points, budget = self.stages, self.points, self.budget
        done, value = stages.iteration, float(stages.current.value)
        is_over = not stages.is_running or budget.is_spent(stages.index, done)
        if is_over or self.noise.stopped is not None or budget.is_met(value):
            return  # resumed where it had ended
        if points.is_due(done, stages.work_per_step):
            self.noise.update(stages, points)
            if self.noise.stopped is not None:
                return
            self._resample()
        count = budget.count(stages.index, done, points.left(done, stages.work_per_step))
        count, begun = round(broadcast(count)), time.perf_counter()
        made = stages.step(count)
        budget.spend(stages.index, made, time.perf_counter() - begun)

    def _resample(self) -> None:
        """Other points, with weights that suit them."""
        theta, points = self.stages.current.theta, self.points
        points.resample(theta, self.stages.iteration)
        if self.weighing.follow(theta, points.points, points.batch, points.draws):
            points.reweigh()
        self.stages.on_new_points()

    def _judge(self, interrupted: bool) -> Stopped | None:
        """Why to stop now; None to go on, perhaps with the next stage."""
        stages, budget = self.stages, self.budget
        if interrupted:
            return _INTERRUPTED
        if budget.is_over(self._now):
            return budget.out_of_time()
        if self.noise.stopped is not None:
            return self.noise.stopped
        if stages.is_running and budget.is_met(float(stages.current.value)):
            return budget.within_tolerance()
        if stages.is_running and not budget.is_spent(stages.index, stages.iteration):
            return None
        if stages.has_next:
            self._next_stage()
            return None
        if stages.is_running:
            return budget.out_of_iterations(stages.index)
        found = stop_reason(stages.status, self._terms(), self.objective.weights)
        # A stop for want of descent is final only if it comes again right after points were resampled.
        if not self.points.resamples or not stages.can_retry():
            return found
        self._resample()
        return None

    def _next_stage(self) -> None:
        self._record(force=True)
        self.stages.advance()
        self.points.begin_stage()
        self.noise.begin_stage()

    def _record(self, *, force: bool) -> None:
        again = self.noise.keeps_best
        self.recorder.record(self.stages.index, self.budget.total, self._now, force=force, again=again)

    @property
    def theta(self) -> Any:
        """The vector that was found."""
        return self.noise.chosen(self.stages.current.theta)

    @cached_property
    def truth(self) -> Gridded | Data | None:
        """What the error is measured against; not read before the first record needs it, and not part of the run."""
        if self.objective.problem.reference == "spectral":
            self.bar.begin("computing the reference")  # which may take a minute
        with self.budget.clock.stopped():
            try:
                return known_solution(self.objective.problem, self.objective.scheme)
            except NotConverged as error:
                self.bar.log(f"warning: no reference, and no errors against it: {error}")
                return None

    def _terms(self) -> dict[str, float]:
        found = self.objective.engine.terms(self.theta, self.points.batch)
        return {name: float(value) for name, value in found.items()}

    def _measure(self) -> Record:
        theta, terms, problem, clock = self.theta, self._terms(), self.objective.problem, self.budget.clock
        model = self._probe.model = self.objective.model(gather(theta))
        return Record(
            total=self.budget.total,
            iteration=self.stages.iteration,
            stage=self.stages.index,
            optimizer=self.stages.optimizer.name,
            loss=float(sum(terms.values())),
            terms=terms,
            errors=self._probe.errors_against(self.truth) if self.truth is not None else {},
            unknowns={n: np.asarray(v).tolist() for n, v in model.parameters(problem).items()},
            holdout=holdout_error(self._probe, self._held_out) if self._held_out else {},
            seconds=round(clock.seconds, 3),
            cpu_seconds=round(clock.cpu_seconds, 3),
        )

    def _show(self, record: Record) -> None:
        done = self.stages.iteration
        shown = replace(record, iteration=done, seconds=self.budget.clock.seconds)
        self.bar.show(shown, *self.budget.forecast(self.stages.index, done))

    def solution(self, stopped: Stopped, intervals: Intervals) -> Solution:
        """What was found, with the intervals of its unknowns."""
        return solution_of(
            self.specification, self.objective, self.theta, self.points.points, stages=self.stages,
            budget=self.budget, history=self.recorder.history, folder=self.folder, stopped=stopped,
            intervals=intervals,
        )  # fmt: skip

    def snapshot(self) -> Solution:
        """The solution as it is now, without the history, which the run has."""
        stopped = Stopped(Stop.SNAPSHOT, f"snapshot: iteration {self.budget.total} of a run")
        solution = self.solution(stopped, Intervals())
        solution.history = []
        return solution

    def _keep_snapshot(self) -> None:
        if self.folder is not None and self.folder.writes:
            with self.folder.attempted("a snapshot"):
                self.folder.snapshots_folder.mkdir(exist_ok=True)
                self.snapshot().save(self.folder.snapshot_file(self.budget.total))
