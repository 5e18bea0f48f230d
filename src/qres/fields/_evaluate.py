"""Values and derivatives of a model's fields at many points, in chunks, compiled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.jets import Jet, MultiIndex, Truncation, index_of
from qres.posed.evaluator import coordinate_jets, recorded_coordinates
from qres.problems import Problem
from qres.runtime.devices import chunk_size
from qres.runtime.errors import InputError, did_you_mean

from ._model import Model, model_fields, recorded_fields

CHUNK = 2000  # points at a time on a CPU
Request = tuple[str, MultiIndex]


def parse_request(problem: Problem, text: str) -> Request:
    """A field and the derivative of it that `"u_xx"` asks for; definitions count as fields."""
    names = [*problem.fields, *problem.definitions]
    zero = (0,) * len(problem.coordinates)
    if text in names:
        return text, zero
    for field in sorted(names, key=len, reverse=True):
        if not text.startswith(f"{field}_"):
            continue
        suffix = text.removeprefix(f"{field}_")
        index = index_of(suffix, problem.coordinates) or index_of(
            suffix.replace("_", ""), problem.coordinates
        )
        if index is not None and any(index):
            return field, index
        raise InputError(
            f"{text!r}: {suffix!r} is not a derivative; the coordinates are {', '.join(problem.coordinates)}"
        )
    hint = did_you_mean(text, names) or ";"
    raise InputError(f"{text!r} is not a field{hint} those are {', '.join(names)}")


def requested(problem: Problem, requests: tuple[Request, ...]) -> Truncation:
    """What requests need of the network, through the ansatz and the definitions."""
    coordinates = recorded_coordinates(problem.coordinates)
    fields = problem.defined(recorded_fields(problem)(coordinates), coordinates, problem.start)
    asked = [fields[name].derivative(index).needs for name, index in requests]
    return Truncation.closure(problem.coordinates, frozenset().union(*asked))


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
        truncation = requested(self.problem, requests)

        def one(model: Model, points: Array) -> Array:
            coordinates = coordinate_jets(self.problem.coordinates, truncation, points)
            unknowns = model.parameters(self.problem)
            source = model_fields(self.problem, model)
            fields = self.problem.defined(source(coordinates), coordinates, unknowns)
            return jnp.concatenate([derivative_at(fields[name], index, points) for name, index in requests])

        return lambda model, chunks: jax.lax.map(lambda points: one(model, points), chunks)


def derivative_at(field: Any, index: MultiIndex, points: Array) -> Float[Array, "1 n"]:
    """A derivative of a field at each point, also where the field is the same everywhere."""
    value = field.derivative(index).value if isinstance(field, Jet) else jnp.asarray(field)
    return jnp.broadcast_to(value, (1, points.shape[1]))
