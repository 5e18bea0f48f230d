"""Blocks: named residuals that share their points, and so one pass through the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.jets import Recording, Truncation, needed
from qres.problems import Condition, Equation, Problem

from ._model import Model, fields_at, value_of

Chunk = dict[str, Array]


@dataclass(frozen=True)
class Block:
    """Residuals `names` (rows) at points (columns).

    `residual(model, chunk)` gives `(rows, n)` from a chunk that holds `points` of shape `(d, n)` and whatever else the
    block's batch has. `free` are the coordinates that its points vary in, `fixed` the values of the others.
    """

    names: tuple[str, ...]
    residual: Callable[[Model, Chunk], Float[Array, "rows n"]]
    truncation: Truncation
    free: tuple[str, ...]

    @property
    def channels(self) -> int:
        """How many Taylor coefficients flow through the network."""
        return len(self.truncation)


def _recorded(problem: Problem, residual: Callable[[Mapping[str, Any]], Any]) -> Truncation:
    """What a residual needs of the network, through the hard transform and the definitions."""
    coordinates = {name: Recording.field(problem.coordinates) for name in problem.coordinates}
    constants = {**problem.constants, **{name: 1.0 for name in problem.unknowns}}

    def run(raw: Mapping[str, Recording]) -> Any:
        fields = problem.fields_from(raw, coordinates, {name: 1.0 for name in problem.unknowns})
        return residual({**constants, **coordinates, **fields})

    return needed(run, problem.fields, problem.coordinates)


def equation_block(problem: Problem, equations: Sequence[Equation]) -> Block:
    """All equations, at points inside the domain."""

    def values(names: Mapping[str, Any]) -> list[Any]:
        return [equation.residual(names) for equation in equations]

    truncation = _recorded(problem, values)

    def residual(model: Model, chunk: Chunk) -> Float[Array, "rows n"]:
        points = chunk["points"]
        names = fields_at(problem, model, truncation, points)
        return jnp.concatenate([value_of(value, points) for value in values(names)])

    return Block(tuple(e.name for e in equations), residual, truncation, problem.coordinates)


def condition_blocks(problem: Problem, conditions: Sequence[Condition]) -> list[Block]:
    """Conditions, those at the same places together."""
    groups: dict[tuple[Any, ...], list[Condition]] = {}
    for condition in conditions:
        groups.setdefault(condition.locations, []).append(condition)
    return [_condition_block(problem, group) for group in groups.values()]


def _condition_block(problem: Problem, conditions: Sequence[Condition]) -> Block:
    locations = conditions[0].locations

    def values(names_at: Sequence[Mapping[str, Any]]) -> list[Any]:
        several = len(locations) > 1
        free = {k: v for k, v in names_at[0].items() if not (several and k in problem.coordinates)}
        shared = {**free, **{name: names_at[0][name] for name in conditions[0].free}}
        return [condition.residual(names_at, shared) for condition in conditions]

    truncation = _recorded(problem, lambda names: values([names] * len(locations)))

    def residual(model: Model, chunk: Chunk) -> Float[Array, "rows n"]:
        free = chunk["points"]
        places = [
            jnp.stack(
                [
                    jnp.full_like(free[i], value) if value is not None else free[i]
                    for i, value in enumerate(location)
                ]
            )
            for location in locations
        ]
        names_at = [fields_at(problem, model, truncation, place) for place in places]
        return jnp.concatenate([value_of(value, free) for value in values(names_at)])

    return Block(tuple(c.name for c in conditions), residual, truncation, conditions[0].free)
