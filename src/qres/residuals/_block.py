"""Blocks: named residuals that share one pass through the network.

The equations are one block, at points inside the domain. All conditions and data are another: their points,
wherever they are, go through the network side by side, which costs less to run and to compile than a pass for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.data import Data
from qres.fields import Model, Names, condition_values, fields_at, recorded, value_of
from qres.formulas import Equation
from qres.geometry import Surface, placed
from qres.jets import Jet, Truncation, columns
from qres.posed import Condition
from qres.problems import Problem

from ._combinations import combined
from ._known import Table, known_jets, known_table

Chunk = dict[str, tuple[Array, ...]]


@dataclass(frozen=True)
class Segment:
    """Residuals `names` (rows) at the same points; `free` are the coordinates that these points vary in."""

    names: tuple[str, ...]
    free: tuple[str, ...]
    data: Data | None = None  # where the points and values are measured, not drawn
    locations: tuple[tuple[float | None, ...], ...] = ()  # at each of which the same points are taken
    surface: Surface | None = None  # on which the points are


@dataclass(frozen=True)
class Block:
    """Segments that share a pass through the network.

    `residuals(model, chunk)` gives `(rows, n)` for each segment, from a chunk that holds `points`, `(d, n)` for each
    segment, and whatever else the block's batch has. `alone(model, place, part)` gives those of one segment only,
    from its part of the chunk. `known(points)` is what the batch may have as `known`, so that it is computed once.
    """

    segments: tuple[Segment, ...]
    residuals: Callable[[Model, Chunk], tuple[Float[Array, "rows n"], ...]]
    alone: Callable[[Model, int, dict[str, Array]], Float[Array, "rows n"]]
    truncation: Truncation
    known: Table | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All residuals, in order."""
        return tuple(name for segment in self.segments for name in segment.names)

    @property
    def channels(self) -> int:
        """How many Taylor coefficients flow through the network."""
        return len(self.truncation)


def equation_block(problem: Problem, equations: Sequence[Equation]) -> Block:
    """All equations, at points inside the domain."""

    def values(names: Names) -> list[Any]:
        return [equation.residual(names) for equation in equations]

    truncation = recorded(problem, values)
    through = combined(problem, truncation, values)

    def at(model: Model, points: Array, table: Array | None) -> Float[Array, "rows n"]:
        known = known_jets(problem, truncation, table)
        names = fields_at(problem, model, truncation, points, through, known)
        return jnp.concatenate([value_of(value, points) for value in values(names)])

    return Block(
        (Segment(tuple(e.name for e in equations), problem.coordinates, None, (_everywhere(problem),)),),
        lambda model, chunk: (at(model, chunk["points"][0], chunk.get("known", (None,))[0]),),
        lambda model, _, part: at(model, part["points"], part.get("known")),
        through,
        known_table(problem, truncation),
    )


@dataclass(frozen=True)
class _Place:
    """Points of one segment: the same free points at each of the locations, and what must vanish there."""

    segment: Segment
    locations: tuple[tuple[float | None, ...], ...]
    values: Callable[[Sequence[Names], Array | None], list[Any]]


def place_block(problem: Problem, conditions: Sequence[Condition], data: Sequence[Data] = ()) -> Block:
    """All conditions, those at the same places as one segment, and all measurements, one segment a file."""
    groups: dict[tuple[Any, ...], list[Condition]] = {}
    for condition in conditions:
        groups.setdefault((condition.locations, id(condition.surface)), []).append(condition)
    places = [_condition_place(problem, group) for group in groups.values()]
    places += [_data_place(problem, data, number) for number in range(len(data))]
    needs = [
        recorded(problem, lambda names, place=place: place.values([names] * len(place.locations), None))
        for place in places
    ]
    truncation = Truncation.closure(problem.coordinates, [index for need in needs for index in need.indices])

    def at(model: Model, chosen: Sequence[_Place], chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
        arrays = [
            placed(points, location)
            for points, place in zip(chunk["points"], chosen, strict=True)
            for location in place.locations
        ]
        everywhere = fields_at(problem, model, truncation, jnp.concatenate(arrays, axis=1))
        starts = _starts(arrays)
        parts = iter([part_of(everywhere, a, b) for a, b in itertools.pairwise(starts)])
        targets = chunk.get("targets", (None,) * len(chosen))
        results = []
        for points, place, target in zip(chunk["points"], chosen, targets, strict=True):
            values = place.values([next(parts) for _ in place.locations], target)
            results.append(jnp.concatenate([value_of(value, points) for value in values]))
        return tuple(results)

    def alone(model: Model, number: int, part: dict[str, Array]) -> Float[Array, "rows n"]:
        return at(model, [places[number]], {name: (array,) for name, array in part.items()})[0]

    segments = tuple(place.segment for place in places)
    return Block(segments, lambda model, chunk: at(model, places, chunk), alone, truncation)


def _condition_place(problem: Problem, group: Sequence[Condition]) -> _Place:
    first, names = group[0], tuple(condition.name for condition in group)
    segment = Segment(names, first.free, None, first.locations, first.surface)
    return _Place(segment, group[0].locations, lambda names_at, _: condition_values(problem, group, names_at))


def _data_place(problem: Problem, data: Sequence[Data], number: int) -> _Place:
    """The difference of fields and their measured values; a field that several files have is numbered."""
    known = (*problem.fields, *problem.definitions)
    fields, measured = data[number].measured(known), [field for one in data for field in one.measured(known)]
    names = tuple(
        "data"
        + (f"_{field}" if len(set(measured)) > 1 else "")
        + (f"_{number + 1}" if measured.count(field) > 1 else "")
        for field in fields
    )

    def values(names_at: Sequence[Names], target: Array | None) -> list[Any]:
        found = [names_at[0][name] for name in fields]
        if target is None:
            return found
        return [value - target[row : row + 1] for row, value in enumerate(found)]

    everywhere = (_everywhere(problem),)
    return _Place(Segment(names, problem.coordinates, data[number], everywhere), everywhere, values)


def _everywhere(problem: Problem) -> tuple[None, ...]:
    return (None,) * len(problem.coordinates)


def _starts(places: Sequence[Array]) -> list[int]:
    starts = [0]
    for place in places:
        starts.append(starts[-1] + place.shape[1])
    return starts


def part_of(names: Names, start: int, stop: int) -> dict[str, Any]:
    """All names at some of the points."""
    return {k: columns(v, start, stop) if isinstance(v, Jet) else v for k, v in names.items()}
