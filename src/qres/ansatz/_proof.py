"""Whether an ansatz satisfies conditions whatever the network returns: a proof by two arbitrary networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qres.formulas import Formula, Values
from qres.geometry import points_of_box
from qres.posed import (
    POINTS,
    Condition,
    Posed,
    Probe,
    arbitrary,
    assemble,
    explicit_value,
    largest,
    values_near_start,
)

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
    parameters = {**posed.constants, **values_near_start(posed.unknowns, 0.1)}
    probes = [_probe(transform, parameters, posed, seed) for seed in (0, 1)]
    return tuple(c for c in conditions if any(not probe.condition(c) <= TOLERANCE for probe in probes))


def _probe(transform: Mapping[str, Formula], parameters: Values, posed: Posed, seed: int) -> Probe:
    outputs, sizes = arbitrary(posed.fields, posed.bounds, seed), _sizes(parameters, posed)

    def fields(coordinates: Values) -> dict[str, Any]:
        raw = {name: sizes[name] * output for name, output in outputs(coordinates).items()}
        return assemble(transform, posed.definitions, parameters, raw, coordinates)

    return Probe(posed.bounds, fields, parameters)


def _sizes(parameters: Values, posed: Posed) -> dict[str, float]:
    """How large the values that conditions give each field are, in whatever units; 1 where they give none."""
    sizes = dict.fromkeys(posed.fields, 0.0)
    known = {name: np.asarray(value) for name, value in parameters.items()}
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
