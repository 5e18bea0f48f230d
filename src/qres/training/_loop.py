"""The loop that drives every optimizer: stages, resampling, records, checkpoints, and why it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from qres.data import Data
from qres.fields import Model, known_solution
from qres.loss import Batch, Points
from qres.optimizers import NOT_FINITE, RUNNING, Stage
from qres.reference import Gridded
from qres.results import Record, Stop, Stopped
from qres.runs import TRIAL, RunFolder, Specification
from qres.runtime.processes import agreed, spread, whole
from qres.runtime.random import fold_in, split, stream
from qres.solution import Solution

from ._assembly import build_objective
from ._checkpoint import as_arrays, best_in, points_in, state_in, trust_in
from ._clock import Clock, Interruption
from ._discrepancy import answer_stall, data_discrepancies
from ._drawing import Draw, first_draw, next_draw
from ._progress import ProgressBar
from ._progressing import Progressing
from ._starts import choose_start
from ._stopping import stop_reason
from ._watch import NOISE_LEVEL, Watch, held_error, hold_out
from ._weighing import Balance, Weighing, balance_in

Callback = Callable[[Record], bool | None]
_CALL_SECONDS = 0.4  # how long one compiled call should take: Ctrl-C and progress respond within that
_CHECKPOINT_SECONDS = 5.0  # between checkpoints, at least
_CHECKPOINT_SHARE = 0.03  # of the time may go into checkpoints
_RECORD_SHARE = 0.02  # and so much into records, which find errors
_RETRY_AFTER = 25  # iterations: more than it takes Levenberg–Marquardt to find that nothing moves


class Loop:
    """One run of a specification."""

    def __init__(
        self,
        specification: Specification,
        model: Model,
        stages: Sequence[Stage],
        *,
        folder: RunFolder | None,
        bar: ProgressBar,
        callbacks: Sequence[Callback] = (),
    ) -> None:
        self.specification = specification
        self.problem, self.held = hold_out(specification.problem, specification.holdout, specification.seed)
        self.objective = build_objective(specification, self.problem, model)
        self.weighing = Weighing(specification, self.objective)
        self.scheme = self.objective.scheme
        self.target = self.objective.engine.target
        self.stages = tuple(stages)
        self.folder, self.bar, self.callbacks = folder, bar, tuple(callbacks)
        self.key = stream(specification.seed, "points")
        self.at = Progressing()
        self.watch = Watch()
        self.best: Any = None  # the vector that was best on the held-out points
        self.clock = Clock()
        self.history: list[Record] = []
        self.points: Points = {}
        self.batch: Batch = {}
        self.state: Any = None
        self.keep_snapshot: Callable[[], object] | None = None
        self._probe = Solution(self.problem, model, scheme=self.scheme)
        self._pace: dict[int, float] = {}
        self._warm = -1
        self._now = self._last_record = self._last_checkpoint = 0.0
        self._checkpoint_cost = self._record_cost = 0.0

    def begin(self, others: Sequence[np.ndarray] = ()) -> None:
        """Fresh points, and the first stage at the network's own weights, or at others where those do better."""
        self.at.draw = first_draw(self.objective, all_points=bool(others))
        self._set_points(self.objective.draw(fold_in(self.key, 0), self.at.draw.points))
        # Measurements, and a grid, have a number of their own.
        self.at.draw = self.at.draw._replace(points=self.points[0][0].shape[1])
        self._balance(self.weighing.first(self.objective.start, self.points, self.batch))
        self.state = self.stages[0].init(self.target, self.objective.start, self.batch)
        if others:
            self._try(others)
            self.at.draw = first_draw(self.objective)  # as any other run from here on

    def _try(self, others: Sequence[np.ndarray]) -> None:
        """Go on from the best of several starts."""
        limit, most = self._limit(), self.specification.time_limit
        self.state, losses = choose_start(
            self.stage,
            self.target,
            self.batch,
            [self.state.theta, *(spread(vector, self.state.theta.sharding) for vector in others)],
            iterations=min(TRIAL, limit or TRIAL, self._lasts if self._resamples() else TRIAL),
            is_over=lambda: most is not None and agreed(self.clock.seconds) >= most,
            tell=self.bar.begin,
        )
        self.at.total = int(self.state.iteration)
        shown = ", ".join(f"{loss:.1e}" for loss in losses)
        self.bar.say(
            f"{len(losses)} starts: the loss is {shown} after {self.at.total} iterations; the smallest goes on"
        )

    def restore(self, arrays: Mapping[str, np.ndarray], counters: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        at = counters["at"]
        noise = None if at["noise"] is None else Stopped.from_dict(at["noise"])
        kept = {"draw": Draw(*at["draw"]), "balance": balance_in(at["balance"]), "noise": noise}
        self.at = Progressing(**at | kept)
        self.watch = Watch(**counters["watch"])
        self.weighing.set(self.at.balance.factors, self.at.sharpened)
        self.best = best_in(arrays, self.target.size)
        self.objective.trust = trust_in(arrays)
        self.clock = Clock(counters["seconds"], counters["cpu_seconds"])
        self._set_points(points_in(arrays, [len(block.segments) for block in self.objective.blocks]))
        blank = self.stages[self.at.stage].init(self.target, self.objective.start, self.batch)
        self.state = state_in(arrays, blank)

    @cached_property
    def truth(self) -> Gridded | Data | None:
        """What the error is measured against; not read before the first record needs it, and not part of the run."""
        if self.problem.reference == "spectral":
            self.bar.begin("computing the reference")  # which may take a minute
        with self.clock.stopped():
            return known_solution(self.problem, self.scheme)

    def _set_points(self, points: Points) -> None:
        self.points = points
        self.batch = self.objective.batch(points)

    def _balance(self, new: Balance) -> None:
        """Weigh soft conditions, on the points as they are."""
        old, self.at.balance = self.at.balance, new
        if new.factors != old.factors:
            self.weighing.set(new.factors, self.at.sharpened)
            last = len(self.objective.blocks) - 1  # the one with the conditions
            self.batch |= self.objective.batch({last: self.points[last]})

    def run(self) -> Stopped:
        """All stages to the end; why it stopped."""
        with Interruption() as interruption:
            self.at.stopped = None
            while self.at.stopped is None:
                self._call()
                self._now = agreed(self.clock.seconds)
                wished = bool(agreed(interruption.wished))
                self.at.stopped = self._reason(wished) or self.at.stopped  # a callback may have, too
                self._record(force=self.at.stopped is not None or self._snapshot_is_due())
                if self.keep_snapshot is not None and self._snapshot_is_due():
                    self.keep_snapshot()
                if self.at.stopped is None:
                    self._checkpoint()
            self._checkpoint(force=True)
        return self.at.stopped

    @property
    def stage(self) -> Stage:
        """The optimizer at work."""
        return self.stages[self.at.stage]

    def _limit(self) -> int | None:
        """How many iterations this stage may make."""
        return self.specification.limits(self.stages)[self.at.stage]

    def _resamples(self) -> bool:
        return self.specification.sampling.resample_every > 0

    @property
    def _work_per_step(self) -> int:
        return self.stage.work_per_step if self.objective.adapts else 1

    @property
    def _lasts(self) -> int:
        """For how many iterations of this stage the points are kept."""
        return max(1, self.at.draw.iterations // self._work_per_step)

    def _call(self) -> None:
        """One compiled call of as many iterations as fit before the next event, then that event."""
        done = int(self.state.iteration)
        limit = self._limit()
        is_over = int(self.state.status) != RUNNING or (limit is not None and done >= limit)
        if is_over or self.at.noise is not None or float(self.state.value) <= self.specification.tolerance:
            return  # resumed where it had ended
        if self._is_due(done):
            self._look(done)
            if self.at.noise is not None:
                return
            self._resample()
        count = round(agreed(self._count(done)))
        begun = time.perf_counter()
        self.state = self.stage.step(self.target, self.state, self.batch, count)
        now = int(self.state.iteration)
        seconds = time.perf_counter() - begun
        made = now - done
        self.at.total += made
        if self._warm == self.at.stage and made:
            self._pace[self.at.stage] = seconds / made
        self._warm = self.at.stage  # the first call of a stage compiles, and says nothing of its pace

    def _is_due(self, done: int) -> bool:
        """Whether points are to be drawn anew before the next iteration; at the end of a run they are not."""
        return self._resamples() and done >= self.at.drawn + self._lasts

    def _count(self, done: int) -> int:
        pace = self._pace.get(self.at.stage)
        count = 1 if pace is None else max(1, int(_CALL_SECONDS / pace))
        if pace is not None and self.specification.time_limit is not None:
            count = min(count, max(1, int((self.specification.time_limit - self.clock.seconds) / pace)))
        if self._resamples():
            count = min(count, max(1, self.at.drawn + self._lasts - done))
        coming = [i - self.at.total for i in self.specification.snapshots if i > self.at.total]
        count = min(count, *coming[:1]) if coming else count
        limit = self._limit()
        return count if limit is None else min(count, max(1, limit - done))

    def _snapshot_is_due(self) -> bool:
        return self.at.total in self.specification.snapshots

    def _resample(self) -> None:
        self.at.draws += 1
        self.at.drawn = int(self.state.iteration)
        self.objective.judge(self.state.theta, self.points)
        pool_key, choice_key = split(fold_in(self.key, self.at.draws), 2)
        pool = self.objective.pool(self.state.theta, self.points, self.at.draw.points, pool_key)
        if pool is None:
            self._set_points(self.points)
        else:
            if self.objective.adapts:
                self.at.draw = next_draw(self.objective.sampling, self.at.draw, pool.excess)
            self._set_points({**self.points, 0: (pool.chosen(self.at.draw.points, choice_key),)})
        at = self.at
        self._balance(self.weighing.next(at.balance, self.state.theta, self.points, self.batch, at.draws))
        self.state = self.stage.on_new_points(self.target, self.state, self.batch)

    def _look(self, done: int) -> None:
        """Whether noisy data are fitted as far as they should be; a loss that goes up and down says nothing."""
        if done < self.at.looked + self.specification.sampling.resample_every // self._work_per_step:
            return
        self.at.looked = done
        if not self.problem.data or (not self.stage.monotone and not self.held):
            return
        terms = {n: float(v) for n, v in self.objective.engine.terms(self.state.theta, self.batch).items()}
        error = None
        if self.held:
            self._probe.model = self.objective.model(whole(self.state.theta))
            error = float(np.linalg.norm(list(held_error(self._probe, self.held).values())))
        is_best, self.at.noise = self.watch.look(error, terms)
        if is_best:
            self.best = np.asarray(self.state.theta)
        if self.at.noise == NOISE_LEVEL or (self.at.sharpened < 0 and self.watch.stalled):
            found = data_discrepancies(self.objective, self.state.theta, self.points, self.batch)
            self.at.noise = answer_stall(self.at, terms, found, self.bar.say)
            if self.at.noise is None:
                self.at.balance = self.at.balance._replace(begun=None)  # in other units from here on
                self.weighing.set(self.at.balance.factors, self.at.sharpened)
                self.watch.loss = float("inf")

    @property
    def theta(self) -> Any:
        """The vector that was found: the last, or the best on held-out points where the fit was stopped for them."""
        return spread(self.best, self.state.theta.sharding) if self._keeps_best else self.state.theta

    @property
    def _keeps_best(self) -> bool:
        return self.best is not None and self.at.noise is not None and self.at.noise.reason is Stop.HOLDOUT

    def _reason(self, wished: bool) -> Stopped | None:
        """Why to stop now; None to go on, perhaps with the next stage."""
        spec, value, status = self.specification, float(self.state.value), int(self.state.status)
        limit = self._limit()
        if wished:
            return Stopped(
                Stop.INTERRUPTED, "interrupted: stopped by the user; qres resume goes on from here"
            )
        if spec.time_limit is not None and self._now >= spec.time_limit:
            return Stopped(Stop.TIME_LIMIT, f"time limit: {spec.time_limit:g} seconds are over")
        if self.at.noise is not None:
            return self.at.noise
        if status == RUNNING and value <= spec.tolerance:
            said = f"converged: the loss is below the tolerance of {spec.tolerance:g}"
            return Stopped(Stop.TOLERANCE, said)
        if status == RUNNING and (limit is None or int(self.state.iteration) < limit):
            return None
        if self.at.stage + 1 < len(self.stages) and status != NOT_FINITE:
            self._next_stage()
            return None
        if status != RUNNING:
            return self._retry(stop_reason(status, self._terms(), self.objective.weights))
        said = f"budget: all {limit} iterations of {self.stage.name} are done; --iterations allows more"
        return Stopped(Stop.BUDGET, said)

    def _retry(self, found: Stopped) -> Stopped | None:
        """A stop for want of descent is final only if it comes again right after the points were drawn anew."""
        now = int(self.state.iteration)
        if not self._resamples() or found.reason is Stop.NOT_FINITE or now - self.at.retried < _RETRY_AFTER:
            return found
        self.at.retried = now
        self._resample()
        return None

    def _next_stage(self) -> None:
        self._record(force=True)
        self.at.stage, self.at.retried = self.at.stage + 1, 0
        self.at.drawn = self.at.looked = 0
        self.state = self.stage.init(self.target, self.state.theta, self.batch)

    def _record(self, *, force: bool = False) -> None:
        """A line of history every second, rarer in long runs or where it takes long; a resumed end has its line."""
        between = max(1.0, 0.005 * self._now, self._record_cost / _RECORD_SHARE)
        is_early = not force and self._now - self._last_record < between
        last = self.history[-1] if self.history else None
        is_there = last is not None and (last.stage, last.total) == (self.at.stage, self.at.total)
        if is_early or (is_there and not self._keeps_best):
            self._show()
            return
        self._last_record, begun = self._now, self.clock.seconds
        record = self._measure()
        if last and is_there and record.loss == last.loss:
            return  # a run that had ended, with the vector that was best before
        if last:  # the first one compiles, and says nothing of the others
            self._record_cost = agreed(self.clock.seconds - begun)
        self.history.append(record)
        if self.folder is not None:
            self.folder.record(record)
        self._show()
        wishes = [callback(record) is False for callback in self.callbacks]
        if wishes and agreed(any(wishes)) and self.at.stopped is None:
            self.at.stopped = Stopped(Stop.CALLBACK, "stopped by a callback")

    def _terms(self) -> dict[str, float]:
        return {n: float(v) for n, v in self.objective.engine.terms(self.theta, self.batch).items()}

    def _measure(self) -> Record:
        theta = self.theta
        terms = self._terms()
        model = self._probe.model = self.objective.model(whole(theta))
        errors = self._probe.errors_against(self.truth) if self.truth is not None else {}
        unknowns = {n: np.asarray(v).tolist() for n, v in model.parameters(self.problem).items()}
        held = held_error(self._probe, self.held) if self.held else {}
        return Record(
            self.at.total, int(self.state.iteration), self.at.stage, self.stage.name, round(self.clock.seconds, 3),
            round(self.clock.cpu_seconds, 3), float(sum(terms.values())), terms, errors, unknowns, held,
        )  # fmt: skip

    def _show(self) -> None:
        if not self.history:
            return
        record = replace(self.history[-1], iteration=int(self.state.iteration), seconds=self.clock.seconds)
        share, remaining = self._outlook()
        self.bar.show(record, share, remaining)

    def _outlook(self) -> tuple[float | None, float | None]:
        """The done share of the budget, and the seconds that are left of it."""
        limit, pace = self._limit(), self._pace.get(self.at.stage)
        done = int(self.state.iteration)
        remaining = None if limit is None or pace is None else (limit - done) * pace
        share = None if limit is None else done / limit
        if (most := self.specification.time_limit) is not None:
            left = most - self.clock.seconds
            if remaining is None or left < remaining:
                return self.clock.seconds / most, left
        return share, remaining

    def _checkpoint(self, *, force: bool = False) -> None:
        if self.folder is None:
            return
        since = self.clock.seconds - self._last_checkpoint
        due = since >= max(_CHECKPOINT_SECONDS, self._checkpoint_cost / _CHECKPOINT_SHARE)
        if not force and not agreed(due):
            return
        begun = time.perf_counter()
        arrays = as_arrays(self.state, self.points, self.objective.trust, self.best)
        counters = {
            "at": vars(self.at)
            | {"stopped": None, "noise": None if self.at.noise is None else self.at.noise.to_dict()},
            "watch": vars(self.watch),
            "seconds": self.clock.seconds,
            "cpu_seconds": self.clock.cpu_seconds,
        }
        self.folder.save_checkpoint(arrays, counters)
        self._checkpoint_cost = time.perf_counter() - begun
        self._last_checkpoint = self.clock.seconds
