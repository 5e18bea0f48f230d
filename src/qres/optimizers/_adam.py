"""Adam, by optax, many steps in one compiled call; the best point seen is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import AXIS, Target
from qres.runtime.errors import number, whole_number

from ._base import NOT_FINITE, RUNNING, check_iterations, finite, run_program

if TYPE_CHECKING:
    import optax


class AdamState(NamedTuple):
    """All that the next iteration depends on; `theta` and `value` are the best seen, `current` is where Adam is."""

    theta: Float[Array, " n"]
    value: Float[Array, ""]
    current: Float[Array, " n"]
    moments: Any
    iteration: Array
    evaluations: Array
    status: Array


@dataclass(frozen=True)
class Adam:
    """Adam with a constant learning rate, or one that halves every `halve_every` iterations (Kingma, Ba 2015)."""

    iterations: int | None = 5000
    learning_rate: float = 1e-3
    halve_every: int | None = None
    name: ClassVar[str] = "adam"
    reach: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_iterations(self.iterations)
        number(self.learning_rate, "learning_rate", above=0)
        if self.halve_every is not None:
            whole_number(self.halve_every, 1, "halve_every")

    def _rule(self) -> optax.GradientTransformation:
        import optax  # only here, where it is needed: Adam is not the default

        rate = self.learning_rate
        if self.halve_every:
            rate = optax.exponential_decay(rate, self.halve_every, 0.5)
        return optax.adam(rate)

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> AdamState:
        """Moments are zero."""

        def begin(theta: Array, batch: Any) -> AdamState:
            zero = jnp.array(0)
            return AdamState(
                theta, jnp.array(jnp.inf), theta, self._rule().init(theta), zero, zero, jnp.array(RUNNING)
            )

        return run_program(self, target, "init", begin, (P(), P(AXIS)), P(), theta, batch)

    def renew(self, target: Target, state: AdamState, batch: Any) -> AdamState:
        """Other points: what was best on the old ones need not be."""
        return state._replace(value=jnp.full_like(state.value, jnp.inf))

    def step(self, target: Target, state: AdamState, batch: Any, count: int) -> AdamState:
        """Up to `count` iterations."""

        def iterate(s: AdamState, batch: Any) -> AdamState:
            value, grad = target.value_and_grad(s.current, batch)
            sound = finite(value, grad)
            better = sound & (value < s.value)
            updates, moments = self._rule().update(grad, s.moments)
            moved = s.current + jnp.asarray(updates)
            return AdamState(
                theta=jnp.where(better, s.current, s.theta),
                value=jnp.where(better, value, s.value),
                current=jnp.where(sound, moved, s.current),
                moments=moments,
                iteration=s.iteration + 1,
                evaluations=s.evaluations + 1,
                status=jnp.where(sound, RUNNING, NOT_FINITE),
            )

        def run(state: AdamState, batch: Any, count: Array) -> AdamState:
            last = state.iteration + count
            return jax.lax.while_loop(
                lambda s: (s.iteration < last) & (s.status == RUNNING), lambda s: iterate(s, batch), state
            )

        return run_program(
            self, target, "step", run, (P(), P(AXIS), P()), P(), state, batch, jnp.array(count)
        )
