"""Residuals of trial functions, waves of given amplitudes: the sizes of the terms of equations and conditions.

In NumPy, as each operation of JAX would be a program to compile.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from qres.formulas import names_in
from qres.geometry import points_in
from qres.jets import Jet, Recording, sin
from qres.posed import Bounds, Condition, recordings
from qres.posed.evaluator import Residual, Residuals
from qres.problems import Problem
from qres.runtime.errors import InputError
from qres.runtime.random import seed_key

Amplitudes = Mapping[str, tuple[float, float]]  # offset and scale of each field
Values = Float[np.ndarray, " n"]
# Sizes from here to ten times that are left as they are; no round number, which may well be given.
LEAST = 0.23
_SAMPLES = 256
_SHIFT = 1e-3  # of a coordinate's interval, for slopes by differences


@dataclass(frozen=True)
class Waves:
    """Fields that are waves of given sizes over a box, no two in phase.

    Args:
        bounds: of the box.
        amplitudes: offset and scale of each field.
        turns: the wave numbers along the coordinates; by default half a wave over each.
    """

    bounds: Bounds
    amplitudes: Amplitudes
    turns: Sequence[float] | None = None

    def __call__(self, coordinates: Mapping[str, Jet]) -> dict[str, Jet]:
        """The fields at coordinates."""
        waves = self.turns or [math.pi / (high - low) for low, high in self.bounds.values()]
        # Phases count from the lower corner, so that they do not depend on where the origin is.
        phases = [
            (coordinates[name] - low) * wave
            for (name, (low, _)), wave in zip(self.bounds.items(), waves, strict=True)
        ]
        return {
            name: math.sqrt(2) * scale * sin(sum(phases[1:], phases[0]) + (place + 1.0)) + offset
            if scale
            else phases[0] * 0.0 + offset
            for place, (name, (offset, scale)) in enumerate(self.amplitudes.items())
        }


class TrialResidual:
    """One residual, and its terms, for half a wave over each coordinate.

    The waves stand for the fields themselves, whatever a hard transform makes these of.
    """

    def __init__(self, problem: Problem, residual: Residual) -> None:
        self.problem, self.name = problem, residual.name
        self.is_equation = residual.kind == "equation"
        self._place = residual.place
        self._whole, self._terms = Residuals(problem, [residual]), Residuals(problem, residual.terms)
        free = (True,) * len(problem.coordinates)
        self._points = points_in(problem.lower, problem.upper, free, "lhs", _SAMPLES, seed_key(0))
        self._start = {name: np.asarray(value) for name, value in problem.start.items()}

    @cached_property
    def orders(self) -> dict[str, int]:
        """The order of the highest derivative of each field that the residual depends on."""
        try:
            (found,) = self._whole.everywhere(*recordings(self.problem))
        except InputError:  # a Python function calls one of JAX's, which takes numbers only
            return dict.fromkeys(self.problem.fields, 0)
        groups = found.terms.values() if isinstance(found, Recording) else ()
        orders: dict[str, int] = {}
        for name, index in (key for group in groups for key in group):
            if name in self.problem.fields:
                orders[name] = max(orders.get(name, 0), sum(index))
        for name in (used for one in self._whole.integrals for used in names_in(one)):
            if name in self.problem.fields:
                orders.setdefault(name, 0)
        return orders

    def total(self, amplitudes: Amplitudes, shifted: int | None = None) -> Values:
        """The residual; at points that are moved a little along one coordinate, where that is given."""
        points = self._points
        if shifted is not None:
            spans = [high - low for low, high in self.problem.bounds.values()]
            points = points + _SHIFT * spans[shifted] * (np.arange(len(spans)) == shifted)[:, None]
        return self._at(self._whole, amplitudes, None, points, {})[0]

    def terms(
        self,
        amplitudes: Amplitudes,
        turns: Sequence[float] | None = None,
        unknowns: Mapping[str, float] | None = None,
    ) -> list[Values]:
        """What is added up in the residual, each by itself.

        Args:
            amplitudes: offset and scale of each field.
            turns: the wave numbers along the coordinates.
            unknowns: those that are not at their start.
        """
        return self._at(self._terms, amplitudes, turns, self._points, unknowns or {})

    def slopes(self, amplitudes: Amplitudes) -> list[Values]:
        """How the residual changes along each coordinate, by differences; 0 along one that is fixed."""
        here = self.total(amplitudes)
        return [
            (self.total(amplitudes, place) - here) / (_SHIFT * (high - low))
            if name in self._place.free
            else np.zeros_like(here)
            for place, (name, (low, high)) in enumerate(self.problem.bounds.items())
        ]

    def _at(
        self,
        residuals: Residuals,
        amplitudes: Amplitudes,
        turns: Sequence[float] | None,
        points: Float[np.ndarray, "d n"],
        moved: Mapping[str, float],
    ) -> list[Values]:
        unknowns = self._start | {name: np.full(np.shape(self._start[name]), v) for name, v in moved.items()}
        waves = Waves(self.problem.bounds, amplitudes, turns)
        with np.errstate(all="ignore"):
            found = residuals.at(waves, [points], unknowns, truncation=self._whole.truncation)
        return [np.asarray(value, dtype=float)[0] for value in found.values()]


def trial_residuals(problem: Problem, conditions: Sequence[Condition]) -> tuple[TrialResidual, ...]:
    """Those of the equations and of some of the conditions."""
    residuals = Residuals.of(problem, conditions=conditions).residuals
    return tuple(TrialResidual(problem, residual) for residual in residuals)


def size_of(values: Values) -> float:
    """The median of what is finite, or its root mean square where that is 0.

    The mean square of `u/r^2` is that of the point which is nearest to 0; the median of a short pulse is 0.
    """
    sound = np.abs(values[np.isfinite(values)])
    if not sound.size:
        return 0.0
    return float(np.median(sound)) or float(np.sqrt(np.mean(sound**2)))


def power_of_ten(size: float, least: float | None = None) -> float:
    """The one that a size is `least` to ten times `least` of; 1 of what has no size."""
    lower = LEAST if least is None else least
    return 10.0 ** math.floor(math.log10(size / lower)) if 0 < size < math.inf else 1.0
