"""Highest derivatives that occur in fixed linear combinations only, which are propagated in their place.

Burgers' equation needs 1, x, t and xx of a network, but t and xx only as `u_t - ν u_xx`; as one coefficient they cost a
quarter less. Which combinations there are is read off the equations: a combination that holds at some points only, as
where a coefficient changes in a narrow layer, would be a wrong answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from qres.jets import Combination, MultiIndex, Recording, Truncation, factorial
from qres.posed import recordings
from qres.posed.evaluator import Outputs, Residuals, Transformed
from qres.problems import Problem
from qres.runtime.errors import InputError

_ROUNDING = 1e-12  # of two numbers, between which it is taken for their difference


def combined(problem: Problem, truncation: Truncation, residuals: Residuals) -> Truncation:
    """The truncation with its highest coefficients combined as the residuals need them; itself if that saves none.

    Args:
        problem: whose hard transform and definitions lead from network outputs to fields.
        truncation: what the residuals need of the network.
        residuals: the equations.
    """
    highest = truncation.highest
    if len(highest) < 2 or any(np.ndim(unknown.start) for unknown in problem.unknowns.values()):
        return truncation
    try:
        slopes = _slopes(problem, highest, residuals)
    except InputError:  # a Python function calls one of JAX's, which takes numbers only, of an unknown
        return truncation
    if not np.any(slopes) or not np.all(np.isfinite(slopes)):
        return truncation
    basis = _reduced(slopes)
    if len(basis) == len(highest):
        return truncation
    return truncation.combined(tuple(_combination(row, highest) for row in basis))


def _combination(row: Float[np.ndarray, " m"], highest: Sequence[MultiIndex]) -> Combination:
    """A row as a combination whose first factor is one."""
    first = row[np.flatnonzero(row)[0]]
    return tuple((float(a / first), k) for a, k in zip(row, highest, strict=True) if a)


def _slopes(
    problem: Problem, highest: Sequence[MultiIndex], residuals: Residuals
) -> Float[np.ndarray, "rows highest"]:
    """Rows whose sums, times whatever varies, are all slopes that residuals can have by the highest coefficients.

    What depends on an unknown varies. A transform of the outputs themselves, as for hard conditions, has one slope that
    all highest derivatives share, `∂^k (g + D N) = D ∂^k N + lower ones`: so fields stand for outputs.
    """
    raw, coordinates, unknowns = recordings(problem)
    fields = Transformed(problem, problem.transform, Outputs(raw), unknowns)(coordinates)
    if all(not any(map(any, fields[name].needs)) for name in problem.transform):
        fields = raw
    found = residuals.everywhere(fields, coordinates, unknowns)
    groups = [group for one in found if isinstance(one, Recording) for group in one.terms.values()]
    rows = [
        [group.get((field, k), 0.0) * factorial(k) for k in highest]
        for group in groups
        for field in problem.fields
    ]
    return np.array([row for row in rows if any(row)]).reshape(-1, len(highest))


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
        if rest[pivot, column] == 0:
            continue
        row = rest[pivot] / rest[pivot, column]
        rest = _less(rest, np.outer(rest[:, column], row))
        basis = [*(_less(other, other[column] * row) for other in basis), row]
    return np.array(basis) * units


def _less(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`a - b`, and zero where only rounding is between."""
    return np.where(np.abs(a - b) <= _ROUNDING * (np.abs(a) + np.abs(b)), 0.0, a - b)
