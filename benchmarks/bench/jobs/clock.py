"""Errors and the seconds at which they were reached, counted from the start of the process; looking is not counted."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np


def process_age() -> float:
    """Seconds since this process was started, with imports and all."""
    ticks = int(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
    uptime = float(Path("/proc/uptime").read_text().split()[0])
    return uptime - ticks / os.sysconf("SC_CLK_TCK")


class Watch:
    """A history of `[seconds, iteration, error]`; the time that `look` takes does not count."""

    def __init__(self, every: float = 1.0) -> None:
        self.history: list[list[float]] = []
        self._age, self._begun, self._every = process_age(), time.perf_counter(), every
        self._lost = 0.0

    @property
    def seconds(self) -> float:
        """Of work since the process began."""
        return self._age + time.perf_counter() - self._begun - self._lost

    def due(self) -> bool:
        """Whether it is time to look again; more rarely in long runs."""
        last = self.history[-1][0] if self.history else -1e9
        return self.seconds - last >= max(self._every, 0.01 * self.seconds)

    def look(self, iteration: int, predict: Any) -> None:
        """Note the error of a function of `(n, 2)` points (t, x)."""
        at, begun = self.seconds, time.perf_counter()
        self.history.append([round(at, 3), iteration, error(predict)])
        self._lost += time.perf_counter() - begun


def error(predict: Any) -> float:
    """The relative L2 error against Cole–Hopf on the paper's grid, 100 times up to 0.99 and 256 points."""
    t, x, right = _truth()
    grid = np.stack(np.meshgrid(t, x, indexing="ij"), -1).reshape(-1, 2)
    found = np.asarray(predict(grid), dtype=float).reshape(right.shape)
    return float(np.linalg.norm(found - right) / np.linalg.norm(right))


_KEPT: list[Any] = []


def _truth() -> Any:
    if not _KEPT:
        from qres import reference

        solved = reference.solve("burgers")
        _KEPT.append((solved["t"].values, solved["x"].values, solved["u"].transpose("t", "x").values))
    return _KEPT[0]
