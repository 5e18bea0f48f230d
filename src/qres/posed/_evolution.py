"""Evolution equations, `u_t = N[u]`: recognition, and right-hand sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.jets import Jet, MultiIndex, Recording, Truncation
from qres.runtime.errors import InputError, listed

from ._posed import Posed
from ._probe import run
from ._recordings import recordings

TIME = "t"


def time_factors(posed: Posed) -> Float[np.ndarray, "fields fields"]:
    """The constant matrix A of `A u_t = …`; an error if there is none.

    The residual with all time derivatives set to zero is then `-A N[u]`.
    """
    where = f"problem {posed.name!r}: discrete time needs equations of the form u_t = N[u]"
    if TIME not in posed.coordinates or len(posed.coordinates) < 2:
        raise InputError(f"{where}, with coordinates t and space, not {listed(posed.coordinates)}")
    if len(posed.equations) != len(posed.fields):
        count = f"{len(posed.equations)} equation(s) for {len(posed.fields)} field(s)"
        raise InputError(f"{where}, one for each field; there are {count}")
    place, first = posed.coordinates.index(TIME), _first(posed)
    factors = np.zeros((len(posed.fields), len(posed.fields)))
    for row, equation in enumerate(_recorded(posed)):
        terms = [(f, k, a) for f, group in equation.terms.items() for k, a in group.items()]
        for varying, (name, index), number in terms:
            if not number or name not in posed.fields or not index[place]:
                continue
            if varying or index != first:
                raise InputError(f"{where}: a time derivative is not first, or not times a constant number")
            factors[row, posed.fields.index(name)] += number
    if np.linalg.matrix_rank(factors) < len(posed.fields):
        raise InputError(f"{where}: they do not give the time derivative of every field")
    return factors


def _first(posed: Posed) -> MultiIndex:
    return tuple(int(name == TIME) for name in posed.coordinates)


def _recorded(posed: Posed) -> list[Recording]:
    """What each equation needs of the fields and coordinates, and how it depends on them."""
    raw, coordinates, unknowns = recordings(posed)

    def found(unknowns: Mapping[str, Any]) -> list[Any]:
        names = posed.names(raw, coordinates, unknowns)
        return [run(e.formula, names, e.name) for e in posed.equations]

    try:
        values = found(unknowns)
    except InputError:  # a Python function calls one of JAX's, which takes numbers only, of an unknown
        values = found(posed.start)
    nothing = Recording(posed.coordinates, frozenset())
    return [each if isinstance(each, Recording) else nothing for each in values]


def needed_derivatives(posed: Posed) -> Truncation:
    """The derivatives of the fields that the equations take, and the first one in time."""
    needs = frozenset().union(*(each.needs for each in _recorded(posed)))
    return Truncation.closure(posed.coordinates, needs | {_first(posed)})


def without_time(jet: Jet, place: int) -> Jet:
    """The same where nothing moves: all coefficients with a derivative in time are zero."""
    kept = [
        None if index[place] else coefficient
        for index, coefficient in zip(jet.truncation.indices, jet.coefficients, strict=True)
    ]
    return Jet(jet.truncation, kept)


def time_axis(posed: Posed) -> str:
    """The coordinate that windows cut: `t`, or the only one there is."""
    if TIME in posed.coordinates:
        return TIME
    if len(posed.coordinates) == 1:
        return posed.coordinates[0]
    raise InputError(
        f"[time] windows: problem {posed.name!r} has no coordinate t to cut, only {listed(posed.coordinates)}"
    )
