"""Plain JAX, one jitted program: derivatives by `grad` of `grad` under `vmap`, or by `jvp` of `jvp`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bench.case import Case, flat, forward
from bench.variants import Timed


def build(case: Case) -> dict[str, Timed]:
    jax.config.update("jax_enable_x64", case.dtype == "float64")
    layers = jax.tree.map(jnp.asarray, case.parameters())
    points = jnp.asarray(case.collocation_points())
    return {
        "JAX, vmap of grad of grad": _timed(case, _by_grad, layers, points),
        "JAX, jvp of jvp": _timed(case, _by_jvp, layers, points),
    }


def _timed(case: Case, residuals: Callable[..., Any], layers: Any, points: Any) -> Timed:
    def loss(layers: Any, points: Any) -> Any:
        return sum(jnp.mean(r * r) for r in residuals(case, layers, points))

    program = jax.jit(jax.value_and_grad(loss))

    def check() -> tuple[float, np.ndarray]:
        value, grad = program(layers, points)
        return float(value), flat(grad)

    return Timed(lambda: jax.block_until_ready(program(layers, points)) and None, check=check)


def _network(case: Case, layers: Any) -> Callable[[Any], Any]:
    centre, slope = case.scaling()
    return lambda x: forward(case, layers, (x - centre) * slope, jnp.tanh)


def _by_grad(case: Case, layers: Any, points: Any) -> list[Any]:
    """Every derivative a `grad` of a function of numbers; the residual at one point, under `vmap`."""
    network, statement = _network(case, layers), case.statement

    def at(point: Any) -> Any:
        @cache
        def function(field: str, by: str) -> Callable[..., Any]:
            if not by:
                place = statement.fields.index(field)
                return lambda *x: network(jnp.stack(x))[place]
            return jax.grad(function(field, by[:-1]), statement.coordinates.index(by[-1]))

        values = list(point)
        return jnp.stack(statement.residual(lambda field, by: function(field, by)(*values)))

    return [jax.vmap(at)(points)[:, row] for row in range(len(statement.text))]


def _by_jvp(case: Case, layers: Any, points: Any) -> list[Any]:
    """Every derivative a `jvp` of a function of all points at once."""
    network, statement = _network(case, layers), case.statement

    @cache
    def function(by: str) -> Callable[[Any], Any]:
        if not by:
            return network
        lower, place = function(by[:-1]), statement.coordinates.index(by[-1])
        direction = jnp.zeros_like(points).at[:, place].set(1.0)
        return lambda x: jax.jvp(lower, (x,), (direction,))[1]

    @cache
    def value(by: str) -> Any:
        return function(by)(points)

    return statement.residual(lambda field, by: value(by)[:, statement.fields.index(field)])
