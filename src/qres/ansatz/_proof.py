"""Verification that an ansatz satisfies its conditions for every network: it is tried with two arbitrary networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qres.formulas import Formula, Values
from qres.geometry import points_of_box
from qres.posed import POINTS, Condition, Posed, Probe, arbitrary, explicit_value, largest, values_near_start
from qres.posed.evaluator import Transformed, condition_residual

from ._ansatz import Ansatz

TOLERANCE = 1e-9  # of the largest term of a condition


def holds(ansatz: Ansatz, posed: Posed) -> bool:
    """Whether an ansatz satisfies the conditions that it claims to."""
    claimed = [condition for condition in posed.conditions if condition.name in ansatz.satisfies]
    return not left_soft(claimed, ansatz.transform, posed)


def proved(ansatz: Ansatz, posed: Posed) -> Ansatz:
    """The ansatz with all conditions that it satisfies, also those that it was not made for."""
    others = [condition for condition in posed.conditions if condition.name not in ansatz.satisfies]
    soft = {condition.name for condition in left_soft(others, ansatz.transform, posed)}
    also = frozenset(condition.name for condition in others if condition.name not in soft)
    return replace(ansatz, satisfies=ansatz.satisfies | also)


def left_soft(
    conditions: Sequence[Condition], transform: Mapping[str, Formula], posed: Posed
) -> tuple[Condition, ...]:
    """The conditions that a transform does not satisfy for two arbitrary networks: those to train on.

    The unknowns are taken off their start, where they might satisfy something by chance.
    """
    unknowns = values_near_start(posed.unknowns, 0.1)
    probes = [Probe(posed, _fields(transform, unknowns, posed, seed), unknowns) for seed in (0, 1)]
    residuals = [condition_residual(posed, condition) for condition in conditions]
    return tuple(
        condition
        for condition, residual in zip(conditions, residuals, strict=True)
        if any(not probe(residual) <= TOLERANCE for probe in probes)
    )


def _fields(transform: Mapping[str, Formula], unknowns: Values, posed: Posed, seed: int) -> Transformed:
    """The fields of an arbitrary network, behind the transform."""
    outputs, sizes = arbitrary(posed.fields, posed.bounds, seed), _sizes(unknowns, posed)

    def scaled(coordinates: Values) -> dict[str, Any]:
        return {name: sizes[name] * output for name, output in outputs(coordinates).items()}

    return Transformed(posed, transform, scaled, unknowns)


def _sizes(unknowns: Values, posed: Posed) -> dict[str, float]:
    """How large the values that conditions give each field are, in whatever units; 1 where they give none."""
    sizes = dict.fromkeys(posed.fields, 0.0)
    known = {name: np.asarray(value) for name, value in posed.known({}, unknowns).items()}
    points = dict(zip(posed.bounds, points_of_box(posed.bounds, POINTS), strict=True))
    for condition in posed.conditions:
        found = explicit_value(condition)
        if found is None or found[0].field not in sizes:
            continue
        there = {**known, **points, **{name: np.float64(value) for name, value in condition.fixed.items()}}
        sides = [high - low for low, high in posed.bounds.values()]
        length = np.prod([side**order for side, order in zip(sides, found[0].index, strict=True)])
        sizes[found[0].field] = max(sizes[found[0].field], float(length) * largest(found[1], there))
    return {name: size or 1.0 for name, size in sizes.items()}
