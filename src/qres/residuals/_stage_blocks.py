"""Residual blocks of discrete time: the stages against each snapshot, and spatial conditions at all stages."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.fields import Model, Part, Scheme, Stages, recorded_fields
from qres.posed import Condition
from qres.posed.evaluator import Place, Residuals, rows_at

from ._block import Block, Chunk, Evaluation, Segment, segments_of


def snapshot_block(stages: Stages, parts: Sequence[Part]) -> Block:
    """What the stages make of every snapshot; all snapshots go through the network side by side."""
    problem, scheme = stages.problem, stages.scheme
    truncation, rates_of = stages.equations()

    def evaluation(chosen: Sequence[int]) -> Evaluation:
        def at(model: Model, chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
            points = jnp.concatenate(chunk["points"], axis=1)
            edges = [0, *itertools.accumulate(array.shape[1] for array in chunk["points"])]
            names = stages.names(model, truncation, points)
            rates = rates_of(names, points)
            outputs = [rows_at(names[field], points, len(scheme.times)) for field in problem.fields]
            results = []
            for number, target, a, b in zip(chosen, chunk["targets"], edges[:-1], edges[1:], strict=True):
                part = parts[number]
                results.append(
                    jnp.concatenate(
                        [
                            output[part.rows, a:b] + part.matrix @ rate[:, a:b] - target[row]
                            for row, (output, rate) in enumerate(zip(outputs, rates, strict=True))
                        ]
                    )
                )
            return tuple(results)

        return at

    inside = Place.everywhere(scheme.domain(problem).coordinates)
    segments = [Segment(_names(problem.fields, number, scheme), inside) for number in range(len(parts))]
    return Block.of(segments, evaluation, truncation)


def _names(fields: Sequence[str], number: int, scheme: Scheme) -> tuple[str, ...]:
    term = f"snapshot_{number + 1}" if scheme.inverse else "stages"
    return (term,) if len(fields) == 1 else tuple(f"{term}_{field}" for field in fields)


def condition_block(stages: Stages, conditions: Sequence[Condition]) -> Block:
    """All conditions of space, at all stages; those at the same places are one segment."""
    problem, count, place = stages.problem, len(stages.scheme.times), stages.place
    residuals = Residuals.of(problem, equations=False, conditions=conditions)
    truncation = stages.in_space(residuals.needed(recorded_fields(problem)))

    def evaluation(chosen: Sequence[int]) -> Evaluation:
        mine = Residuals(problem, [one for number in chosen for one in residuals.groups[number]])

        def at(model: Model, chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
            # A row for the time, which is the stages' own, makes points of space and time of those of space.
            points = [jnp.insert(array, place, 0.0, axis=0) for array in chunk["points"]]
            found = mine.from_names(
                lambda x: stages.names(model, truncation, jnp.delete(x, place, axis=0)), points, rows=count
            )
            return tuple(jnp.concatenate([found[one.name] for one in group]) for group in mine.groups)

        return at

    return Block.of(segments_of(residuals), evaluation, truncation)
