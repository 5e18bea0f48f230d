"""Blocks: named residuals that share one pass through the network.

The equations are one block, at points inside the domain. All conditions are another: their points, at whatever faces, go
through the network side by side, which costs less to run and to compile than a pass for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.jets import Jet, Recording, Truncation, columns, needed
from qres.problems import Condition, Equation, Problem

from ._model import Model, fields_at, value_of

Chunk = dict[str, tuple[Array, ...]]
Names = Mapping[str, Any]


@dataclass(frozen=True)
class Segment:
    """Residuals `names` (rows) at the same points; `free` are the coordinates that these points vary in."""

    names: tuple[str, ...]
    free: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """Segments that share a pass through the network.

    `residuals(model, chunk)` gives `(rows, n)` for each segment, from a chunk that holds `points`, `(d, n)` for each
    segment, and whatever else the block's batch has.
    """

    segments: tuple[Segment, ...]
    residuals: Callable[[Model, Chunk], tuple[Float[Array, "rows n"], ...]]
    truncation: Truncation

    @property
    def names(self) -> tuple[str, ...]:
        """All residuals, in order."""
        return tuple(name for segment in self.segments for name in segment.names)

    @property
    def channels(self) -> int:
        """How many Taylor coefficients flow through the network."""
        return len(self.truncation)


def recorded(problem: Problem, residual: Callable[[Names], Any]) -> Truncation:
    """What a residual needs of the network, through the hard transform and the definitions."""
    coordinates = {name: Recording.field(problem.coordinates) for name in problem.coordinates}
    unknowns = {name: 1.0 for name in problem.unknowns}

    def run(raw: Mapping[str, Recording]) -> Any:
        fields = problem.fields_from(raw, coordinates, unknowns)
        return residual({**problem.constants, **unknowns, **coordinates, **fields})

    return needed(run, problem.fields, problem.coordinates)


def equation_block(problem: Problem, equations: Sequence[Equation]) -> Block:
    """All equations, at points inside the domain."""

    def values(names: Names) -> list[Any]:
        return [equation.residual(names) for equation in equations]

    truncation = recorded(problem, values)

    def residuals(model: Model, chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
        (points,) = chunk["points"]
        names = fields_at(problem, model, truncation, points)
        return (jnp.concatenate([value_of(value, points) for value in values(names)]),)

    return Block((Segment(tuple(e.name for e in equations), problem.coordinates),), residuals, truncation)


def condition_block(problem: Problem, conditions: Sequence[Condition]) -> Block:
    """All conditions; those at the same places are one segment."""
    groups: dict[tuple[Any, ...], list[Condition]] = {}
    for condition in conditions:
        groups.setdefault(condition.locations, []).append(condition)
    needs = [
        recorded(problem, lambda names, group=group, places=places: _values(problem, group, [names] * len(places)))
        for places, group in groups.items()
    ]
    truncation = Truncation.closure(problem.coordinates, [index for need in needs for index in need.indices])

    def residuals(model: Model, chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
        places = [
            _placed(points, location)
            for points, locations in zip(chunk["points"], groups, strict=True)
            for location in locations
        ]
        everywhere = fields_at(problem, model, truncation, jnp.concatenate(places, axis=1))
        starts = _starts(places)
        at = iter([_part(everywhere, a, b) for a, b in zip(starts, starts[1:], strict=False)])
        results = []
        for points, (locations, group) in zip(chunk["points"], groups.items(), strict=True):
            values = _values(problem, group, [next(at) for _ in locations])
            results.append(jnp.concatenate([value_of(value, points) for value in values]))
        return tuple(results)

    segments = tuple(Segment(tuple(c.name for c in group), group[0].free) for group in groups.values())
    return Block(segments, residuals, truncation)


def _values(problem: Problem, conditions: Sequence[Condition], names_at: Sequence[Names]) -> list[Any]:
    """The residuals of conditions at the same places, from all names at each of these."""
    free = conditions[0].free
    shared = {k: v for k, v in names_at[0].items() if k not in problem.coordinates or k in free}
    return [condition.residual(names_at, shared) for condition in conditions]


def _placed(points: Float[Array, "d n"], location: Sequence[float | None]) -> Float[Array, "d n"]:
    rows = [jnp.full_like(row, value) if value is not None else row for row, value in zip(points, location, strict=True)]
    return jnp.stack(rows)


def _starts(places: Sequence[Array]) -> list[int]:
    starts = [0]
    for place in places:
        starts.append(starts[-1] + place.shape[1])
    return starts


def _part(names: Names, start: int, stop: int) -> dict[str, Any]:
    """All names at some of the points."""
    return {k: columns(v, start, stop) if isinstance(v, Jet) else v for k, v in names.items()}
