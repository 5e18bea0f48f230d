"""What all optimizers share: their state, why they stop, and how one is asked for by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.loss import Target
from qres.runtime.errors import whole_number

RUNNING, CONVERGED, NO_DESCENT, NOT_FINITE = 0, 1, 2, 3
UNKNOWN = float("inf")  # a loss that the next step is to look at first

REASONS = {
    CONVERGED: "converged: the loss no longer changes in the last digits",
    NO_DESCENT: "no descent: no step along the search direction lowers the loss",
    NOT_FINITE: "not finite: the loss or its gradient became infinite or not a number; the last good state is kept",
}


class State(Protocol):
    """What every optimizer's state has; all its leaves are arrays, so that it can be saved as it is."""

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
    """A method on one flat vector: `init`, then `step` again and again.

    `step` makes up to `count` iterations in one compiled call and returns a state with the same structure; splitting a
    run into calls differently changes nothing. A state that was handed to `step` is used up: a large matrix in it goes
    on in the next state, in its place. `renew` adapts a state to a batch with other points. `reach` is how many
    iterations of a quasi-Newton method one of this method does the work of, roughly.
    """

    name: ClassVar[str]
    reach: ClassVar[int]

    @property
    def iterations(self) -> int | None: ...
    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> Any: ...
    def step(self, target: Target, state: Any, batch: Any, count: int) -> Any: ...
    def renew(self, target: Target, state: Any, batch: Any) -> Any: ...


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


def finite(value: Array, grad: Array) -> Array:
    """Whether loss and gradient are numbers."""
    return jnp.isfinite(value) & jnp.all(jnp.isfinite(grad))


def is_unknown(value: Array) -> Array:
    """Whether the loss has not been looked at; one that is infinite ends the run and is never seen here."""
    return jnp.isposinf(value)
