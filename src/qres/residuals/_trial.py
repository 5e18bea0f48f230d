"""Residuals of trial functions, waves of given sizes: what the terms of equations and conditions amount to.

In NumPy, as each operation of JAX would be a program to compile.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.fields import condition_values
from qres.formulas import Equation, Formula
from qres.geometry import placed, points_in
from qres.jets import Jet, Recording, Truncation, needed, sin
from qres.posed import Condition, recordings
from qres.problems import Problem
from qres.runtime.errors import InputError
from qres.runtime.random import seed_key

Amplitudes = Mapping[str, tuple[float, float]]  # offset and scale of each field
Values = Float[np.ndarray, " n"]
# Sizes from here to ten times that are left as they are; no round number, which may well be given.
LEAST = 0.23
_SAMPLES = 256
_SHIFT = 1e-3  # of a coordinate's interval, for slopes by differences


class TrialResidual:
    """One equation or condition, and its terms, for half a wave over each coordinate, no two fields in phase.

    The waves stand for the fields themselves, whatever a hard transform makes these of.
    """

    def __init__(self, problem: Problem, stated: Equation | Condition) -> None:
        self.problem, self.stated, self.name = problem, stated, stated.name
        everywhere = (None,) * len(problem.coordinates)
        self.locations = stated.locations if isinstance(stated, Condition) else (everywhere,)
        free = (True,) * len(problem.coordinates)
        self._points = points_in(problem.lower, problem.upper, free, "lhs", _SAMPLES, seed_key(0))
        self._unknowns = {name: np.asarray(value) for name, value in problem.start.items()}

    @cached_property
    def _truncation(self) -> Truncation:
        problem = self.problem

        def run(raw: Mapping[str, Recording]) -> Any:
            coordinates = {name: Recording.field(problem.coordinates) for name in problem.coordinates}
            fields = problem.defined(raw, coordinates, problem.start)
            names = {**problem.constants, **problem.start, **coordinates, **fields}
            return self._value(self.stated.formula, [names])

        return needed(run, problem.fields, problem.coordinates)

    @cached_property
    def orders(self) -> dict[str, int]:
        """The order of the highest derivative of each field that the residual depends on."""
        raw, coordinates, unknowns = recordings(self.problem)
        try:
            fields = self.problem.defined(raw, coordinates, unknowns)
            names = {**self.problem.constants, **unknowns, **coordinates, **fields}
            found = self._value(self.stated.formula, [names])
        except InputError:  # a Python function calls one of JAX's, which takes numbers only
            return dict.fromkeys(self.problem.fields, 0)
        groups = found.terms.values() if isinstance(found, Recording) else ()
        orders: dict[str, int] = {}
        for name, index in (key for group in groups for key in group):
            if name in self.problem.fields:
                orders[name] = max(orders.get(name, 0), sum(index))
        return orders

    def with_unknown(self, name: str, value: float) -> TrialResidual:
        """The same with another value of an unknown."""
        other = TrialResidual(self.problem, self.stated)
        other._unknowns[name] = np.full(np.shape(self._unknowns[name]), value)
        return other

    def total(self, amplitudes: Amplitudes, shifted: int | None = None) -> Values:
        """The residual; at points that are moved a little along one coordinate, where that is given."""
        names_at = self._names(amplitudes, None, shifted)
        return self._numbers(self._value(self.stated.formula, names_at))

    def terms(self, amplitudes: Amplitudes, turns: Sequence[float] | None = None) -> list[Values]:
        """What is added up in the residual, each by itself; `turns` are the wave numbers along the coordinates."""
        names_at = self._names(amplitudes, turns, None)
        return [self._numbers(self._value(term, names_at)) for term in self.stated.formula.terms]

    def slopes(self, amplitudes: Amplitudes) -> list[Values]:
        """How the residual changes along each coordinate, by differences; 0 along one that is fixed."""
        here = self.total(amplitudes)
        return [
            (self.total(amplitudes, place) - here) / (_SHIFT * (high - low))
            if self.locations[0][place] is None
            else np.zeros_like(here)
            for place, (low, high) in enumerate(self.problem.bounds.values())
        ]

    def _value(self, formula: Formula, names_at: Sequence[Mapping[str, Any]]) -> Any:
        if isinstance(self.stated, Equation):
            return formula(names_at[0])
        everywhere = names_at if len(names_at) == len(self.locations) else [*names_at] * len(self.locations)
        return condition_values(self.problem, [replace(self.stated, formula=formula)], everywhere)[0]

    def _names(
        self, amplitudes: Amplitudes, turns: Sequence[float] | None, shifted: int | None
    ) -> list[dict[str, Any]]:
        with np.errstate(all="ignore"):
            return [self._at(location, amplitudes, turns, shifted) for location in self.locations]

    def _at(
        self,
        location: Sequence[float | None],
        amplitudes: Amplitudes,
        turns: Sequence[float] | None,
        shifted: int | None,
    ) -> dict[str, Any]:
        problem, points = self.problem, self._points
        spans = [high - low for low, high in problem.bounds.values()]
        if shifted is not None:
            points = points + _SHIFT * spans[shifted] * (np.arange(len(spans)) == shifted)[:, None]
        points = placed(points, location)
        coordinates = {
            name: Jet.coordinate(self._truncation, name, points[i : i + 1])
            for i, name in enumerate(problem.coordinates)
        }
        waves = turns or [math.pi / span for span in spans]
        # Phases count from the lower corner, so that they do not depend on where the origin is.
        phases = [
            (coordinates[name] - low) * wave
            for (name, (low, _)), wave in zip(problem.bounds.items(), waves, strict=True)
        ]
        raw = {
            name: math.sqrt(2) * scale * sin(sum(phases[1:], phases[0]) + (place + 1.0)) + offset
            if scale
            else phases[0] * 0.0 + offset
            for place, (name, (offset, scale)) in enumerate(amplitudes.items())
        }
        fields = problem.defined(raw, coordinates, self._unknowns)
        return {**problem.constants, **self._unknowns, **coordinates, **fields}

    def _numbers(self, result: Any) -> Values:
        value = np.asarray(result.value if isinstance(result, Jet) else result, dtype=float)
        return np.broadcast_to(np.ravel(value), (_SAMPLES,))


def trial_residuals(problem: Problem, conditions: Sequence[Condition]) -> tuple[TrialResidual, ...]:
    """Those of the equations and of some of the conditions."""
    return tuple(TrialResidual(problem, stated) for stated in (*problem.equations, *conditions))


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
