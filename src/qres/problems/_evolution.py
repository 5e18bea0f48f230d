"""Evolution equations, `u_t = N[u]`: whether a problem's are, and the problem of one step in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from qres._errors import InputError, listed
from qres.jets import Jet, Recording, Truncation

from ._fields import assemble
from ._probe import arbitrary, run
from ._unknown import values_near_start

if TYPE_CHECKING:
    from ._problem import Problem

TIME = "t"
_TRIES, _POINTS = 4, 7


def time_factors(problem: Problem) -> Float[np.ndarray, "fields fields"]:
    """The constant matrix A of `A u_t = …`, found by trying the equations on functions; an error if there is none.

    The residual with all time derivatives set to zero is then `-A N[u]`.
    """
    where = f"problem {problem.name!r}: discrete time needs equations of the form u_t = N[u]"
    if TIME not in problem.coordinates or len(problem.coordinates) < 2:
        raise InputError(f"{where}, with coordinates t and space, not {listed(problem.coordinates)}")
    if len(problem.equations) != len(problem.fields):
        count = f"{len(problem.equations)} equation(s) for {len(problem.fields)} field(s)"
        raise InputError(f"{where}, one for each field; there are {count}")
    truncation, first = needed_derivatives(problem), tuple(int(name == TIME) for name in problem.coordinates)
    if any(first in found.pieced for found in _recorded(problem)):
        raise InputError(
            f"{where}: a time derivative stands in, or by, a function with pieces, such as where"
        )
    rates, differences = zip(*[_try(problem, truncation, seed) for seed in range(_TRIES)], strict=True)
    rate, difference = np.concatenate(rates, axis=1), np.concatenate(differences, axis=1)
    factors = np.linalg.lstsq(rate.T, difference.T, rcond=None)[0].T
    off = np.abs(difference - factors @ rate).max()
    rounding = np.sqrt(np.finfo(rate.dtype).eps)
    if not off <= rounding * max(1.0, np.abs(difference).max()):
        raise InputError(f"{where}: a time derivative is not first, or not times a constant number")
    if np.linalg.matrix_rank(factors, tol=rounding) < len(problem.fields):
        raise InputError(f"{where}: they do not give the time derivative of every field")
    return factors


def _names(problem: Problem, raw: Mapping[str, Any], coordinates: Mapping[str, Any], step: float) -> dict:
    parameters = {**problem.constants, **values_near_start(problem.unknowns, step)}
    fields = assemble({}, problem.definitions, parameters, raw, coordinates)
    return {**parameters, **coordinates, **fields}


def _recorded(problem: Problem) -> list[Recording]:
    """What each equation needs of the fields and coordinates."""
    noted = {name: Recording.field(problem.coordinates) for name in (*problem.fields, *problem.coordinates)}
    raw = {name: noted[name] for name in problem.fields}
    names = _names(problem, raw, {name: noted[name] for name in problem.coordinates}, 0.1)
    found = [run(equation.formula, names, equation.name) for equation in problem.equations]
    return [each for each in found if isinstance(each, Recording)]


def needed_derivatives(problem: Problem) -> Truncation:
    """The derivatives of the fields that the equations take, and the first one in time."""
    needs = frozenset().union(*(each.needs for each in _recorded(problem)))
    first = tuple(int(name == TIME) for name in problem.coordinates)
    return Truncation.closure(problem.coordinates, needs | {first})


def _try(problem: Problem, truncation: Truncation, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Time derivatives of some functions, and what these derivatives alone add to the residuals."""
    random, place = np.random.default_rng(seed), problem.coordinates.index(TIME)
    coordinates = {
        name: Jet.coordinate(truncation, name, jnp.asarray(random.uniform(low, high, _POINTS)))
        for name, (low, high) in problem.bounds.items()
    }
    moving = arbitrary(problem.fields, problem.bounds, seed)(coordinates)
    still = {name: without_time(jet, place) for name, jet in moving.items()}
    values = []
    for raw in (moving, still):
        names = _names(problem, raw, coordinates, 0.1 * (seed + 1))
        residuals = [run(equation.formula, names, equation.name) for equation in problem.equations]
        values.append(np.stack([np.broadcast_to(_value(r), (_POINTS,)) for r in residuals]))
    first = tuple(int(i == place) for i in range(len(problem.coordinates)))
    rates = np.stack([np.asarray(moving[name].coefficient(first)) for name in problem.fields])
    return rates, values[0] - values[1]


def _value(result: Any) -> np.ndarray:
    return np.asarray(result.value if isinstance(result, Jet) else result, dtype=float)


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
