"""The state that a window hands over to the next: fields and time derivatives at points of space."""

from __future__ import annotations

from math import factorial

import numpy as np
from jaxtyping import Float

from qres.formulas import read_formula
from qres.least_squares import Lineariser, draw_points, outputs_at
from qres.networks import Network
from qres.posed.evaluator import Place, Residual, Residuals

from ._evolution import Evolution
from ._tables import Table

Weights = Float[np.ndarray, "fields columns"]
States = Float[np.ndarray, "state n"]


def state_residuals(evolution: Evolution, time: float | None = None) -> Residuals:
    """The entries of the state as residuals, anywhere or at one time of the problem."""
    problem, place = evolution.problem, evolution.place
    location = tuple(time if number == place else None for number in range(len(problem.coordinates)))
    where = Place(problem.coordinates, (location,))
    found = []
    for name, order in evolution.state:
        written = name + ("_" + evolution.axis * order if order else "")
        formula = read_formula(written, problem.scope, "the state")
        found.append(Residual(f"initial_{written}", "initial", where, formula))
    return Residuals(problem, found)


class Handover:
    """The state at points of space, of windows whose networks share their features.

    Args:
        evolution: the problem.
        network: of one hidden layer.
        seed: of the points.
    """

    def __init__(self, evolution: Evolution, network: Network, seed: int) -> None:
        self.evolution = evolution
        problem = evolution.problem
        residuals = state_residuals(evolution)
        self._lineariser = Lineariser(problem, residuals)
        low, high = problem.bounds[evolution.axis]
        width = network.architecture.width
        if len(problem.coordinates) == 1:
            self.points: Float[np.ndarray, "d n"] = np.array([[low]])
        else:
            (self.points,) = draw_points(problem, state_residuals(evolution, low), width, seed, "state")
        last = self.points.copy()
        last[evolution.place] = high
        truncation = self._lineariser.truncation
        self._start, self._end = (Table(network, truncation, points) for points in (self.points, last))
        self._orders = np.array([index[evolution.place] for index in truncation.indices])

    def initial(self) -> States:
        """What the conditions say of the state at the first time."""
        return self.evolution.initial_state(self.points)

    def at_end(self, weights: Weights, time: float, rate: float) -> States:
        """The state at the end of a window."""
        return self._linearised(self._end, weights, time, rate)[0]

    def at_end_of(self, network: Network, weights: Weights, time: float, rate: float) -> States:
        """The state at the end of a window of other features, at these points."""
        raw = outputs_at(network, weights[:, :-1], self._lineariser.truncation, self._end.points)
        raw[:, 0] += weights[:, -1:]
        return self._about(raw * (rate**self._orders)[:, None], time)[0]

    def at_start(self, weights: Weights, time: float, rate: float) -> States:
        """The state at the beginning of a window."""
        return self._linearised(self._start, weights, time, rate)[0]

    def rows(
        self, weights: Weights, time: float, rate: float, *, end: bool = False
    ) -> tuple[States, Float[np.ndarray, "state fields columns n"]]:
        """The state at the beginning of a window, or its end, and what each weight adds to it."""
        table = self._end if end else self._start
        value, slopes = self._linearised(table, weights, time, rate)
        return value, np.stack([table.columns(one, rate**self._orders) for one in slopes])

    def _linearised(
        self, table: Table, weights: Weights, time: float, rate: float
    ) -> tuple[States, Float[np.ndarray, "state fields indices n"]]:
        return self._about(table.outputs(weights, rate**self._orders), time)

    def _about(
        self, raw: Float[np.ndarray, "fields indices n"], time: float
    ) -> tuple[States, Float[np.ndarray, "state fields indices n"]]:
        problem, indices = self.evolution.problem, self._lineariser.truncation.indices
        if not problem.transform:
            place = self.evolution.place
            slopes = np.zeros((len(self.evolution.state), *raw.shape))
            for row, (name, order) in enumerate(self.evolution.state):
                index = tuple(order * (number == place) for number in range(len(problem.coordinates)))
                slopes[row, problem.fields.index(name), indices.index(index)] = factorial(order)
            return np.einsum("sfkn,fkn->sn", slopes, raw), slopes
        points = self.points.copy()
        points[self.evolution.place] = time
        found = self._lineariser.at(0, points, raw[None], {})
        return np.stack([one.value for one in found]), np.stack([one.slopes[0] for one in found])
