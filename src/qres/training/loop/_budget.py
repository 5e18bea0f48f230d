"""The budget of a run: iterations, time and tolerance, and the number of iterations per compiled call."""

from __future__ import annotations

from collections.abc import Sequence

from qres.optimizers import Stage
from qres.results import Stop, Stopped
from qres.runs import Specification
from qres.runtime.clock import Clock

from ._checkpointer import State

_CALL_SECONDS = 0.4  # how long one compiled call should take: Ctrl-C and progress respond within that


class Budget:
    """What a run may spend, what it has spent, and how fast it is."""

    def __init__(self, specification: Specification, optimizers: Sequence[Stage], clock: Clock) -> None:
        self._limits = specification.limits(optimizers)
        self._names = [optimizer.name for optimizer in optimizers]
        self._time_limit, self._tolerance = specification.time_limit, specification.tolerance
        self._snapshots = specification.snapshots
        self.clock = clock
        self.total = 0  # iterations of all stages
        self._pace: dict[int, float] = {}  # seconds of an iteration, by stage
        self._warm = -1

    def limit(self, stage: int) -> int | None:
        """How many iterations a stage may make."""
        return self._limits[stage]

    def is_spent(self, stage: int, done: int) -> bool:
        """Whether a stage has made all its iterations."""
        limit = self._limits[stage]
        return limit is not None and done >= limit

    def is_met(self, loss: float) -> bool:
        """Whether a loss is below the tolerance."""
        return loss <= self._tolerance

    def is_over(self, seconds: float) -> bool:
        """Whether the time is over."""
        return self._time_limit is not None and seconds >= self._time_limit

    def count(self, stage: int, done: int, left: int | None) -> int:
        """How many iterations the next call makes: as many as respond soon, and end before the next event.

        Args:
            stage: at work.
            done: its iterations so far.
            left: those before points are resampled, None where they are not.
        """
        pace, limit = self._pace.get(stage), self._limits[stage]
        count = 1 if pace is None else max(1, int(_CALL_SECONDS / pace))
        if pace is not None and self._time_limit is not None:
            count = min(count, max(1, int((self._time_limit - self.clock.seconds) / pace)))
        if left is not None:
            count = min(count, max(1, left))
        coming = [iteration - self.total for iteration in self._snapshots if iteration > self.total]
        count = min(count, *coming[:1]) if coming else count
        return count if limit is None else min(count, max(1, limit - done))

    def spend(self, stage: int, made: int, seconds: float) -> None:
        """Record a call; the first one of a stage compiles, and is not representative."""
        self.total += made
        if self._warm == stage and made:
            self._pace[stage] = seconds / made
        self._warm = stage

    def is_snapshot(self) -> bool:
        """Whether the solution is to be kept as it is now."""
        return self.total in self._snapshots

    def forecast(self, stage: int, done: int) -> tuple[float | None, float | None]:
        """The done share of the budget, and the seconds that are left of it."""
        limit, pace = self._limits[stage], self._pace.get(stage)
        remaining = None if limit is None or pace is None else (limit - done) * pace
        share = None if limit is None else done / limit
        if self._time_limit is not None:
            left = self._time_limit - self.clock.seconds
            if remaining is None or left < remaining:
                return self.clock.seconds / self._time_limit, left
        return share, remaining

    def out_of_time(self) -> Stopped:
        """Why the run stops when the time is over."""
        return Stopped(Stop.TIME_LIMIT, f"time limit: {self._time_limit:g} seconds are over")

    def within_tolerance(self) -> Stopped:
        """Why it stops when the loss is small enough."""
        message = f"converged: the loss is below the tolerance of {self._tolerance:g}"
        return Stopped(Stop.TOLERANCE, message)

    def out_of_iterations(self, stage: int) -> Stopped:
        """Why it stops when the last stage has made all its iterations."""
        done = f"all {self._limits[stage]} iterations of {self._names[stage]} are done"
        return Stopped(Stop.BUDGET, f"budget: {done}; --iterations allows more")

    def state(self) -> State:
        """What was spent."""
        return State(
            {
                "total": self.total,
                "seconds": self.clock.seconds,
                "cpu_seconds": self.clock.cpu_seconds,
            }
        )

    def restore(self, state: State) -> None:
        """Go on from a checkpoint."""
        self.total = state.counters["total"]
        self.clock.set(state.counters["seconds"], state.counters["cpu_seconds"])
