"""The clock of a run over all its parts, and interruption by the user."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Clock:
    """Wall and processor seconds, which go on from where a checkpoint left them."""

    def __init__(self) -> None:
        self.set(0.0, 0.0)

    def set(self, seconds: float, cpu_seconds: float) -> None:
        """Go on from here."""
        self._wall, self._cpu = time.perf_counter() - seconds, time.process_time() - cpu_seconds

    @property
    def seconds(self) -> float:
        """Wall time."""
        return time.perf_counter() - self._wall

    @property
    def cpu_seconds(self) -> float:
        """Time of all cores."""
        return time.process_time() - self._cpu

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """What is done meanwhile takes no time."""
        seconds, cpu_seconds = self.seconds, self.cpu_seconds
        try:
            yield
        finally:
            self.set(seconds, cpu_seconds)


class Interruption:
    """Ctrl-C (and a polite kill) as a wish: the run ends by itself, with all it has. A second one ends it at once."""

    def __init__(self) -> None:
        self.wished = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._request_stop)
        return self

    def __exit__(self, *reason: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # pyright: ignore[reportArgumentType]

    def _request_stop(self, number: int, frame: FrameType | None) -> None:
        if self.wished:
            raise KeyboardInterrupt
        self.wished = True
