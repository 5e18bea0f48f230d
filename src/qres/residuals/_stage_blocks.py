"""Blocks of discrete time: what the stages make of each snapshot, and the conditions of space at all stages."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.fields import TIME, Model, Names, Part, Scheme, Stages, stacked
from qres.geometry import placed
from qres.jets import Truncation
from qres.posed import Condition

from ._block import Block, Chunk, Segment, condition_values, part_of


def snapshot_block(stages: Stages, parts: Sequence[Part]) -> Block:
    """What the stages make of every snapshot; all snapshots go through the network side by side."""
    problem, scheme = stages.problem, stages.scheme
    truncation, rates_of = stages.equations()

    def at(model: Model, chosen: Sequence[Part], chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
        counts = [points.shape[1] for points in chunk["points"]]
        total, edges = sum(counts), [0, *itertools.accumulate(counts)]
        names = stages.names(model, truncation, jnp.concatenate(chunk["points"], axis=1))
        rates = rates_of(names, total)
        outputs = [stacked(names[field], len(scheme.times), total) for field in problem.fields]
        results = []
        for part, target, a, b in zip(chosen, chunk["targets"], edges[:-1], edges[1:], strict=True):
            results.append(
                jnp.concatenate(
                    [
                        output[part.rows, a:b] + part.matrix @ rate[:, a:b] - target[row]
                        for row, (output, rate) in enumerate(zip(outputs, rates, strict=True))
                    ]
                )
            )
        return tuple(results)

    segments = tuple(
        Segment(_names(problem.fields, number, scheme), scheme.domain(problem).coordinates)
        for number in range(len(parts))
    )
    return Block(
        segments,
        lambda model, chunk: at(model, parts, chunk),
        lambda model, place, part: at(model, [parts[place]], {k: (v,) for k, v in part.items()})[0],
        truncation,
    )


def _names(fields: Sequence[str], number: int, scheme: Scheme) -> tuple[str, ...]:
    term = f"snapshot_{number + 1}" if scheme.inverse else "stages"
    return (term,) if len(fields) == 1 else tuple(f"{term}_{field}" for field in fields)


def condition_block(stages: Stages, conditions: Sequence[Condition]) -> Block:
    """All conditions of space, at all stages; those at the same places are one segment."""
    problem, count = stages.problem, len(stages.scheme.times)
    groups: dict[Any, list[Condition]] = {}
    for condition in conditions:
        groups.setdefault(condition.locations, []).append(condition)

    def values(group: Sequence[Condition], names_at: Sequence[Names]) -> list[Any]:
        return condition_values(problem, group, names_at)

    needs = [
        stages.truncation(lambda names, group=group: values(group, [names] * len(group[0].locations)))
        for group in groups.values()
    ]
    truncation = Truncation.closure(problem.coordinates, [k for need in needs for k in need.indices])

    def alone(model: Model, place: int, part: dict[str, Array]) -> Float[Array, "rows n"]:
        places, group = list(groups.items())[place]
        n = part["points"].shape[1]
        in_space = [(*where[: stages.place], *where[stages.place + 1 :]) for where in places]
        arrays = [placed(part["points"], where) for where in in_space]
        everywhere = stages.names(model, truncation, jnp.concatenate(arrays, axis=1))
        names_at = [part_of(everywhere, k * n, (k + 1) * n) for k in range(len(places))]
        return jnp.concatenate([stacked(value, count, n) for value in values(group, names_at)])

    def residuals(model: Model, chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
        return tuple(alone(model, k, {"points": points}) for k, points in enumerate(chunk["points"]))

    segments = tuple(
        Segment(tuple(c.name for c in group), tuple(name for name in group[0].free if name != TIME))
        for group in groups.values()
    )
    return Block(segments, residuals, alone, truncation)
