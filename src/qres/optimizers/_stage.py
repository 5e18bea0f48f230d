"""User-defined optimizers as stages of a run: objects, registered names, or names that only a file knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import Target
from qres.runtime.errors import InputError, shorten, whole_number

from ._base import Optimizer, Stage, State, check_iterations, check_name

Factory = Callable[[int | None], Optimizer]
"""Makes an optimizer from the number of its iterations, which is None where the text has none."""


def as_stage(optimizer: Any) -> Stage:
    """The optimizer itself, or where it has little more than the three methods, the same with defaults for the rest."""
    is_stage = isinstance(optimizer, Stage) and not isinstance(optimizer, type)
    return optimizer if is_stage else _wrap(optimizer)


def registered_stage(name: str, factory: Factory, iterations: int | None) -> Stage:
    """The stage that a text such as `my-name:500` stands for."""
    made = _wrap(factory(iterations))
    own = made.iterations if iterations is None else iterations
    return replace(made, name=name, iterations=own, registered=True)


def _wrap(optimizer: Any) -> WrappedOptimizer:
    if isinstance(optimizer, type) or not isinstance(optimizer, Optimizer):
        raise InputError(
            f"optimizer: {shorten(repr(optimizer))} is none; give text such as 'adam:5000,lbfgs', or objects such as "
            "qres.Adam(5000), one or several in a list"
        )
    return WrappedOptimizer(
        optimizer,
        getattr(optimizer, "name", type(optimizer).__name__.lower()),
        getattr(optimizer, "iterations", None),
        getattr(optimizer, "work_per_step", 1),
        getattr(optimizer, "monotone", False),
    )


@dataclass(frozen=True)
class WrappedOptimizer:
    """An optimizer with only `init`, `step` and `on_new_points`, and defaults for what else a run asks of it.

    Numbers in its state become arrays, on the devices that the target is on.
    """

    optimizer: Optimizer
    name: str
    iterations: int | None = None
    work_per_step: int = 1
    monotone: bool = False
    registered: bool = False  # under this name

    def __post_init__(self) -> None:
        check_name(self.name)
        check_iterations(self.iterations)
        whole_number(self.work_per_step, 1, "work_per_step")

    def bytes_needed(self, size: int) -> int:
        """As the optimizer says; none where it does not."""
        count: Callable[[int], int] = getattr(self.optimizer, "bytes_needed", lambda size: 0)
        return count(size)

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> Any:
        """The optimizer's first state."""
        return self._checked(target, self.optimizer.init(target, theta, batch), "init")

    def step(self, target: Target, state: Any, batch: Any, count: int) -> Any:
        """Up to `count` iterations of the optimizer."""
        return self._checked(target, self.optimizer.step(target, state, batch, count), "step")

    def on_new_points(self, target: Target, state: Any, batch: Any) -> Any:
        """The optimizer's state for other points."""
        return self._checked(target, self.optimizer.on_new_points(target, state, batch), "on_new_points")

    def _checked(self, target: Target, state: Any, method: str) -> Any:
        if not isinstance(state, State):
            raise InputError(
                f"optimizer {self.name}: {method} must return a state with theta, value, iteration and status, "
                f"not {shorten(repr(state))}"
            )
        return jax.tree.map(lambda leaf: _placed(target, jnp.asarray(leaf)), state)


def _placed(target: Target, array: Array) -> Array:
    """The array, on every device of the target's; one that is sharded over them stays as it is."""
    if array.sharding.device_set == set(target.mesh.devices.flat):
        return array
    return jax.device_put(array, NamedSharding(target.mesh, P()))


@dataclass(frozen=True)
class MissingOptimizer:
    """A stage that a file knows by name only: the optimizer was an object, which has no text form."""

    name: str
    iterations: int | None = None
    work_per_step: int = field(default=1, init=False, repr=False)
    monotone: bool = field(default=False, init=False, repr=False)

    def bytes_needed(self, size: int) -> int:
        """None that are known."""
        return 0

    def refuse(self) -> NoReturn:
        """Say what to do."""
        raise InputError(
            f"optimizer <{self.name}> was given as an object, which a file does not hold: give it again as "
            "optimizer=, or register it with qres.extend.register_optimizer"
        )

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> NoReturn:
        """There is nothing to begin with."""
        self.refuse()

    def step(self, target: Target, state: Any, batch: Any, count: int) -> NoReturn:
        """There is nothing to go on with."""
        self.refuse()

    def on_new_points(self, target: Target, state: Any, batch: Any) -> NoReturn:
        """There is nothing to adapt."""
        self.refuse()
