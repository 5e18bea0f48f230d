"""Early stopping on noisy data: on held-out measurements, or when the misfit is at the noise level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qres.data import Data
from qres.loss import kind_of
from qres.problems import Problem
from qres.results import Stop, Stopped
from qres.runtime.random import generator_for

_PATIENCE = 3  # updates without a better value on the held-out points
_STALLED = (
    0.05  # a share of the loss: a smaller fall between two updates, with data most of what is left, is noise
)
_DATA_SHARE = 0.7  # of the loss, from which on data are most of what is left
NOISE_LEVEL = Stopped(
    Stop.NOISE_LEVEL, "noise level: what is left are differences from the data, which no longer fall"
)
HOLDOUT_RISES = Stopped(
    Stop.HOLDOUT, "noise: the error on the held-out points no longer falls; the best state is kept"
)
# At the noise level, equations and conditions, which have no noise, get more weight, up to twice, where they are a
# visible part of the loss: a fit that violates the equation to follow the noise has nearly twice the standard errors.
# Where they are not, the fit is as good as it gets, and more weight would only make it slower.
SHARPENING, SHARPENINGS = 30.0, 2


def hold_out(problem: Problem, share: float, seed: int) -> tuple[Problem, tuple[Data, ...]]:
    """The problem with a share of its measurements taken out, and those."""
    if not share or not problem.data:
        return problem, ()
    generator = generator_for(seed, "holdout")
    parts = [data.split(share, generator) for data in problem.data]
    return problem.with_data([kept for kept, _ in parts]), tuple(held for _, held in parts)


@dataclass
class NoiseMonitor:
    """The history of the fit to noisy data, updated whenever points are resampled."""

    best: float = float("inf")  # error on the held-out points
    looks_since: int = 0
    loss: float = float("inf")
    stalled: bool = False  # whether the loss hardly fell since the look before

    def update(self, holdout_error: float | None, terms: Mapping[str, float]) -> tuple[bool, Stopped | None]:
        """Whether this is the best so far, and the reason to stop, if there is one."""
        is_best = holdout_error is not None and holdout_error < self.best
        if holdout_error is not None:
            self.best = min(self.best, holdout_error)
            self.looks_since = 0 if is_best else self.looks_since + 1
            if self.looks_since >= _PATIENCE:
                return False, HOLDOUT_RISES
        loss, before = float(sum(terms.values())), self.loss
        self.loss, self.stalled = loss, before - loss < _STALLED * loss
        alone = all(map(is_data, terms))  # no equation tells noise from what is not yet learnt
        if not alone and _from_data(terms) > _DATA_SHARE * loss and self.stalled:
            return is_best, NOISE_LEVEL
        return is_best, None


def noise_distorts_equations(terms: Mapping[str, float]) -> bool:
    """Whether the noise distorts equations and conditions: they exceed a hundredth of the loss."""
    return _from_data(terms) < 0.99 * sum(terms.values())


def _from_data(terms: Mapping[str, float]) -> float:
    return sum(value for name, value in terms.items() if is_data(name))


def is_data(name: str) -> bool:
    """Whether a term of the loss is about measurements."""
    return kind_of(name) == "data"
