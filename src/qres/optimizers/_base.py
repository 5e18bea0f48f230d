"""The optimizer protocol, its state, stopping statuses, and compiled programs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import AXIS, Target
from qres.runtime.errors import InputError, shorten, whole_number

RUNNING, CONVERGED, NO_DESCENT, NOT_FINITE = 0, 1, 2, 3
UNKNOWN = float("inf")  # a loss that the next step evaluates first

REASONS = {
    CONVERGED: "converged: the loss no longer changes in the last digits",
    NO_DESCENT: "no descent: no step along the search direction lowers the loss",
    NOT_FINITE: "not finite: the loss or its gradient became infinite or not a number; the last good state is kept",
}


@runtime_checkable
class State(Protocol):
    """What every optimizer's state has; it is a pytree whose leaves are arrays, so that a checkpoint can hold it.

    `theta` is the best point so far and `value` its loss; `iteration` counts from 0; `status` is `RUNNING`, or the
    reason to stop: `CONVERGED`, `NO_DESCENT` or `NOT_FINITE`.
    """

    @property
    def theta(self) -> Float[Array, " n"]: ...
    @property
    def value(self) -> Float[Array, ""]: ...
    @property
    def iteration(self) -> Array: ...
    @property
    def status(self) -> Array: ...


@runtime_checkable
class Optimizer(Protocol):
    """A method on one flat vector: `init`, then `step` again and again. An object with these methods is an optimizer.

    `step` makes up to `count` iterations and returns a state with the same structure; splitting a run into calls
    differently changes nothing. A state that was handed to `step` is used up: a large matrix in it goes on in the
    next state, in its place. `on_new_points` adapts a state to a batch with other points, where the loss is another.
    """

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> Any: ...
    def step(self, target: Target, state: Any, batch: Any, count: int) -> Any: ...
    def on_new_points(self, target: Target, state: Any, batch: Any) -> Any: ...


@runtime_checkable
class Stage(Optimizer, Protocol):
    """An optimizer with all that a run asks of it; `as_stage` gives an object that lacks some of it the defaults.

    `name` stands in records, `iterations` is the stage's own limit or None. `work_per_step` is how many iterations of
    a quasi-Newton method one of this method does the work of, roughly; `monotone` is whether the loss never rises
    from one iteration to the next. `bytes_needed` is the memory for matrices with so many rows and columns.
    """

    @property
    def name(self) -> str: ...
    @property
    def iterations(self) -> int | None: ...
    @property
    def work_per_step(self) -> int: ...
    @property
    def monotone(self) -> bool: ...
    def bytes_needed(self, size: int) -> int: ...


def run_program(
    optimizer: Optimizer,
    target: Target,
    name: str,
    function: Callable[..., Any],
    in_specs: Any,
    out_specs: Any,
    *arguments: Any,
    consumed: tuple[int, ...] = (),
) -> Any:
    """`function` on every device, compiled at the first call; it may write over the arguments that are consumed.

    The target keeps the program, by the optimizer's settings: so a copy of an optimizer with another setting has
    programs of its own, equal optimizers share theirs, and none keeps alive what it once worked on.
    """
    key = (optimizer, name)
    if key not in target.programs:
        target.programs[key] = target.program(_strongly_typed(function), in_specs, out_specs, consumed)
    return target.programs[key](*arguments)


def repeat(
    optimizer: Optimizer,
    target: Target,
    state: Any,
    batch: Any,
    count: int,
    iterate: Callable[[Any, Any], Any],
) -> Any:
    """Up to `count` times `iterate(state, batch)` in one compiled loop, as long as the state is running."""

    def run(state: Any, batch: Any, count: Array) -> Any:
        last = state.iteration + count
        return jax.lax.while_loop(
            lambda s: (s.iteration < last) & (s.status == RUNNING), lambda s: iterate(s, batch), state
        )

    return run_program(
        optimizer, target, "step", run, (P(), P(AXIS), P()), P(), state, batch, jnp.array(count)
    )


def _strongly_typed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same with results of definite types: else the first state differs from the next, and compiles twice."""

    @wraps(function)
    def definite(*arguments: Any) -> Any:
        return jax.tree.map(lambda array: array.astype(array.dtype), function(*arguments))

    return definite


def check_iterations(iterations: int | None) -> None:
    """A whole number of at least one, or None for no limit of its own."""
    if iterations is not None:
        whole_number(iterations, 1, "iterations")


def check_name(name: Any) -> str:
    """A name that can stand in the text of stages."""
    if not isinstance(name, str) or not name or set(name) & set(",:@<>+ "):
        raise InputError(f"optimizer {shorten(repr(name))}: a name is text without spaces and , : @ < > +")
    return name


def finite(value: Array, grad: Array) -> Array:
    """Whether loss and gradient are numbers."""
    return jnp.isfinite(value) & jnp.all(jnp.isfinite(grad))


def is_unknown(value: Array) -> Array:
    """Whether the loss has not been evaluated; an infinite one ends the run before."""
    return jnp.isposinf(value)
