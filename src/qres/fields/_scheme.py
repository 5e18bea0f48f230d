"""Implicit Runge–Kutta schemes with Gauss–Legendre stages, as matrices, with dense output.

Several steps in a row are one Runge–Kutta method again, whose tableau is that of each step in blocks; so a chain of
steps is solved as one, and a step that follows starts from the result of the one before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from qres.problems import Problem
from qres.reference import Tableau, gauss_legendre
from qres.runtime.errors import InputError, check_keys, number, whole_number

from ._time import MOST_STAGES

TIME = "t"
MOST_STEPS = 200
_OUTSIDE = 1e-9  # of the whole time: so much rounding is allowed


class NetworkDomain(NamedTuple):
    """What a network for stages must know of a problem: coordinates of space, and as many outputs as stages."""

    coordinates: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    periodic: tuple[str, ...]
    fields: tuple[str, ...]


class Part(NamedTuple):
    """`U[rows] + matrix N[U] = u` at a snapshot u; U are all outputs of a field, N[U] is its rate at the stages."""

    rows: Int[np.ndarray, " rows"]
    matrix: Float[np.ndarray, "rows stages"]


@dataclass(frozen=True)
class Scheme:
    """Steps between the times `edges`, each with so many stages.

    Forward, the outputs are all stages and the value at the end; inverse, where values at all edges are given, the
    stages alone.
    """

    stages: int
    edges: tuple[float, ...]
    inverse: bool = False

    def __post_init__(self) -> None:
        if whole_number(self.stages, 1, "stages") > MOST_STAGES:
            raise InputError(f"stages must be at most {MOST_STAGES}, not {self.stages}")
        for edge in self.edges:
            number(edge, "a time between steps")
        if not 1 <= len(self.edges) - 1 <= MOST_STEPS:
            raise InputError(f"1 to {MOST_STEPS} steps are possible, not {len(self.edges) - 1}")
        if any(b <= a for a, b in zip(self.edges[:-1], self.edges[1:], strict=True)):
            raise InputError(f"the times between steps must ascend, not {self.edges}")

    @cached_property
    def tableau(self) -> Tableau:
        """Of one step."""
        return gauss_legendre(self.stages)

    @cached_property
    def stage_times(self) -> Float[np.ndarray, " stages"]:
        """The times of all stages of all steps."""
        return np.concatenate(
            [a + (b - a) * self.tableau.c for a, b in zip(self.edges[:-1], self.edges[1:], strict=True)]
        )

    @cached_property
    def times(self) -> Float[np.ndarray, " outputs"]:
        """The times of all outputs."""
        return self.stage_times if self.inverse else np.append(self.stage_times, self.edges[-1])

    def domain(self, problem: Problem) -> NetworkDomain:
        """The network's domain: the space of a problem, and for each field as many outputs as there are times."""
        space = [name for name in problem.coordinates if name != TIME]
        bounds = [problem.bounds[name] for name in space]
        return NetworkDomain(
            tuple(space),
            tuple(low for low, _ in bounds),
            tuple(high for _, high in bounds),
            tuple(name for name in problem.periodic if name != TIME),
            tuple(f"{field}_{k}" for field in problem.fields for k in range(len(self.times))),
        )

    def parts(self) -> tuple[Part, ...]:
        """What holds at each snapshot: forward, at the one that all begins with; inverse, at every edge."""
        return self._inverse_parts() if self.inverse else (self._forward_part(),)

    def _forward_part(self) -> Part:
        """`U_i - Δt Σ_j a_ij N[U_j] = u`, `U_{q+1} - Δt Σ_j b_j N[U_j] = u`, with all steps before a stage."""
        q, steps = self.stages, len(self.edges) - 1
        matrix = np.zeros((q * steps + 1, q * steps))
        for step, length in enumerate(np.diff(self.edges)):
            own = slice(step * q, (step + 1) * q)
            matrix[own, own] = length * self.tableau.a
            matrix[(step + 1) * q :, own] = length * self.tableau.b
        return Part(np.arange(q * steps + 1), -matrix)

    def _inverse_parts(self) -> tuple[Part, ...]:
        """`U_i - Δt Σ_j a_ij N[U_j]` is the snapshot before a step, `U_i + Δt Σ_j (b_j - a_ij) N[U_j]` that after."""
        q, steps = self.stages, len(self.edges) - 1
        parts = []
        for edge in range(steps + 1):
            rows, blocks = [], []
            for step in (edge, edge - 1):
                if 0 <= step < steps:
                    length = self.edges[step + 1] - self.edges[step]
                    block = np.zeros((q, q * steps))
                    after = self.tableau.b if step < edge else 0.0
                    block[:, step * q : (step + 1) * q] = length * (after - self.tableau.a)
                    rows.append(np.arange(step * q, (step + 1) * q))
                    blocks.append(block)
            parts.append(Part(np.concatenate(rows), np.concatenate(blocks)))
        return tuple(parts)

    def interpolation(self, t: Float[np.ndarray, " n"]) -> Float[np.ndarray, "outputs n"]:
        """Weights that give values at any time from the outputs: the polynomial through those of the step it is in."""
        first, last = self.edges[0], self.edges[-1]
        slack = _OUTSIDE * (last - first)
        if len(t) and (t.min() < first - slack or t.max() > last + slack):
            wrong = t.min() if t.min() < first - slack else t.max()
            raise InputError(f"t = {wrong:g} is outside the time that was solved, [{first:g}, {last:g}]")
        weights = np.zeros((len(self.times), len(t)))
        steps = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self.edges) - 2)
        for step in np.unique(steps):
            final = step == len(self.edges) - 2
            nodes = np.arange(step * self.stages, len(self.times) if final else (step + 1) * self.stages)
            here = np.flatnonzero(steps == step)
            weights[np.ix_(nodes, here)] = _lagrange(self.times[nodes], t[here])
        return weights

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"stages": self.stages, "edges": list(self.edges), "inverse": self.inverse}

    @staticmethod
    def from_dict(table: Mapping[str, Any]) -> Scheme:
        """The inverse of `to_dict`."""
        table = check_keys(table, ("stages", "edges", "inverse"), "the scheme")
        edges = tuple(number(edge, "a time between steps") for edge in table["edges"])
        return Scheme(table["stages"], edges, bool(table["inverse"]))


def _lagrange(nodes: Float[np.ndarray, " k"], t: Float[np.ndarray, " n"]) -> Float[np.ndarray, "k n"]:
    """Lagrange's polynomials by the barycentric formula (J.-P. Berrut, L. N. Trefethen, SIAM Review 46, 2004)."""
    apart = nodes[:, None] - nodes[None, :]
    np.fill_diagonal(apart, 1.0)
    logarithm = -np.sum(np.log(np.abs(apart)), axis=1)  # the weights themselves overflow at hundreds of nodes
    weights = np.prod(np.sign(apart), axis=1) * np.exp(logarithm - logarithm.max())
    distance = t[None, :] - nodes[:, None]
    at_node = np.abs(distance) < 1e-14 * float(np.abs(nodes).max())
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = weights[:, None] / distance
        values = terms / terms.sum(axis=0)
    hit = at_node.any(axis=0)
    values[:, hit] = at_node[:, hit]
    return values
