"""Work that may be given up: it has a limit of processor time, and Ctrl-C skips it."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


class GivenUp(Exception):
    """Work was given up; the message says why."""


def limited(work: Callable[[], T], seconds: float) -> T:
    """What the work returns, or `GivenUp`: after so much processor time of all threads, or at Ctrl-C or a polite kill.

    Processor time, as a machine that is busy with other things must not change what a run ends with. Outside the main
    thread, and where a system has no such timer, there is no limit.

    Args:
        work: in Python, so that it can be left between two of its steps.
        seconds: above 0.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    try:
        with _handled(signal.SIGINT, "skipped by Ctrl-C"), _handled(signal.SIGTERM, "skipped: asked to end"):
            return _timed(work, seconds)
    except KeyboardInterrupt:  # of a handler that somebody else has installed since
        raise GivenUp("skipped by Ctrl-C") from None


def _timed(work: Callable[[], T], seconds: float) -> T:
    if not hasattr(signal, "setitimer"):  # on Windows
        return work()
    with _handled(signal.SIGPROF, f"given up after {seconds:.0f} s of processor time"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            return work()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)


@contextlib.contextmanager
def _handled(number: int, why: str) -> Iterator[None]:
    """A signal becomes `GivenUp`; one that a shell asked to ignore stays ignored."""

    def give_up(number: int, frame: FrameType | None) -> None:
        raise GivenUp(why)

    before = signal.getsignal(number)
    if before is signal.SIG_IGN or before is None:
        yield
        return
    signal.signal(number, give_up)
    try:
        yield
    finally:
        signal.signal(number, before)
