"""Scales of the fields, so that data of size 1e6 train as well as those of size one.

A field comes out of the network scaled, and shifted where it varies little about a value. A scale is a power of ten: a
problem that is of size one is left exactly as it is, and one in other units, powers of ten apart, trains as it does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from qres.ansatz import ChebyshevSeries
from qres.fields import recorded_fields
from qres.formulas import Background, walk
from qres.jets import Jet, Truncation
from qres.posed import Condition
from qres.posed.evaluator import Outputs, Residuals, Transformed, condition_residual, recorded_coordinates
from qres.problems import Problem

from ._forcing import forced_scales
from ._trial import power_of_ten

_SAMPLES = 256


def field_scales(problem: Problem) -> dict[str, tuple[float, float]]:
    """Offset and scale of each network output: from measurements, given values, sources, and fields coupled to it."""
    known, fixed = {}, []
    for name in problem.fields:
        values = _known_values(problem, name)
        pair = scale_of(values, name in problem.transform)
        if pair is not None:
            known[name] = pair
            if any(name in data.columns for data in problem.data):
                fixed.append(name)
    if len(fixed) < len(problem.fields):
        known = forced_scales(problem, known, fixed)
    gains = _transform_gains(problem) if problem.stated.get("transform") else {}
    return {
        name: (offset, power_of_ten(scale / gains.get(name, 1.0) * correction_share(problem, name)))
        for name, (offset, scale) in known.items()
    }


def correction_share(problem: Problem, field: str) -> float:
    """The share of a field that the network is to give: the error of a series that the ansatz has, else all of it."""
    parts = walk(problem.transform[field].residual) if field in problem.transform else ()
    errors = [
        part.function.error
        for part in parts
        if isinstance(part, Background) and isinstance(part.function, ChebyshevSeries)
    ]
    return min([1.0, *errors])


def scale_of(values: np.ndarray, is_hard: bool) -> tuple[float, float] | None:
    """Offset and scale of an output with these values; None where they say nothing."""
    size = float(np.sqrt(np.mean(values**2))) if len(values) else 0.0
    if not 0 < size < math.inf:
        return None
    offset, std = float(np.mean(values)), float(np.std(values))
    if is_hard or abs(offset) <= 3 * std or std <= 1e-9 * abs(offset):
        return 0.0, size
    return offset, max(std, 1e-3 * abs(offset))


def _known_values(problem: Problem, field: str) -> np.ndarray:
    """Measured values of a field, and those that conditions give it."""
    found = [data.columns[field] for data in problem.data if field in data.columns]
    if found:
        return np.concatenate(found)
    generator = np.random.default_rng(0)
    for condition in problem.conditions:
        if condition.gives_value_of == field:
            found.append(_given(problem, condition, generator))
    return np.concatenate(found) if found else np.zeros(0)


def _given(problem: Problem, condition: Condition, generator: np.random.Generator) -> np.ndarray:
    """The values that `u(…) = g` gives: minus the residual where u is zero."""
    ends = problem.bounds.values()
    points = np.concatenate([generator.uniform(low, high, (1, _SAMPLES)) for low, high in ends])
    zero = Jet.constant(Truncation.closure(problem.coordinates, []), np.zeros((1, _SAMPLES)))
    rest = Outputs(dict.fromkeys((*problem.fields, *problem.definitions), zero))
    residual = condition_residual(problem, condition)
    found = Residuals(problem, [residual]).at(rest, [points], problem.start, truncation=zero.truncation)
    return -found[residual.name][0]


def _transform_gains(problem: Problem) -> dict[str, float]:
    """What an output of one adds to its field at most: 1 in a transform of ours, anything in one of the user's."""
    generator = np.random.default_rng(0)
    noted = recorded_fields(problem)(recorded_coordinates(problem.coordinates))
    needs = [noted[name].needs for name in problem.transform]
    truncation = Truncation.closure(problem.coordinates, frozenset().union(*needs))
    coordinates = {
        name: Jet.coordinate(truncation, name, generator.uniform(low, high, (1, _SAMPLES)))
        for name, (low, high) in problem.bounds.items()
    }
    start = {name: np.asarray(value) for name, value in problem.start.items()}

    def fields(output: float) -> dict[str, Any]:
        raw = {name: Jet.constant(truncation, np.full((1, _SAMPLES), output)) for name in problem.fields}
        return Transformed(problem, problem.transform, Outputs(raw), start)(coordinates)

    with np.errstate(all="ignore"):
        still, moved = fields(0.0), fields(1.0)
        found = {n: np.abs(moved[n].value - still[n].value) for n in problem.transform}
    gains = {name: float(np.max(gain[np.isfinite(gain)], initial=0.0)) for name, gain in found.items()}
    return {name: gain for name, gain in gains.items() if gain > 0}
