"""Dense output in discrete time: the polynomial through the stages of a step."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.jets import Jet, Truncation
from qres.posed.evaluator import rows_at
from qres.problems import Problem
from qres.runtime.devices import chunk_size
from qres.runtime.errors import InputError

from ._evaluate import CHUNK
from ._model import Model
from ._requests import Request, requested, value_of
from ._scheme import Scheme
from ._stages import Stages


class StageEvaluator:
    """Fields of one problem at points of space and time, from the stages of a scheme; as `Evaluator`."""

    def __init__(self, problem: Problem, scheme: Scheme) -> None:
        self.problem, self.scheme = problem, scheme
        self._compiled: dict[tuple[Request, ...], Callable[..., Array]] = {}

    @cached_property
    def _stages(self) -> Stages:
        return Stages(self.problem, self.scheme)

    def __call__(
        self, model: Model, points: Float[np.ndarray, "d n"], requests: tuple[Request, ...]
    ) -> Float[np.ndarray, "requests n"]:
        """Each request's values at all points."""
        place, n = self._stages.place, points.shape[1]
        weights = self.scheme.interpolation(points[place])
        if requests not in self._compiled:
            self._compiled[requests] = eqx.filter_jit(self._program(requests))
        size = min(chunk_size(CHUNK), max(1, n))

        def chunks(array: np.ndarray) -> Array:
            padded = np.pad(array, ((0, 0), (0, -n % size)), mode="edge")
            return jnp.asarray(padded.reshape(len(array), -1, size).transpose(1, 0, 2))

        values = self._compiled[requests](model, chunks(points), chunks(weights))
        return np.asarray(values).transpose(1, 0, 2).reshape(len(requests), -1)[:, :n]

    def _program(self, requests: tuple[Request, ...]) -> Callable[[Model, Array, Array], Array]:
        truncation, stages = self._truncation(requests), self._stages

        def one(model: Model, points: Array, weights: Array) -> Array:
            t, space = points[stages.place][None], jnp.delete(points, stages.place, axis=0)
            names = stages.names(model, truncation, space)
            fields = {name: _between(names[name], weights) for name in self.problem.fields}
            coordinates = stages.coordinates(truncation, space, t)
            found = self.problem.names(fields, coordinates, model.parameters(self.problem))
            return jnp.concatenate([rows_at(value_of(request, found), points) for request in requests])

        return lambda model, points, weights: jax.lax.map(lambda c: one(model, *c), (points, weights))

    def _truncation(self, requests: tuple[Request, ...]) -> Truncation:
        needed = requested(self._stages.problem, requests)
        if any(index[self._stages.place] for index in needed.indices):
            raise InputError("a solution in discrete time has no derivatives in t")
        return needed


def _between(field: Jet, weights: Float[Array, "outputs n"]) -> Jet:
    """One row, from a row for each output."""
    return Jet(
        field.truncation,
        [None if c is None else jnp.sum(weights * c, axis=0, keepdims=True) for c in field.coefficients],
    )
