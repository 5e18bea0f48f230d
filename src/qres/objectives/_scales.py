"""Units: how large fields and residuals are, so that data of size 1e6 train as well as those of size one.

A field that is not of size one comes out of the network scaled and shifted; a residual that is not is divided by the
size of its largest term. What is of size one already is left exactly as it is. The user never sees scaled numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qres.jets import Jet, Truncation
from qres.problems import Problem

NEAR = 10.0  # how far from one a size may be
_LEAST = 0.1
_SAMPLES = 256


def near_one(size: float, within: float = NEAR) -> bool:
    """Whether a size needs no scaling."""
    return 1 / within <= size <= within


def field_scales(problem: Problem) -> dict[str, tuple[float, float]]:
    """Offset and scale of each network output, from what data and conditions say of its values; `(0, 1)` if nothing."""
    return {
        name: scale_of(_known_values(problem, name), name in problem.transform) for name in problem.fields
    }


def scale_of(values: np.ndarray, is_hard: bool) -> tuple[float, float]:
    """Offset and scale of an output with these values; `(0, 1)` where they are of size one already."""
    if not len(values):
        return 0.0, 1.0
    offset, spread = float(np.mean(values)), float(np.std(values))
    if is_hard or abs(offset) <= 3 * max(spread, _LEAST) or spread <= 1e-9 * abs(offset):
        size = float(np.sqrt(np.mean(values**2)))
        return 0.0, 1.0 if size == 0 or near_one(size) else size
    return offset, max(spread, 1e-3 * abs(offset)) if not near_one(spread) else 1.0


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


def _given(problem: Problem, condition: Any, generator: np.random.Generator) -> np.ndarray:
    """The values that `u(…) = g` gives: minus the residual where u is zero."""
    truncation = Truncation.closure(problem.coordinates, [])
    coordinates = {
        name: generator.uniform(low, high, (1, _SAMPLES)) for name, (low, high) in problem.bounds.items()
    }
    zero = Jet.constant(truncation, np.zeros((1, _SAMPLES)))
    names = {**problem.constants, **problem.start, **{n: coordinates[n] for n in condition.free}}
    fields = dict.fromkeys((*problem.fields, *problem.definitions), zero)
    result = condition.residual([fields], names)
    value = result.value if isinstance(result, Jet) else result
    return -np.broadcast_to(np.asarray(value, dtype=float), (1, _SAMPLES))[0]


def is_plain(problem: Problem, scales: Mapping[str, tuple[float, float]]) -> bool:
    """Whether coordinates and fields are all of size one."""
    spans = [high - low for low, high in problem.bounds.values()]
    return all(near_one(span) for span in spans) and all(pair == (0.0, 1.0) for pair in scales.values())
