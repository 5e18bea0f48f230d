"""Evolution equations, `u_t = N[u]`: whether a problem's are, and the problem of one step in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from qres._errors import InputError, listed
from qres.jets import Jet, MultiIndex, Recording, Truncation

from ._fields import assemble, recordings
from ._probe import run

if TYPE_CHECKING:
    from ._problem import Problem

TIME = "t"


def time_factors(problem: Problem) -> Float[np.ndarray, "fields fields"]:
    """The constant matrix A of `A u_t = …`; an error if there is none.

    The residual with all time derivatives set to zero is then `-A N[u]`.
    """
    where = f"problem {problem.name!r}: discrete time needs equations of the form u_t = N[u]"
    if TIME not in problem.coordinates or len(problem.coordinates) < 2:
        raise InputError(f"{where}, with coordinates t and space, not {listed(problem.coordinates)}")
    if len(problem.equations) != len(problem.fields):
        count = f"{len(problem.equations)} equation(s) for {len(problem.fields)} field(s)"
        raise InputError(f"{where}, one for each field; there are {count}")
    place, first = problem.coordinates.index(TIME), _first(problem)
    factors = np.zeros((len(problem.fields), len(problem.fields)))
    for row, equation in enumerate(_recorded(problem)):
        terms = [(f, k, a) for f, group in equation.terms.items() for k, a in group.items()]
        for varying, (name, index), number in terms:
            if not number or name not in problem.fields or not index[place]:
                continue
            if varying or index != first:
                raise InputError(f"{where}: a time derivative is not first, or not times a constant number")
            factors[row, problem.fields.index(name)] += number
    if np.linalg.matrix_rank(factors) < len(problem.fields):
        raise InputError(f"{where}: they do not give the time derivative of every field")
    return factors


def _first(problem: Problem) -> MultiIndex:
    return tuple(int(name == TIME) for name in problem.coordinates)


def _recorded(problem: Problem) -> list[Recording]:
    """What each equation needs of the fields and coordinates, and how it depends on them."""
    raw, coordinates, unknowns = recordings(problem)

    def found(unknowns: Mapping[str, Any]) -> list[Any]:
        parameters = {**problem.constants, **unknowns}
        fields = assemble({}, problem.definitions, parameters, raw, coordinates)
        return [run(e.formula, {**parameters, **coordinates, **fields}, e.name) for e in problem.equations]

    try:
        values = found(unknowns)
    except InputError:  # a Python function calls one of JAX's, which takes numbers only, of an unknown
        values = found(problem.start)
    nothing = Recording(problem.coordinates, frozenset())
    return [each if isinstance(each, Recording) else nothing for each in values]


def needed_derivatives(problem: Problem) -> Truncation:
    """The derivatives of the fields that the equations take, and the first one in time."""
    needs = frozenset().union(*(each.needs for each in _recorded(problem)))
    return Truncation.closure(problem.coordinates, needs | {_first(problem)})


def without_time(jet: Jet, place: int) -> Jet:
    """The same where nothing moves: all coefficients with a derivative in time are zero."""
    kept = [
        None if index[place] else coefficient
        for index, coefficient in zip(jet.truncation.indices, jet.coefficients, strict=True)
    ]
    return Jet(jet.truncation, kept)


def one_step(problem: Problem, start: float, stop: float) -> Problem:
    """The problem between two times, without what holds at one time only: conditions of space, at all its times."""
    from ._problem import Problem

    left = {"exact", "reference", "up_to_constant", "conditions", "hard"}
    stated = {key: value for key, value in problem.stated.items() if key not in left and value is not None}
    lasting = {condition.entry for condition in problem.conditions if TIME in condition.free}
    kept = [text for entry, text in enumerate(problem.stated.get("conditions", [])) if entry in lasting]
    stated |= {"conditions": kept, "fields": list(problem.fields)}
    stated["domain"] = {name: list(bounds) for name, bounds in problem.bounds.items()} | {TIME: [start, stop]}
    if problem.hard and kept:
        try:
            return Problem(**stated, hard=True)
        except InputError:  # what is left cannot be built in, and is trained on
            pass
    return Problem(**stated)
