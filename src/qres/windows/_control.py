"""The lengths of windows: given, or chosen by the local error, as an integrator of ordinary equations does."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

_EASY, _VERY_EASY = 3e-2, 1e-3  # of the tolerance: the next window is twice, or four times, as long
_FAR = 1e3  # of the tolerance: a quarter is tried rather than a half
_SHORTEST = 1e-15  # of the interval
_FIRST = 0.1  # of the interval, where lengths are chosen
_HELPED = 0.6  # of the error before a window was cut: what is left where its length matters
_ABOUT = 2.0  # of an error that no length makes smaller: what is as good
_ROUNDING = 100.0  # of the tolerance: an error from which on it is not rounding
_COARSE = 0.03  # an error of the features in space that is none any more
_PATIENCE, _MOST_PATIENCE = 2, 32
_FADING = 0.8  # of that error, from window to window, so that lengths are looked at again


@dataclass(frozen=True)
class Control:
    """Where a run of windows stands, and how long the next window is to be.

    Args:
        start: the beginning of the whole interval.
        stop: its end.
        count: how many windows were asked for; None where the error chooses.
        tolerance: of the local error.
        time: how far the run has come.
        length: of the next window.
        rejected: how many windows were tried and cut.
        before: the errors of the last two windows that were cut, since one was good.
        most: the error that a floor may have at the most.
        kept: how many windows in a row had this length; a longer one is tried when there were `patience` of them.
        patience: grows where longer ones failed: near rounding the error does not say whether they would.
        floor: an error that shorter windows did not make smaller: that of the features in space, or of rounding.
    """

    start: float
    stop: float
    count: int | None
    tolerance: float
    time: float
    length: float
    rejected: int = 0
    before: tuple[float, float] = (math.inf, math.inf)
    most: float = 1e-5
    kept: int = 0
    patience: int = 2
    floor: float = 0.0

    @staticmethod
    def begin(start: float, stop: float, count: int | None, tolerance: float, *, in_space: bool) -> Control:
        """The first window to try; with space, features may leave an error that no length makes smaller."""
        whole, most = stop - start, max(_ROUNDING * tolerance, _COARSE if in_space else 0.0)
        length = whole / count if count else _FIRST * whole
        return Control(start, stop, count, tolerance, start, length, most=most)

    @property
    def is_over(self) -> bool:
        """Whether the end is reached."""
        return self.time >= self.stop

    @property
    def is_stuck(self) -> bool:
        """Whether windows have become too short to go on."""
        return self.length < max(_SHORTEST * (self.stop - self.start), 4e-16 * abs(self.time))

    @property
    def end(self) -> float:
        """The end of the next window: the interval's, where that is near."""
        planned = self.time + self.length
        return self.stop if planned > self.stop - 1e-3 * self.length else planned

    def judged(self, error: float) -> Control:
        """Go on behind a window with this local error, or try a shorter one; infinite where none was found."""
        if self.count is not None:
            return self._accepted(error) if math.isfinite(error) else self._cut(error)
        if error <= max(self.tolerance, _ABOUT * self.floor):
            return self._accepted(error)
        if error < self.most and error > _HELPED * max(self.before):
            return replace(self, floor=error)._accepted(error)
        return self._cut(error)

    def _accepted(self, error: float) -> Control:
        length, most = self.length, math.inf if self.count is None else (self.stop - self.start) / self.count
        is_due, kept = self.kept + 1 >= self.patience, self.kept + 1
        if self.count is not None or is_due or error < max(_EASY * self.tolerance, _ABOUT * self.floor):
            length, kept = 2 * length, 0
        if self.count is None and error < _VERY_EASY * self.tolerance:
            length *= 2
        return replace(
            self,
            time=self.end,
            length=min(length, most),
            before=(math.inf, math.inf),
            floor=_FADING * self.floor,
            kept=kept,
            patience=_PATIENCE if is_due else self.patience,
        )

    def _cut(self, error: float) -> Control:
        is_far = error > _FAR * max(self.tolerance, self.floor)
        return replace(
            self,
            length=(self.end - self.time) * (0.25 if is_far else 0.5),
            rejected=self.rejected + 1,
            before=(self.before[1], error),
            kept=0,
            patience=min(_MOST_PATIENCE, 2 * self.patience),
        )
