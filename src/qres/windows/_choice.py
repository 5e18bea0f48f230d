"""The features of windows, and the least-squares systems made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from qres.fields import Model
from qres.least_squares import Features, Trial, feature_network, fitting_reach, is_affine, search
from qres.networks import Network, Plain
from qres.posed.evaluator import Residuals

from ._evolution import Evolution
from ._newton import solve_window
from ._system import Span, WindowSystem
from ._waves import is_lattice, wave_network

FEATURES = {1: 32, 2: 800, 3: 1200, 4: 1500}  # by the number of coordinates
_ONE = Features("qres", "tanh", (3.0,))  # of ordinary equations
_MORE = 1.3  # as many as the solution has, of lattice waves to compare with
_TRIAL = 3  # the part of the features that trials have
_ENOUGH = 1e-8
_TIME = 3.0  # the reach along time that a short window needs


@dataclass(frozen=True)
class Kind:
    """What features windows have.

    Args:
        count: how many.
        random: of which kind they are drawn; None where they are plane waves of a lattice.
    """

    count: int
    random: Features | None

    def network(self, evolution: Evolution, seed: int, number: int = 0) -> Network:
        """The features, number 0, or independent ones to compare with."""
        if self.random is None:
            count = round(self.count * (_MORE if number else 1))
            return wave_network(evolution.problem, evolution.place, count, number)
        return feature_network(evolution.problem, self.random, self.count, seed + 1000003 * number)

    def system(self, evolution: Evolution, seed: int, number: int = 0) -> WindowSystem:
        """The system of all windows in these features."""
        network = self.network(evolution, seed, number)
        return WindowSystem(evolution, network, seed, "check" if number else "points")

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"count": self.count, "random": None if self.random is None else asdict(self.random)}

    @staticmethod
    def from_dict(state: Mapping[str, Any]) -> Kind:
        """The inverse of `to_dict`."""
        drawn = state["random"]
        if drawn is not None:
            drawn = Features(drawn["kind"], drawn["activation"], tuple(map(float, drawn["reach"])))
        return Kind(int(state["count"]), drawn)

    def __str__(self) -> str:
        return f"{self.count} features, {self.random or 'plane waves'}"


def choose_kind(evolution: Evolution, count: int | None, length: float, seed: int) -> Kind:
    """The features that suit a problem.

    Ordinary equations have smooth windows, whatever the equation. Of linear problems, the reaches of random sines are
    found on a first window; others become finer as they go on, and have all plane waves up to a wave number.

    Args:
        evolution: the problem.
        count: how many features; None: as many as the number of coordinates suggests.
        length: of a window to try them on.
        seed: of the run.
    """
    problem = evolution.problem
    count = count or FEATURES[len(problem.coordinates)]
    if len(problem.coordinates) == 1:
        return Kind(count, _ONE)
    if not is_affine(problem, Residuals.of(problem, conditions=evolution.lasting)):
        return Kind(count, None)
    few, span = max(60, count // _TRIAL), Span(problem.bounds[evolution.axis][0], length)

    def judge(features: Features) -> Trial:
        systems = [Kind(few, features).system(evolution, seed, number) for number in range(2)]
        nothing = Model(systems[0].network, {}, ())
        return Trial(features, few, nothing, held_out(systems[0], systems[1], span))

    d = len(problem.coordinates)
    reach = fitting_reach(few, d)
    starts = [
        Features("mlp", "sin", tuple(_TIME if place == evolution.place else r for place in range(d)))
        for r in (reach / 3, reach, 3 * reach)
    ]
    best = search(judge, starts, enough=_ENOUGH)
    found = starts[1] if best is None else best.features
    grown = (count / few) ** (1 / d)
    reaches = tuple(r if place == evolution.place else r * grown for place, r in enumerate(found.reach))
    return Kind(count, replace(found, reach=reaches))


def independent_kind(evolution: Evolution, network: Network) -> Kind:
    """Features to solve the windows of a network again in: of the same kind, and more of them."""
    hidden = network.layers[0]
    if len(evolution.problem.coordinates) == 1:
        return Kind(round(_MORE * network.architecture.width), _ONE)
    if isinstance(hidden, Plain) and not is_lattice(network):
        reach = np.max(np.abs(np.asarray(hidden.W)), axis=0)
        drawn = Features("mlp", network.architecture.activation, tuple(map(float, reach)))
        return Kind(round(_MORE * network.architecture.width), drawn)
    return Kind(network.architecture.width, None)


def held_out(system: WindowSystem, check: WindowSystem, span: Span) -> float:
    """What a first window leaves of the residuals at points that it was not solved at, relative to their terms."""
    state = system.handover.initial()
    rest = system.resting(state)
    found = solve_window(system, span, state, system.still(rest), rest)
    if found is None:
        return np.inf
    raw = check.outputs_of(system.network, found.weights, span)
    linear = check.linearised(raw, span)
    off = system.handover.at_start(found.weights, span.start, system.rate(span)) - state
    gap = float(np.max(np.abs(off)) / max(float(np.max(np.abs(state))), np.finfo(float).tiny))
    misfit = check.misfit(linear, check.sizes(raw, linear, state, span, 1e-3)) + gap
    return misfit if np.isfinite(misfit) else np.inf
