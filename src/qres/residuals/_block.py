"""Blocks: named residuals that share one pass through the network.

The equations are one block, at points inside the domain. All conditions and data are another: their points,
wherever they are, go through the network side by side, which costs less to run and to compile than a pass for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.data import Data
from qres.fields import Model, model_fields, recorded_fields
from qres.jets import Truncation
from qres.posed import Condition
from qres.posed.evaluator import Place, Residuals, Term
from qres.problems import Problem

from ._combinations import combined
from ._known import Table, known_jets, known_table

Chunk = dict[str, tuple[Array, ...]]
Evaluation = Callable[[Model, Chunk], tuple[Float[Array, "rows n"], ...]]


@dataclass(frozen=True)
class Segment:
    """Residuals `names` (rows) at the same points, and where these are."""

    names: tuple[str, ...]
    place: Place
    data: Data | None = None  # where the points and values are measured, not drawn
    term: Term | None = None  # of the user's own, with points of its own


@dataclass(frozen=True)
class Block:
    """Segments that share a pass through the network.

    `residuals(model, chunk)` gives `(rows, n)` for each segment, from a chunk that holds `points`, `(d, n)` for each
    segment, and whatever else the block's batch has. `parts` are the segments one by one, each as a block of its own.
    `known(points)` is what the batch may have as `known`, so that it is computed once.
    """

    segments: tuple[Segment, ...]
    residuals: Evaluation
    truncation: Truncation
    parts: tuple[Block, ...] = ()
    known: Table | None = None
    nodes: int = 0  # further values of the fields that integrals take for each point

    @property
    def names(self) -> tuple[str, ...]:
        """All residuals, in order."""
        return tuple(name for segment in self.segments for name in segment.names)

    @property
    def channels(self) -> int:
        """How many values a point takes of the network: Taylor coefficients, and those at nodes of integrals."""
        return len(self.truncation) + self.nodes

    @staticmethod
    def of(
        segments: Sequence[Segment],
        evaluation: Callable[[Sequence[int]], Evaluation],
        truncation: Truncation,
        known: Table | None = None,
        nodes: int = 0,
    ) -> Block:
        """A block, and each of its segments alone, from what evaluates the segments of some numbers."""
        parts = tuple(
            Block((segment,), evaluation([number]), truncation, nodes=nodes)
            for number, segment in enumerate(segments)
        )
        return Block(tuple(segments), evaluation(range(len(segments))), truncation, parts, known, nodes)


def equation_block(problem: Problem) -> Block:
    """All equations, at points inside the domain."""
    residuals = Residuals.of(problem)
    truncation = residuals.needed(recorded_fields(problem))
    through = combined(problem, truncation, residuals)
    return _block(problem, residuals, truncation, through, known_table(problem, truncation))


def place_block(
    problem: Problem,
    conditions: Sequence[Condition],
    data: Sequence[Data] = (),
    terms: Mapping[str, Term] | None = None,
) -> Block:
    """All conditions, those at the same places as one segment, all measurements, one segment a file, and own terms."""
    residuals = Residuals.of(problem, equations=False, conditions=conditions, data=data, terms=terms)
    truncation = residuals.needed(recorded_fields(problem))
    return _block(problem, residuals, truncation, truncation, None)


def _block(
    problem: Problem, residuals: Residuals, truncation: Truncation, through: Truncation, known: Table | None
) -> Block:
    """The residuals of a model; through its network flow the coefficients of `through`."""

    def evaluation(chosen: Sequence[int]) -> Evaluation:
        mine = Residuals(problem, [one for number in chosen for one in residuals.groups[number]])

        def at(model: Model, chunk: Chunk) -> tuple[Float[Array, "rows n"], ...]:
            table = known_jets(problem, truncation, chunk.get("known", (None,))[0])
            found = mine.at(
                model_fields(problem, model, through, table),
                chunk["points"],
                model.parameters(problem),
                truncation=truncation,
                targets=chunk.get("targets"),
                at_nodes=model_fields(problem, model),
            )
            return tuple(jnp.concatenate([found[one.name] for one in group]) for group in mine.groups)

        return at

    return Block.of(segments_of(residuals), evaluation, through, known, residuals.nodes)


def segments_of(residuals: Residuals) -> list[Segment]:
    """The groups of residuals, which are at the same points."""
    return [
        Segment(
            tuple(one.name for one in group),
            group[0].place,
            None if group[0].measured is None else group[0].measured.data,
            group[0].term,
        )
        for group in residuals.groups
    ]
