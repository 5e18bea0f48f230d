"""Loss weights in the course of a run: as given, balanced, or increased against noise.

Balancing weights are found at the start and, as the network changes, at the first few resamplings; then they stay. A
guard ends that earlier: if the loss no longer falls from one resampling to the next, the last weights with which it did
come back for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from qres.inference import SHARPENING, is_data
from qres.loss import (
    Batch,
    DiscreteObjective,
    Objective,
    Points,
    balanced_weights,
    condition_groups,
    kind_of,
)
from qres.runs import Specification
from qres.runtime.random import fold_in, stream

from ._checkpointer import State

_BOUND = 10.0  # a weight changes by at most this factor at a time
_WORTH = 1.2  # smaller changes are not made: each one disturbs the optimizer's matrix
_MAX_UPDATES = 6  # resamplings after which weights stay
_STRIKES = 2  # periods without progress, one after the other, that end the balancing


class Balance(NamedTuple):
    """Factors of the soft conditions, and the state of the safeguard; all of it is in checkpoints."""

    factors: dict[str, float]  # by condition; 1 where there is none
    good: dict[str, float]  # those of the last period in which the loss fell
    begun: float | None = None  # the loss at the beginning of this period, with the factors of this period
    strikes: int = 0  # periods without progress, the last ones
    updates: int = 0  # of the weights, one a resampling
    frozen: bool = False


class Weighing:
    """Sets the weights of an objective.

    `sharpened` is how often equations and conditions got more weight because data are noisy, negative where
    measurements did because the misfit stalled above their noise; `loosened` how often they did in all.
    """

    def __init__(self, specification: Specification, objective: Objective | DiscreteObjective) -> None:
        self.objective = objective
        self.balance, self.sharpened, self.loosened = Balance({}, {}), 0, 0
        self._given = dict(objective.weights)
        named = set(specification.weights)
        groups = condition_groups(objective) if specification.balance else ()
        free = (tuple(n for n in group if not named & {n, kind_of(n)}) for group in groups)
        self._groups = tuple(
            group for group in free if group
        )  # without those that have a weight of their own
        self._key = stream(specification.seed, "balance")

    def begin(self, theta: Any, points: Points, batch: Batch) -> bool:
        """Set the initial weights; returns whether they differ from those given."""
        return self._take(self.first(theta, points, batch))

    def follow(self, theta: Any, points: Points, batch: Batch, draw: int) -> bool:
        """Set the weights of the next period; returns whether they differ from those before."""
        return self._take(self.next(self.balance, theta, points, batch, draw))

    def _take(self, new: Balance) -> bool:
        old, self.balance = self.balance, new
        if new.factors == old.factors:
            return False
        self.set(new.factors, self.sharpened)
        return True

    def restart(self) -> None:
        """Apply the sharpened weights; the safeguard restarts, as losses are no longer comparable."""
        self.balance = self.balance._replace(begun=None)
        self.set(self.balance.factors, self.sharpened)

    def first(self, theta: Any, points: Points, batch: Batch) -> Balance:
        """The balance that a run begins with."""
        return Balance(self._targets(theta, points, batch, 0) if self._groups else {}, {})

    def next(self, last: Balance, theta: Any, points: Points, batch: Batch, draw: int) -> Balance:
        """The balance for the next period, whose batch still has the weights of the last one.

        Args:
            last: the balance so far.
            theta: the parameters.
            points: the new ones.
            batch: the same, on the devices.
            draw: how often points were resampled; it seeds the random directions.
        """
        if not self._groups or last.frozen:
            return last
        terms = {n: float(v) for n, v in self.objective.engine.terms(theta, batch).items()}
        judged = guarded(last, sum(terms.values()))
        if judged.frozen:
            return judged
        factors = moved(judged.factors, self._targets(theta, points, batch, draw))
        begun = sum(v * factors.get(n, 1.0) / judged.factors.get(n, 1.0) for n, v in terms.items())
        updates = judged.updates + 1
        return judged._replace(factors=factors, begun=begun, updates=updates, frozen=updates >= _MAX_UPDATES)

    def _targets(self, theta: Any, points: Points, batch: Batch, draw: int) -> dict[str, float]:
        found = balanced_weights(self.objective, theta, points, batch, fold_in(self._key, draw))
        return {name: found[name] for group in self._groups for name in group}

    def set(self, balance: Mapping[str, float], sharpened: int) -> None:
        """Give each term its weight; what has no noise, equations and conditions, counts more when sharpened.

        Where `sharpened` is negative, measurements count more.
        """
        for name, given in self._given.items():
            sharp = SHARPENING ** max(0, -sharpened if is_data(name) else sharpened)
            self.objective.weights[name] = given * sharp * balance.get(name, 1.0)

    def state(self) -> State:
        """The balance, and what is sharpened."""
        counters = {"balance": self.balance, "sharpened": self.sharpened, "loosened": self.loosened}
        return State(counters)

    def restore(self, state: State) -> None:
        """Go on from a checkpoint."""
        self.balance = Balance(*state.counters["balance"])
        self.sharpened, self.loosened = state.counters["sharpened"], state.counters["loosened"]
        self.set(self.balance.factors, self.sharpened)


def guarded(last: Balance, loss: float) -> Balance:
    """The balance after a period, from the loss at new points with the factors of that period.

    After two periods in a row in which the loss did not fall, the last factors with which it did come back, and stay;
    without any, weights are equal.
    """
    if last.begun is None or loss < last.begun:
        return last._replace(good=last.factors, strikes=0)
    strikes = last.strikes + 1
    if strikes < _STRIKES:
        return last._replace(strikes=strikes)
    return last._replace(factors=last.good, strikes=strikes, frozen=True)


def moved(factors: Mapping[str, float], targets: Mapping[str, float]) -> dict[str, float]:
    """Factors halfway, in digits, to their targets, as far as that is bounded and worth a change."""
    found = dict(factors)
    for name, target in targets.items():
        change = min(max((target / factors[name]) ** 0.5, 1 / _BOUND), _BOUND)
        if not 1 / _WORTH <= change <= _WORTH:
            found[name] = factors[name] * change
    return found
