"""Methods of optax, many steps per compiled call; the best iterate is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import AXIS, Target
from qres.runtime.errors import InputError, shorten

from ._base import NOT_FINITE, RUNNING, check_iterations, check_name, finite, repeat, run_program

if TYPE_CHECKING:
    import optax


class OptaxState(NamedTuple):
    """All that the next iteration depends on; `theta` and `value` are the best seen, `current` is where optax is."""

    theta: Float[Array, " n"]
    value: Float[Array, ""]
    current: Float[Array, " n"]
    moments: Any  # optax's own state
    iteration: Array
    evaluations: Array
    status: Array


class OptaxMethod:
    """What methods of optax share; a final class says which transformation of gradients it is.

    Optax is imported where it is needed: it takes long, and no method of its is the default.
    """

    work_per_step: int = 1
    monotone: bool = False

    def rule(self) -> optax.GradientTransformation:
        """The transformation of gradients into updates."""
        raise NotImplementedError

    def bytes_needed(self, size: int) -> int:
        """A few vectors: nothing beside a dense matrix."""
        return 0

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> OptaxState:
        """Optax's state at the beginning; the loss is found by the first step."""

        def begin(theta: Array, batch: Any) -> OptaxState:
            zero = jnp.array(0)
            moments = _without_keys(self.rule().init(theta))
            return OptaxState(theta, jnp.array(jnp.inf), theta, moments, zero, zero, jnp.array(RUNNING))

        return run_program(self, target, "init", begin, (P(), P(AXIS)), P(), theta, batch)

    def on_new_points(self, target: Target, state: OptaxState, batch: Any) -> OptaxState:
        """Other points: what was best on the old ones need not be, and what a line search found is of the old loss."""
        unknown = jnp.full_like(state.value, jnp.inf)
        moments = jax.tree.map(
            lambda part: part._replace(value=unknown) if _stores_loss(part) else part,
            state.moments,
            is_leaf=_stores_loss,
        )
        return state._replace(value=unknown, moments=moments)

    def step(self, target: Target, state: OptaxState, batch: Any, count: int) -> OptaxState:
        """Up to `count` iterations."""
        return repeat(self, target, state, batch, count, lambda s, batch: self._iterate(target, s, batch))

    def _iterate(self, target: Target, s: OptaxState, batch: Any) -> OptaxState:
        import optax

        rule = optax.with_extra_args_support(self.rule())
        before = _with_keys(s.moments, rule.init(s.current))
        loss = _differentiable(target, batch)
        if any(map(_stores_loss, jax.tree.leaves(before, is_leaf=_stores_loss))):
            known: Any = optax.value_and_grad_from_state(loss)
            value, grad = known(s.current, state=before)
        else:
            value, grad = target.value_and_grad(s.current, batch)
        sound = finite(value, grad)
        better = sound & (value < s.value)
        updates, moments = rule.update(grad, before, s.current, value=value, grad=grad, value_fn=loss)
        return OptaxState(
            theta=jnp.where(better, s.current, s.theta),
            value=jnp.where(better, value, s.value),
            current=jnp.where(sound, s.current + jnp.asarray(updates), s.current),
            moments=_without_keys(moments),
            iteration=s.iteration + 1,
            evaluations=s.evaluations + 1,
            status=jnp.where(sound, RUNNING, NOT_FINITE),
        )


@dataclass(frozen=True, repr=False)
class Optax(OptaxMethod):
    """Any transformation of optax, such as `Optax(optax.adamw(1e-3), 5000)`: schedules and line searches too.

    Args:
        transformation: of gradients, which are one flat vector here; a mask by layers has nothing to hold on to.
        iterations: of this stage; None for no limit of its own.
        name: in records.
    """

    transformation: optax.GradientTransformation
    iterations: int | None = None
    name: str = "optax"

    def __post_init__(self) -> None:
        check_name(self.name)
        check_iterations(self.iterations)
        parts = self.transformation if isinstance(self.transformation, tuple) else ()
        if len(parts) != 2 or not all(map(callable, parts)):
            raise InputError(
                f"Optax: {shorten(repr(self.transformation))} is no transformation; give one such as optax.adamw(1e-3)"
            )

    def rule(self) -> optax.GradientTransformation:
        """The transformation that was given."""
        return self.transformation

    def __repr__(self) -> str:
        return f"Optax(name={self.name!r}, iterations={self.iterations})"


def _differentiable(target: Target, batch: Any) -> Any:
    """The loss as a function that JAX may differentiate: by the gradient that the target has, through no device's sum.

    What differentiates the program itself would go through loops and native code that have no derivative.
    """

    @jax.custom_jvp
    def loss(theta: Array) -> Array:
        return target.value_and_grad(theta, batch)[0]

    @loss.defjvp
    def _(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
        value, grad = target.value_and_grad(primals[0], batch)
        return value, grad @ tangents[0]

    return lambda params: loss(params)


def _stores_loss(part: Any) -> bool:
    """Whether a part of optax's state is a line search's, with the loss and the gradient where it ended."""
    import optax

    kinds = optax.ScaleByZoomLinesearchState | optax.ScaleByBacktrackingLinesearchState
    return isinstance(part, kinds) and part.grad is not None


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _without_keys(moments: Any) -> Any:
    """Optax's state with random keys as numbers, which a checkpoint can hold."""
    arrays = jax.tree.map(jnp.asarray, moments)
    return jax.tree.map(lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, arrays)


def _with_keys(moments: Any, like: Any) -> Any:
    """The inverse of `_without_keys`, for a state with keys of the same kind."""

    def restored(leaf: Array, key: Array) -> Array:
        return jax.random.wrap_key_data(leaf, impl=jax.random.key_impl(key)) if _is_key(key) else leaf

    return jax.tree.map(restored, moments, jax.tree.map(jnp.asarray, like))
