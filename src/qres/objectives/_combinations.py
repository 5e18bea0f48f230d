"""Highest derivatives that equations only have in fixed combinations: then those flow through the network instead.

Burgers' equation needs 1, x, t and xx of a network, but t and xx only as `u_t - ν u_xx`; as one coefficient they cost a
quarter less. Which combinations there are is found by differentiating the residuals at random values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from qres._random import generator, seed_key
from qres.jets import Combination, Jet, MultiIndex, Recording, Truncation
from qres.problems import Problem

from ._sampling import points_in

_SAMPLES = 32
_ROUNDING = 1e-10  # of the largest slope


def combined(
    problem: Problem, truncation: Truncation, residuals: Callable[[Mapping[str, Any]], Sequence[Any]]
) -> Truncation:
    """The truncation with its highest coefficients combined as the residuals need them; itself if that saves none.

    Args:
        problem: whose hard transform and definitions lead from network outputs to fields.
        truncation: what the residuals need of the network.
        residuals: of all names that a formula may use.
    """
    highest = truncation.highest
    if len(highest) < 2 or not _pieced(problem, residuals).isdisjoint(highest):
        return truncation
    slopes = _slopes(problem, truncation, residuals)
    slopes = slopes[np.all(np.isfinite(slopes), axis=1)]
    if len(slopes) < _SAMPLES or not np.any(slopes):
        return truncation
    basis = _reduced(slopes)
    if len(basis) == len(highest):
        return truncation
    return truncation.combined(tuple(_combination(row, highest) for row in basis))


def _pieced(
    problem: Problem, residuals: Callable[[Mapping[str, Any]], Sequence[Any]]
) -> frozenset[MultiIndex]:
    """What residuals may depend on otherwise where no point was tried, as with `where(x < 0.01, 2, 1)*u_xx`."""
    noted = {name: Recording.field(problem.coordinates) for name in (*problem.fields, *problem.coordinates)}
    raw, coordinates = ({n: noted[n] for n in names} for names in (problem.fields, problem.coordinates))
    unknowns = dict.fromkeys(problem.unknowns, 1.0)
    fields = problem.fields_from(raw, coordinates, unknowns)
    found = residuals({**problem.constants, **unknowns, **coordinates, **fields})
    return frozenset().union(*(one.pieced for one in found if isinstance(one, Recording)))


def _combination(row: Float[np.ndarray, " m"], highest: Sequence[tuple[int, ...]]) -> Combination:
    """A row as a combination whose first factor is one."""
    first = row[np.flatnonzero(row)[0]]
    return tuple((float(a / first), k) for a, k in zip(row, highest, strict=True) if a)


def _slopes(
    problem: Problem, truncation: Truncation, residuals: Callable[[Mapping[str, Any]], Sequence[Any]]
) -> Float[np.ndarray, "rows highest"]:
    """How each residual depends on each highest coefficient of each network output, at random points and values.

    Unknowns, too, are at two random values: what depends on them is no fixed combination.
    """
    first, second = seed_key(0), seed_key(1)
    everywhere = (True,) * len(problem.coordinates)
    points = points_in(problem.lower, problem.upper, everywhere, "lhs", _SAMPLES, first)
    shape = (len(truncation), len(problem.fields), 1, _SAMPLES)
    values = generator(second).standard_normal(shape)
    places = [truncation.position[k] for k in truncation.highest]

    def evaluate(highest: Any, points: Any, values: Any, unknowns: Any) -> Any:
        """All residuals, from the highest coefficients and the others."""
        coefficients = [*values]
        for place, coefficient in zip(places, highest, strict=True):
            coefficients[place] = coefficient
        raw = {n: Jet(truncation, [c[i] for c in coefficients]) for i, n in enumerate(problem.fields)}
        coordinates = {
            name: Jet.coordinate(truncation, name, points[i : i + 1])
            for i, name in enumerate(problem.coordinates)
        }
        fields = problem.fields_from(raw, coordinates, unknowns)
        found = residuals({**problem.constants, **unknowns, **coordinates, **fields})
        parts = [one.value if isinstance(one, Jet) else one for one in found]
        return jnp.stack([jnp.broadcast_to(part, (1, _SAMPLES)) for part in parts])

    @jax.jit
    def slopes(points: Any, values: Any, unknowns: Any) -> Any:
        highest = jnp.stack([values[place] for place in places])
        directions = jnp.eye(len(places) * len(problem.fields)).reshape(-1, *highest.shape[:2], 1, 1)

        def along(direction: Any) -> Any:
            tangent = jnp.broadcast_to(direction, highest.shape)
            return jax.jvp(lambda h: evaluate(h, points, values, unknowns), (highest,), (tangent,))[1]

        return jax.vmap(along)(directions)

    found = []
    for shift in (0.3, 0.7) if problem.unknowns else (0.0,):
        unknowns = {
            name: unknown.value(jnp.asarray(unknown.raw() + shift))
            for name, unknown in problem.unknowns.items()
        }
        rows = np.asarray(slopes(points, values, unknowns)).reshape(len(places), -1)
        found.append(rows.T)
    return np.concatenate(found)


def _reduced(rows: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "rank m"]:
    """A basis of the space that the rows span, with as many zeros as elimination gives; columns of any units."""
    units = np.max(np.abs(rows), axis=0)
    units = np.where(units > 0, units, 1.0)
    rest = rows / units
    largest = np.max(np.abs(rest), axis=1, keepdims=True)
    rest = rest[largest[:, 0] > 0] / largest[largest[:, 0] > 0]
    basis: list[np.ndarray] = []
    for column in range(rows.shape[1]):
        pivot = int(np.argmax(np.abs(rest[:, column])))
        if abs(rest[pivot, column]) < _ROUNDING:
            continue
        row = rest[pivot] / rest[pivot, column]
        rest = rest - np.outer(rest[:, column], row)
        basis = [*(other - other[column] * row for other in basis), row]
    return np.where(np.abs(basis) < _ROUNDING, 0.0, basis) * units
