"""The view of a run that callbacks receive: the latest record and, on request, the current solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from qres.results import Record, Stop, Stopped
from qres.runtime.errors import InputError, shorten
from qres.runtime.processes import broadcast
from qres.solution import Solution

_SAID = "stopped by a callback"


class RunView:
    """A read-only view of a run, for callbacks."""

    def __init__(self, record: Record, solution: Callable[[], Solution]) -> None:
        self._record = record
        self._build: Callable[[], Solution] | None = solution
        self._solution: Solution | None = None
        self._message: str | None = None

    @property
    def record(self) -> Record:
        """The newest line of the history."""
        return self._record

    @property
    def iteration(self) -> int:
        """How many iterations the run has made, over all stages."""
        return self._record.total

    @property
    def solution(self) -> Solution:
        """The solution as it is now; it is built when first asked for, which must be within the callback."""
        if self._solution is None and self._build is None:
            raise InputError("run.solution is that of the moment of the callback: ask for it there")
        if self._solution is None and self._build is not None:
            self._solution = self._build()
        assert self._solution is not None
        return self._solution

    def stop(self, message: str = "") -> Stop:
        """End the run after this record, with a message that says why."""
        self._message = message
        return Stop.CALLBACK

    def ask(self, callback: Callback) -> Stopped | None:
        """Call a callback; the stop that it asks for, if it does."""
        answer = callback(self)
        if answer is not None and not isinstance(answer, Stop):
            raise InputError(
                f"a callback returns None, or a qres.Stop to end the run, such as run.stop('why'); "
                f"not {shorten(repr(answer))}"
            )
        if answer is None and self._message is None:
            return None
        why = self._message or ("" if answer in (None, Stop.CALLBACK) else str(answer))
        return Stopped(answer or Stop.CALLBACK, f"{_SAID}: {why}" if why else _SAID)

    def close(self) -> None:
        """Invalidate the view: the run continues, and the solution of this moment is no longer available."""
        self._build = None

    def __repr__(self) -> str:
        return f"RunView({self._record})"


class Callback(Protocol):
    """A function that is called with every record; it ends the run by returning a `Stop`, or by `run.stop(…)`."""

    def __call__(self, run: RunView, /) -> Stop | None: ...


def call(callbacks: Sequence[Callback], view: RunView) -> Stopped | None:
    """Why callbacks end the run, if one does; of several processes, the first one decides."""
    if not callbacks:
        return None
    found = [stopped for callback in callbacks if (stopped := view.ask(callback)) is not None]
    view.close()
    if not broadcast(bool(found)):
        return None
    return found[0] if found else Stopped(Stop.CALLBACK, _SAID)
