"""Levenberg–Marquardt, dense: adaptively damped Gauss–Newton steps.

`(JᵀJ + μI) δ = -Jᵀr`; μ falls after a good step and rises after a bad one (Nielsen 1999).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import AXIS, Target
from qres.runtime.errors import InputError, number

from ._base import CONVERGED, NO_DESCENT, NOT_FINITE, RUNNING, check_iterations, finite, repeat, run_program


class LMState(NamedTuple):
    """All that the next iteration depends on."""

    theta: Float[Array, " n"]
    value: Float[Array, ""]
    JTJ: Float[Array, "n n"]
    JTr: Float[Array, " n"]
    damping: Float[Array, ""]
    growth: Float[Array, ""]
    iteration: Array
    evaluations: Array
    stalled: Array
    status: Array


@dataclass(frozen=True)
class LevenbergMarquardt:
    """Levenberg–Marquardt: few, expensive iterations; at its best near the solution of a small problem."""

    iterations: int | None = None
    damping: float = 1e-3
    name: str = field(default="lm", init=False, repr=False)
    work_per_step: int = field(default=20, init=False, repr=False)
    monotone: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        check_iterations(self.iterations)
        number(self.damping, "damping", above=0)

    def bytes_needed(self, size: int) -> int:
        """Memory for `JᵀJ`, its factor, and copies."""
        return 5 * 8 * size * size

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> LMState:
        """The damping is relative to the largest curvature."""
        if target.normal is None:
            raise InputError("Levenberg-Marquardt needs residuals, not only a loss")
        normal = target.normal

        def begin(theta: Array, batch: Any) -> LMState:
            value, JTJ, JTr = normal(theta, batch)
            zero = jnp.array(0)
            damping = self.damping * jnp.max(jnp.diag(JTJ))
            status = jnp.where(finite(value, JTr), RUNNING, NOT_FINITE)
            return LMState(theta, value, JTJ, JTr, damping, jnp.array(2.0), zero, zero + 1, zero, status)

        return run_program(self, target, "init", begin, (P(), P(AXIS)), P(), theta, batch)

    def on_new_points(self, target: Target, state: LMState, batch: Any) -> LMState:
        """Other points: the damping is kept, but for one that had grown until nothing moved."""
        fresh = self.init(target, state.theta, batch)
        damping = state.damping if int(state.status) == RUNNING else fresh.damping
        return fresh._replace(damping=damping, iteration=state.iteration, evaluations=state.evaluations + 1)

    def step(self, target: Target, state: LMState, batch: Any, count: int) -> LMState:
        """Up to `count` iterations."""
        return repeat(self, target, state, batch, count, lambda s, batch: _iterate(target, s, batch))


def _iterate(target: Target, s: LMState, batch: Any) -> LMState:
    assert target.normal is not None
    damped = s.JTJ + s.damping * jnp.eye(len(s.theta))
    factor = jax.scipy.linalg.cho_factor(damped)
    delta = -jax.scipy.linalg.cho_solve(factor, s.JTr)
    solved = jnp.all(jnp.isfinite(delta))
    theta = s.theta + jnp.where(solved, delta, 0.0)
    value, JTJ, JTr = target.normal(theta, batch)
    predicted = delta @ (s.damping * delta - s.JTr)
    ratio = (s.value - value) / jnp.maximum(predicted, jnp.finfo(value.dtype).tiny)
    good = solved & finite(value, JTr) & (ratio > 0)
    shrink = jnp.maximum(1 / 3, 1 - (2 * ratio - 1) ** 3)
    damping = jnp.where(good, s.damping * shrink, s.damping * s.growth)
    changed = good & (s.value - value > 1e-14 * s.value)
    stalled = jnp.where(changed, 0, s.stalled + 1)
    status = jnp.where(stalled >= 20, jnp.where(good, CONVERGED, NO_DESCENT), RUNNING)

    def chosen(new: Array, old: Array) -> Array:
        return jnp.where(good, new, old)

    return LMState(
        theta=chosen(theta, s.theta), value=chosen(value, s.value), JTJ=chosen(JTJ, s.JTJ), JTr=chosen(JTr, s.JTr),
        damping=jnp.maximum(damping, 1e-300), growth=jnp.where(good, 2.0, jnp.minimum(2 * s.growth, 1e6)),
        iteration=s.iteration + 1, evaluations=s.evaluations + 1, stalled=stalled, status=status,
    )  # fmt: skip
