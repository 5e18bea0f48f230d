"""Stop reasons: a member of an enumeration, with a message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Stop(StrEnum):
    """Why a run stopped."""

    INTERRUPTED = "interrupted"  # by the user
    TIME_LIMIT = "time_limit"
    BUDGET = "budget"  # all iterations are done
    TOLERANCE = "tolerance"  # the loss is below it
    CONVERGED = "converged"  # the loss no longer changes, and the residuals are small
    STALLED = "stalled"  # the loss no longer changes, and a residual is large, or the answer does not hold
    NO_DESCENT = "no_descent"
    NOT_FINITE = "not_finite"
    NOISE_LEVEL = "noise_level"  # what is left are differences from the data, no larger than their noise
    ABOVE_NOISE = "above_noise"  # the misfit no longer falls, and is larger than the noise
    HOLDOUT = "holdout"  # the error on the held-out measurements no longer falls
    CALLBACK = "callback"
    NOT_TRAINED = "not_trained"  # there was no run
    SNAPSHOT = "snapshot"  # the run went on: this is how it was on the way

    @property
    def is_converged(self) -> bool:
        """Whether the optimizer found a minimum, as far as it can be determined."""
        return self in (Stop.TOLERANCE, Stop.CONVERGED)


# Files of version 0.1 hold a sentence; what stands before its colon.
_FORMER = {
    "interrupted": Stop.INTERRUPTED,
    "time limit": Stop.TIME_LIMIT,
    "budget": Stop.BUDGET,
    "converged": Stop.CONVERGED,
    "stalled": Stop.STALLED,
    "stalled above the noise of the data": Stop.ABOVE_NOISE,
    "no descent": Stop.NO_DESCENT,
    "not finite": Stop.NOT_FINITE,
    "noise level": Stop.NOISE_LEVEL,
    "noise": Stop.HOLDOUT,
    "stopped by a callback": Stop.CALLBACK,
    "snapshot": Stop.SNAPSHOT,
}


@dataclass(frozen=True)
class Stopped:
    """Why a run stopped, to decide by and to read."""

    reason: Stop
    message: str

    def __str__(self) -> str:
        return self.message

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return {"reason": self.reason.value, "message": self.message}

    @staticmethod
    def from_dict(stored: Mapping[str, Any] | str) -> Stopped:
        """What `to_dict` wrote, or the sentence of an earlier release."""
        if isinstance(stored, str):
            return Stopped(_FORMER[stored.partition(":")[0]], stored)
        return Stopped(Stop(stored["reason"]), str(stored["message"]))


NOT_TRAINED = Stopped(Stop.NOT_TRAINED, "not trained: no run made this solution")
