"""Values and derivatives of a model's fields at many points, in chunks, compiled once."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.posed.evaluator import coordinate_jets, rows_at, with_integrals
from qres.problems import Problem
from qres.runtime.devices import chunk_size

from ._model import Model, model_fields
from ._requests import Request, requested, requested_integrals, value_of

CHUNK = 2000  # points at a time on a CPU


class Evaluator:
    """Fields of one problem, for models of one structure."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._compiled: dict[tuple[Request, ...], Callable[..., Array]] = {}

    def __call__(
        self, model: Model, points: Float[np.ndarray, "d n"], requests: tuple[Request, ...]
    ) -> Float[np.ndarray, "requests n"]:
        """Each request's values at all points."""
        if requests not in self._compiled:
            self._compiled[requests] = eqx.filter_jit(self._program(requests))
        n = points.shape[1]
        size = min(chunk_size(CHUNK), max(1, n))
        spare = -n % size
        chunks = np.pad(points, ((0, 0), (0, spare)), mode="edge").reshape(len(points), -1, size)
        values = self._compiled[requests](model, jax.device_put(chunks.transpose(1, 0, 2)))
        return np.asarray(values).transpose(1, 0, 2).reshape(len(requests), -1)[:, :n]

    def _program(self, requests: tuple[Request, ...]) -> Callable[[Model, Array], Array]:
        truncation, integrals = requested(self.problem, requests), requested_integrals(self.problem, requests)

        def one(model: Model, points: Array) -> Array:
            coordinates = coordinate_jets(self.problem.coordinates, truncation, points)
            unknowns = model.parameters(self.problem)
            source = with_integrals(self.problem, model_fields(self.problem, model), integrals, unknowns)
            names = self.problem.names(source(coordinates), coordinates, unknowns)
            return jnp.concatenate([rows_at(value_of(request, names), points) for request in requests])

        return lambda model, chunks: jax.lax.map(lambda points: one(model, points), chunks)
