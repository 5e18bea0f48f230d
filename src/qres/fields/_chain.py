"""A chain of time windows: one model for each, and the fields of all of them as those of one solution.

The arrays of a chain's model that windows have of their own, such as the output layer, have a leading axis over the
windows; all others are shared. The network of a window covers the whole box: its time runs over the problem's interval
while that of the window does, so that windows of any length share their hidden weights and their programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int

from qres.jets import Jet, rows
from qres.posed import time_axis
from qres.posed.evaluator import Transformed, coordinate_jets, rows_at
from qres.problems import Problem
from qres.runtime.devices import chunk_size
from qres.runtime.errors import InputError, check_keys, number

from ._evaluate import CHUNK
from ._model import Model
from ._requests import Request, requested, value_of
from ._windows import MOST_WINDOWS

_LEAST_CHUNK = 16  # points: smaller chunks cost as much


@dataclass(frozen=True)
class Chain:
    """Where windows begin and end, and which arrays of the model each has its own of.

    Args:
        edges: the times between windows, the first and the last time included.
        own: the paths of the arrays with a leading axis over the windows.
    """

    edges: tuple[float, ...]
    own: frozenset[str]

    def __post_init__(self) -> None:
        for edge in self.edges:
            number(edge, "a time between windows")
        if not 1 <= self.count <= MOST_WINDOWS:
            raise InputError(f"1 to {MOST_WINDOWS} windows are possible, not {self.count}")
        if any(b <= a for a, b in zip(self.edges[:-1], self.edges[1:], strict=True)):
            raise InputError("the times between windows must ascend")

    @property
    def count(self) -> int:
        """How many windows there are."""
        return len(self.edges) - 1

    def window_of(self, t: Float[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The window of each time: at an edge the later one; before the first and after the last, these."""
        return np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, self.count - 1)

    def member(self, model: Model, window: Any) -> Model:
        """The model of one window, whose number may be traced."""
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: leaf[window] if path_text(path) in self.own else leaf, model
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"edges": list(self.edges), "own": sorted(self.own)}

    @staticmethod
    def from_dict(table: Mapping[str, Any]) -> Chain:
        """The inverse of `to_dict`."""
        table = check_keys(table, ("edges", "own"), "the windows")
        edges = tuple(number(edge, "a time between windows") for edge in table["edges"])
        return Chain(edges, frozenset(map(str, table["own"])))


def path_text(path: Any) -> str:
    """The path of an array in a model, as files name it."""
    return jax.tree_util.keystr(path).lstrip(".")


def chained(models: list[Model], shared: frozenset[str] = frozenset()) -> tuple[Model, frozenset[str]]:
    """The models of all windows as one, and the paths of the arrays that each has its own of."""
    first = models[0]
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(first, eqx.is_array))
    own = frozenset(path_text(path) for path, _ in leaves) - shared

    def joined(path: Any, *several: Any) -> Any:
        return (
            jnp.asarray(np.stack([np.asarray(one) for one in several]))
            if path_text(path) in own
            else several[0]
        )

    return jax.tree_util.tree_map_with_path(joined, *models), own


@dataclass(frozen=True)
class WindowOutputs:
    """The outputs of a window's network, in their scales, as a source of raw fields.

    Args:
        problem: whose fields these are.
        model: of the window.
        start: when it begins.
        length: of the window.
    """

    problem: Problem
    model: Model
    start: Any
    length: Any

    def __call__(self, coordinates: Mapping[str, Any]) -> dict[str, Jet]:
        """Each output as a jet of one row, over the coordinates of the problem."""
        problem = self.problem
        place = problem.coordinates.index(time_axis(problem))
        low, high = problem.lower[place], problem.upper[place]
        truncation = next(iter(coordinates.values())).truncation
        rates = (high - low) / self.length
        local = [
            low + (coordinates[name].value - self.start) * rates if i == place else coordinates[name].value
            for i, name in enumerate(problem.coordinates)
        ]
        raw = self.model.jets(truncation, jnp.concatenate(local))
        scaled = Jet(
            truncation,
            [
                c if c is None or not index[place] else c * rates ** index[place]
                for index, c in zip(truncation.indices, raw.coefficients, strict=True)
            ],
        )
        return {
            name: rows(scaled, i, i + 1) * scale + offset
            for i, (name, (offset, scale)) in enumerate(zip(problem.fields, self.model.scales, strict=True))
        }


