"""A window as a least-squares problem: the rows of equations, of conditions and of the state that it begins with."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from qres.least_squares import Lineariser, draw_points, outputs_at, solve_dense
from qres.networks import Network
from qres.posed.evaluator import Residual, Residuals

from ._evolution import Evolution
from ._state import Handover, States, Weights
from ._tables import Table

_STATE_WEIGHT = (
    30.0  # of the state rows against an equation; a large one asks for layers that a window cannot resolve
)
_CONDITION_WEIGHT = 30.0
RIDGE = 1e-12
_RIDGE = 1e-11  # where nothing but the state says what outputs are
_EACH = 2.0  # points for each feature along a line
_ALIKE = 5.0
_SMALLEST = 1e-30  # of the largest size: what vanishes is not divided by

Raw = list[Float[np.ndarray, "locations fields indices n"]]  # by group


@dataclass(frozen=True)
class Span:
    """When a window begins, and how long it is."""

    start: float
    length: float

    @property
    def stop(self) -> float:
        """When it ends."""
        return self.start + self.length


@dataclass(frozen=True)
class Linear:
    """One residual about some outputs: its values, and its slopes in the coefficients of all outputs."""

    residual: Residual
    value: Float[np.ndarray, " n"]
    slopes: Float[np.ndarray, "locations fields indices n"]


@dataclass(frozen=True)
class Sizes:
    """What rows are divided by: by residual, and by field for the state."""

    residuals: dict[str, float] = field(default_factory=dict)
    fields: Float[np.ndarray, " fields"] = field(default_factory=lambda: np.ones(0))

    def is_like(self, other: Sizes) -> bool:
        """Whether others weigh all rows about the same."""
        ratios = [size / other.residuals[name] for name, size in self.residuals.items()]
        ratios += list(self.fields / other.fields)
        return max(ratios) < _ALIKE and min(ratios) > 1 / _ALIKE


class WindowSystem:
    """The rows of any window of a problem, in features that are the same for all of them.

    Args:
        evolution: the problem.
        network: of one hidden layer, over the box of the problem.
        seed: of the points.
        stream: the name of their stream of random numbers.
    """

    def __init__(self, evolution: Evolution, network: Network, seed: int, stream: str) -> None:
        self.evolution, self.network = evolution, network
        problem = evolution.problem
        self._residuals = Residuals.of(problem, conditions=evolution.lasting)
        self._lineariser = Lineariser(problem, self._residuals)
        self.is_affine = self._lineariser.affine
        self._truncation = self._lineariser.truncation
        self._points = self._draw(network.architecture.width, seed, stream)
        self._tables = [
            [Table(network, self._truncation, there) for there in self._lineariser.locations(number, x)]
            for number, x in enumerate(self._points)
        ]
        self.ridge = 3e-16 if len(problem.coordinates) == 1 else RIDGE
        self.handover = Handover(evolution, network, seed)
        self._orders = np.array([index[evolution.place] for index in self._truncation.indices])

    def _draw(self, width: int, seed: int, stream: str) -> list[Float[np.ndarray, "d n"]]:
        problem = self.evolution.problem
        if len(problem.coordinates) > 1:
            return draw_points(problem, self._residuals, width, seed, stream)
        (low,), (high,) = problem.lower, problem.upper
        count = round(_EACH * width) + sum(map(ord, stream)) % 7  # others for what is compared with
        nodes = low + (high - low) * (0.5 - 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / count))
        return [nodes[None] for _ in self._residuals.groups]

    @property
    def nothing(self) -> Weights:
        """Weights that are zero."""
        return np.zeros((len(self.evolution.problem.fields), self.network.architecture.width + 1))

    def rate(self, span: Span) -> float:
        """How much faster time runs in the box of the problem than in a window."""
        low, high = self.evolution.problem.bounds[self.evolution.axis]
        return (high - low) / span.length

    def outputs(self, weights: Weights, span: Span) -> Raw:
        """The coefficients of all outputs at the points of all groups and locations."""
        rates = self.rate(span) ** self._orders
        return [np.stack([table.outputs(weights, rates) for table in group]) for group in self._tables]

    def outputs_of(self, network: Network, weights: Weights, span: Span) -> Raw:
        """Those of other features at the same points."""
        rates = self.rate(span) ** self._orders
        return self._evaluated(network, weights, rates, None)

    def still(self, weights: Weights) -> Raw:
        """Those of outputs that stay as they are at the end of another window."""
        rates = np.where(self._orders == 0, 1.0, 0.0)
        return self._evaluated(
            self.network, weights, rates, self.evolution.problem.bounds[self.evolution.axis][1]
        )

    def _evaluated(self, network: Network, weights: Weights, rates: np.ndarray, time: float | None) -> Raw:
        found = []
        for group in self._tables:
            own = []
            for table in group:
                points = table.points.copy()
                if time is not None:
                    points[self.evolution.place] = time
                raw = outputs_at(network, weights[:, :-1], self._truncation, points)
                raw[:, 0] += weights[:, -1:]
                own.append(raw * rates[:, None])
            found.append(np.stack(own))
        return found

    def linearised(self, raw: Raw, span: Span) -> list[Linear]:
        """All residuals about some outputs."""
        place, (low, _) = self.evolution.place, self.evolution.problem.bounds[self.evolution.axis]
        found = []
        for number, (x, own) in enumerate(zip(self._points, raw, strict=True)):
            points = x.copy()
            points[place] = span.start + (x[place] - low) / self.rate(span)
            group = self._residuals.groups[number]
            for residual, one in zip(group, self._lineariser.at(number, points, own, {}), strict=True):
                found.append(Linear(residual, one.value, one.slopes))
        return found

    def resting(self, state: States) -> Weights:
        """Weights of outputs that end in a state and hardly vary otherwise."""
        time, none = self.evolution.problem.bounds[self.evolution.axis][1], self.nothing
        value, columns = self.handover.rows(none, time, 1.0, end=True)
        rows = np.moveaxis(columns, 0, -2).reshape(none.size, -1)
        return solve_dense(rows, np.ravel(state - value), _RIDGE).reshape(none.shape)

    def sizes(self, raw: Raw, linear: list[Linear], state: States, span: Span, least: float) -> Sizes:
        """How large fields are in a window, at least a share of the largest, and the terms of each residual."""
        values = np.concatenate(
            [one[:, :, 0].swapaxes(0, 1).reshape(one.shape[1], -1) for one in raw], axis=1
        )
        largest = np.max(np.abs(values), axis=1)
        for (name, order), row in zip(self.evolution.state, state, strict=True):
            place = self.evolution.problem.fields.index(name)
            largest[place] = max(largest[place], float(np.max(np.abs(row))) * span.length**order)
        fields = (
            np.maximum(largest, least * np.max(largest)) if np.max(largest) > 0 else np.ones_like(largest)
        )
        # A term is as large as it is now, or as one that changes by the size of its field over the window.
        turns = np.array([_turn(index, self.evolution.place, span) for index in self._truncation.indices])
        groups = {r.name: g for g, group in enumerate(self._residuals.groups) for r in group}
        found = {}
        for one in linear:
            own = raw[groups[one.residual.name]]
            now = np.sqrt(np.mean((one.slopes * own) ** 2, axis=-1))
            rest = np.sqrt(np.mean(one.slopes**2, axis=-1)) * (fields[:, None] * turns)
            found[one.residual.name] = float(max(np.max(now), np.max(rest)))
        most = max(found.values())
        return Sizes({name: max(size, _SMALLEST * most) or 1.0 for name, size in found.items()}, fields)

    def solved(
        self, raw: Raw, linear: list[Linear], weights: Weights, target: States, span: Span, sizes: Sizes
    ) -> Weights:
        """The weights that solve the problem linearised about some outputs, by least squares.

        Args:
            raw: the outputs.
            linear: the residuals about them.
            weights: what the state is linearised about.
            target: the state to begin with.
            span: the window.
            sizes: of residuals and fields.
        """
        rates = self.rate(span) ** self._orders
        value, columns = self.handover.rows(weights, span.start, self.rate(span))
        fields, width = len(self.evolution.problem.fields), columns.shape[2]
        count = value.shape[1]
        right = target - value + np.einsum("sfjn,fj->sn", columns, weights)
        rows, known = [], []
        for (name, order), own, given in zip(self.evolution.state, columns, right, strict=True):
            place = self.evolution.problem.fields.index(name)
            factor = _STATE_WEIGHT * span.length**order / sizes.fields[place] / np.sqrt(count)
            rows.append(factor * own.reshape(fields * width, -1))
            known.append(factor * given)
        groups = {r.name: g for g, group in enumerate(self._residuals.groups) for r in group}
        for one in sorted(linear, key=lambda each: each.residual.kind == "equation"):
            number = groups[one.residual.name]
            own = sum(
                table.columns(slopes, rates)
                for table, slopes in zip(self._tables[number], one.slopes, strict=True)
            )
            weight = 1.0 if one.residual.kind == "equation" else _CONDITION_WEIGHT
            factor = weight / sizes.residuals[one.residual.name] / np.sqrt(len(one.value))
            rows.append(factor * np.reshape(own, (fields * width, -1)))
            known.append(factor * (np.sum(one.slopes * raw[number], axis=(0, 1, 2)) - one.value))
        found = solve_dense(np.concatenate(rows, axis=1), np.concatenate(known), self.ridge)
        return found.reshape(fields, width)

    def misfit(self, linear: list[Linear], sizes: Sizes) -> float:
        """How large the residuals are, relative to their terms."""
        squares = [np.mean((one.value / sizes.residuals[one.residual.name]) ** 2) for one in linear]
        return float(np.sqrt(np.sum(squares)))


def _turn(index: tuple[int, ...], place: int, span: Span) -> float:
    """The size of a time derivative of what changes by one over a window; of other derivatives nothing is known."""
    pure = sum(index) == index[place]
    return span.length ** -index[place] if pure else 0.0
