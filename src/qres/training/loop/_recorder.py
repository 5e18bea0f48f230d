"""The recorder: history lines, progress, and callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qres.results import Record, Stopped
from qres.runs import RunFolder
from qres.runtime.clock import Clock
from qres.runtime.processes import broadcast
from qres.solution import Solution

from ._checkpointer import State
from ._view import Callback, RunView, call

_SECONDS = 1.0  # between records, at least
_SHARE = 0.02  # of the time may go into records, which find errors


class Recorder:
    """Keeps the history of a run.

    Args:
        measure: a record of the run as it is.
        solution: the solution as it is.
        show: is given the newest record, whether or not it is new.
        clock: of the run.
        folder: that gets every record, where there is one.
        callbacks: that get every record.
    """

    def __init__(
        self,
        measure: Callable[[], Record],
        solution: Callable[[], Solution],
        show: Callable[[Record], object],
        clock: Clock,
        folder: RunFolder | None,
        callbacks: Sequence[Callback],
    ) -> None:
        self._measure, self._solution, self._show = measure, solution, show
        self._clock, self._folder, self._callbacks = clock, folder, tuple(callbacks)
        self.history: list[Record] = []
        self.stopped: Stopped | None = None  # why a callback ends the run
        self._last = self._cost = 0.0
        self._is_compiled = (
            False  # the first record of a process compiles, and its duration is not representative
        )

    def record(self, stage: int, total: int, now: float, *, force: bool = False, again: bool = False) -> None:
        """Append a history line every second, less often in long runs; none for a run that was resumed at its end.

        Args:
            stage: at work.
            total: iterations so far.
            now: seconds so far, the same for all processes.
            force: a record in any case.
            again: also where the last record is of the same iteration, as the end may have another vector.
        """
        between = max(_SECONDS, 0.005 * now, self._cost / _SHARE)
        is_early = not force and now - self._last < between
        last = self.history[-1] if self.history else None
        is_there = last is not None and (last.stage, last.total) == (stage, total)
        if is_early or (is_there and not again):
            self._show_last()
            return
        self._last, begun = now, self._clock.seconds
        record = self._measure()
        if last is not None and is_there and record.loss == last.loss:
            return  # a run that had ended, with the vector that was best before
        if self._is_compiled:
            self._cost = broadcast(self._clock.seconds - begun)
        self._is_compiled = True
        self.history.append(record)
        if self._folder is not None:
            self._folder.record(record)
        self._show_last()
        self.stopped = self.stopped or call(self._callbacks, RunView(record, self._solution))

    def _show_last(self) -> None:
        if self.history:
            self._show(self.history[-1])

    def state(self) -> State:
        """How far the history goes; the records themselves are in the run folder."""
        return State({"total": self.history[-1].total if self.history else -1})

    def restore(self, state: State) -> None:
        """Go on from the history in the run folder, without what came after the checkpoint."""
        if self._folder is not None:
            self.history = self._folder.history(state.counters["total"])
            self._folder.rewrite_history(self.history)