class ChainEvaluator:
    """Fields of one problem at points of any times, from a chain of windows; as `Evaluator`."""

    def __init__(self, problem: Problem, chain: Chain) -> None:
        self.problem, self.chain = problem, chain
        self._compiled: dict[tuple[Request, ...], Callable[..., Array]] = {}
        self._place = problem.coordinates.index(time_axis(problem))

    def __call__(
        self, model: Model, points: Float[np.ndarray, "d n"], requests: tuple[Request, ...]
    ) -> Float[np.ndarray, "requests n"]:
        """Each request's values at all points."""
        if requests not in self._compiled:
            self._compiled[requests] = eqx.filter_jit(self._program(requests))
        if not points.shape[1]:
            return np.zeros((len(requests), 0))
        order, windows = self._chunks(self.chain.window_of(points[self._place]))
        chunks = points[:, order].transpose(1, 0, 2)
        values = np.asarray(self._compiled[requests](model, jax.device_put(chunks), jax.device_put(windows)))
        found = np.zeros((len(requests), points.shape[1]))
        found[:, order.ravel()] = values.transpose(1, 0, 2).reshape(len(requests), -1)
        found[:, self._unsolved(points[self._place])] = np.nan
        return found

    def _unsolved(self, t: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """The times behind the last window of a run that did not come to the end."""
        low, high = self.problem.lower[self._place], self.problem.upper[self._place]
        slack, last = 1e-9 * (high - low), self.chain.edges[-1]
        return (t > last + slack) & (last < high - slack)

    def _chunks(self, window: Int[np.ndarray, " n"]) -> tuple[Int[np.ndarray, "chunks size"], np.ndarray]:
        """The points of each chunk, which are of one window, and the window; the last point of a chunk may repeat."""
        order = np.argsort(window, kind="stable")
        numbers, counts = np.unique(window, return_counts=True)
        mean = len(window) / len(numbers)
        size = min(chunk_size(CHUNK), max(_LEAST_CHUNK, 1 << int(np.ceil(np.log2(mean)))))
        pieces, windows, first = [], [], 0
        for number_, count in zip(numbers, counts, strict=True):
            own, first = order[first : first + count], first + count
            padded = np.pad(own, (0, -count % size), mode="edge").reshape(-1, size)
            pieces.append(padded)
            windows += [number_] * len(padded)
        spare = -len(windows) % max(1, 1 << max(0, len(windows).bit_length() - 3))  # few different shapes
        pieces += [pieces[-1][-1:]] * spare
        return np.concatenate(pieces), np.array(windows + windows[-1:] * spare)

    def _program(self, requests: tuple[Request, ...]) -> Callable[[Model, Array, Array], Array]:
        truncation, problem, chain = requested(self.problem, requests), self.problem, self.chain
        starts, lengths = jnp.asarray(chain.edges[:-1]), jnp.asarray(np.diff(chain.edges))

        def one(model: Model, points: Array, window: Array) -> Array:
            member = chain.member(model, window)
            coordinates = coordinate_jets(problem.coordinates, truncation, points)
            unknowns = member.parameters(problem)
            outputs = WindowOutputs(problem, member, starts[window], lengths[window])
            fields = Transformed(problem, problem.transform, outputs, unknowns)(coordinates)
            names = problem.names(fields, coordinates, unknowns)
            return jnp.concatenate([rows_at(value_of(request, names), points) for request in requests])

        return lambda model, points, windows: jax.lax.map(lambda c: one(model, *c), (points, windows))
