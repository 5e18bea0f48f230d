"""A run of time windows by least squares: window after window, with records, checkpoints and a way to stop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from qres.data import Data
from qres.fields import Windows, known_solution
from qres.networks import count_parameters
from qres.reference import Gridded
from qres.results import Record, Result, Stop, Stopped
from qres.runs import RunFolder, Specification, versions
from qres.runtime.clock import Clock, Interruption
from qres.runtime.processes import broadcast
from qres.solution import Solution
from qres.windows import Evolution, Kind, March

from .._progress import ProgressBar
from ..loop import Callback, Checkpointer, Recorder, State

NAME = "least_squares"
_INTERRUPTED = Stopped(
    Stop.INTERRUPTED,
    "interrupted: stopped by the user with all finished windows; qres resume goes on from here",
)


class _Time:
    """The clock as a part of a checkpoint."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def state(self) -> State:
        return State({"seconds": self._clock.seconds, "cpu_seconds": self._clock.cpu_seconds})

    def restore(self, state: State) -> None:
        self._clock.set(state.counters["seconds"], state.counters["cpu_seconds"])


class _Marched:
    """The windows as a part of a checkpoint."""

    def __init__(self, march: March) -> None:
        self._march = march

    def state(self) -> State:
        return State(*self._march.to_state())

    def restore(self, state: State) -> None:
        self._march.restore(state.counters, state.arrays)


class WindowRun:
    """One run of a specification with windows.

    Args:
        specification: of the run.
        evolution: its problem, as one of windows.
        kind: of the features.
        folder: of the run.
        bar: shows progress.
        callbacks: get every record.
    """

    def __init__(
        self, specification: Specification, evolution: Evolution, kind: Kind, *, folder: RunFolder | None,
        bar: ProgressBar, callbacks: Sequence[Callback] = (),
    ) -> None:  # fmt: skip
        windows = specification.windows
        assert isinstance(windows, Windows)
        self.specification, self.evolution, self.folder, self.bar = specification, evolution, folder, bar
        self.clock = Clock()
        self.march = March(evolution, kind, windows, specification.seed)
        self.recorder = Recorder(self._measure, self.solution, self._show, self.clock, folder, callbacks)
        parts = {"time": _Time(self.clock), "march": _Marched(self.march), "recorder": self.recorder}
        self.checkpointer = Checkpointer(folder, parts, self.clock)
        self._stopped = Stopped(Stop.SNAPSHOT, "snapshot: some windows of a run")

    def run(self) -> Stopped:
        """All windows to the end; why it stopped."""
        with Interruption() as interruption:
            stopped = self._over()
            while stopped is None:
                is_good = self.march.step()
                now = broadcast(self.clock.seconds)
                stopped = self._over(is_good=is_good)
                if broadcast(interruption.wished) and stopped is None:
                    stopped = _INTERRUPTED
                limit = self.specification.time_limit
                if stopped is None and limit is not None and now >= limit:
                    stopped = Stopped(Stop.TIME_LIMIT, f"time limit: {limit:g} seconds are over")
                if self.march.weights:
                    self.recorder.record(0, len(self.march.weights), now, force=stopped is not None)
                    stopped = stopped or self.recorder.stopped
                if stopped is None:
                    self.checkpointer.save()
            self.checkpointer.save(force=True)
        self._stopped = stopped
        return stopped

    def _over(self, *, is_good: bool = True) -> Stopped | None:
        """Why there is no next window; None where there is one."""
        march, limit = self.march, self.specification.iterations
        done, axis = len(march.weights), self.evolution.axis
        if march.is_over:
            cut = f", {march.control.rejected} cut" if march.control.rejected else ""
            return Stopped(Stop.CONVERGED, f"converged: all {done} windows{cut}")
        if march.is_stuck:
            return Stopped(
                Stop.STALLED,
                f"stalled: at {axis} = {march.control.time:g} no window is short enough to be solved",
            )
        if limit is not None and done >= limit and is_good:
            return Stopped(Stop.BUDGET, f"budget: all {limit} windows are done; --iterations allows more")
        return None

    @cached_property
    def truth(self) -> Gridded | Data | None:
        """What the error is measured against."""
        if self.evolution.problem.reference == "spectral":
            self.bar.begin("computing the reference")
        with self.clock.stopped():
            return known_solution(self.evolution.problem)

    def _measure(self) -> Record:
        march = self.march
        loss = float(np.mean(np.square(march.misfits))) if march.misfits else np.nan
        return Record(
            total=len(march.weights),
            iteration=len(march.weights),
            optimizer=NAME,
            loss=loss,
            terms={"equations": loss},
            seconds=round(self.clock.seconds, 3),
            cpu_seconds=round(self.clock.cpu_seconds, 3),
        )

    def _show(self, record: Record) -> None:
        control = self.march.control
        share = (control.time - control.start) / (control.stop - control.start)
        left = record.seconds * (1 - share) / share if share > 0 else None
        self.bar.show(record, share, left)

    def solution(self) -> Solution:
        """What the windows so far amount to."""
        model, chain = self.march.model()
        found = Solution(self.evolution.problem, model, chain=chain, history=self.recorder.history)
        errors = found.errors_against(self.truth) if self.march.is_over and self.truth is not None else {}
        network, last = self.march.system.network, self._measure()
        found.result = Result(
            problem=self.evolution.problem.name,
            network=network.architecture.kind,
            widths=network.widths,
            parameters=count_parameters(model.network),
            seed=self.specification.seed,
            optimizer=NAME,
            iterations=self.march.iterations,
            seconds=round(self.clock.seconds, 2),
            cpu_seconds=round(self.clock.cpu_seconds, 2),
            stopped=self._stopped,
            loss=last.loss,
            errors=errors,
            run=None if self.folder is None else str(self.folder.path),
            versions=versions(),
        )
        return found
