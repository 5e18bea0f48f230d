"""Where residuals are evaluated: all names that a formula may use at the places of a condition or equation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qres.jets import Recording, Truncation, needed
from qres.posed import Condition
from qres.problems import Problem

Names = Mapping[str, Any]


def recorded(problem: Problem, residual: Callable[[Names], Any]) -> Truncation:
    """What a residual needs of the network, through the hard transform and the definitions."""
    coordinates = {name: Recording.field(problem.coordinates) for name in problem.coordinates}
    unknowns = problem.start

    def run(raw: Mapping[str, Recording]) -> Any:
        fields = problem.fields_from(raw, coordinates, unknowns)
        return residual({**problem.constants, **unknowns, **coordinates, **fields})

    return needed(run, problem.fields, problem.coordinates)


def condition_values(
    problem: Problem, conditions: Sequence[Condition], names_at: Sequence[Names]
) -> list[Any]:
    """The residuals of conditions at the same places, from all names at each of these."""
    free = conditions[0].free
    shared = {k: v for k, v in names_at[0].items() if k not in problem.coordinates or k in free}
    return [condition.residual(names_at, shared) for condition in conditions]
