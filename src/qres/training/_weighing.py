"""What the terms of the loss weigh in the course of a run: as given, balanced, and sharpened against noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qres._random import fold_in, seed_key
from qres.objectives import Batch, DiscreteObjective, Objective, Points, balanced_weights, kind_of

from ._specification import Specification
from ._watch import SHARPENING, is_data

_APART = 2_000_003  # from the seeds of all else in a run


class Weighing:
    """Sets the weights of an objective."""

    def __init__(self, specification: Specification, objective: Objective | DiscreteObjective) -> None:
        self.objective = objective
        self._given = dict(objective.weights)
        self._named = set(specification.weights)
        self._balances = specification.balance
        self._key = seed_key(specification.seed + _APART)

    def balance(
        self, before: Mapping[str, float], theta: Any, points: Points, batch: Batch, draw: int
    ) -> dict[str, float]:
        """Factors for the soft conditions that have no weight of their own: halfway, in digits, from those before.

        Args:
            before: the factors so far.
            theta: where the terms are compared.
            points: on which.
            batch: the same, on the devices.
            draw: how often points were drawn anew, which the random directions are of.
        """
        if not self._balances:
            return {}
        found = balanced_weights(self.objective, theta, points, batch, fold_in(self._key, draw))
        return {
            name: (value * before.get(name, value)) ** 0.5
            for name, value in found.items()
            if not self._named & {name, kind_of(name)}
        }

    def set(self, balance: Mapping[str, float], sharpened: int) -> None:
        """Give each term its weight; what has no noise, equations and conditions, counts more when sharpened."""
        for name, given in self._given.items():
            sharp = 1.0 if is_data(name) else SHARPENING**sharpened
            self.objective.weights[name] = given * sharp * balance.get(name, 1.0)
