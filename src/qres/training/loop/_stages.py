"""The stages of a run: optimizers in sequence, and the state of the current one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from qres.loss import DiscreteObjective, Objective
from qres.optimizers import NOT_FINITE, RUNNING, Stage
from qres.runtime.errors import InputError
from qres.runtime.processes import gather, shard

from ._checkpointer import State
from ._points import PointSchedule

_PADDED = ("H", "pairs")  # for the devices there are
_RETRY_AFTER = 25  # iterations: more than it takes Levenberg–Marquardt to find that nothing moves


class Stages:
    """The optimizers of a run, and the state of the one at work, on the points of a schedule."""

    def __init__(
        self, optimizers: Sequence[Stage], objective: Objective | DiscreteObjective, points: PointSchedule
    ) -> None:
        self.optimizers = tuple(optimizers)
        self.target = objective.engine.target
        self.index = 0
        self.current: Any = None  # the optimizer's state
        self._objective, self._points = objective, points
        self._retried = 0  # the iteration at which points were last resampled because nothing moved

    @property
    def optimizer(self) -> Stage:
        """The one at work."""
        return self.optimizers[self.index]

    @property
    def iteration(self) -> int:
        """How many iterations the optimizer at work has made."""
        return int(self.current.iteration)

    @property
    def status(self) -> int:
        """Of the optimizer at work: RUNNING, or why it stopped."""
        return int(self.current.status)

    @property
    def is_running(self) -> bool:
        """Whether the optimizer at work can go on."""
        return self.status == RUNNING

    @property
    def has_next(self) -> bool:
        """Whether another optimizer follows, from where this one is."""
        return self.index + 1 < len(self.optimizers) and self.status != NOT_FINITE

    @property
    def work_per_step(self) -> int:
        """How many iterations of a quasi-Newton method one of these does the work of."""
        return self.optimizer.work_per_step if self._objective.adapts else 1

    def begin(self) -> None:
        """The first stage, at the network's own weights."""
        self.current = self.optimizer.init(self.target, self._objective.start, self._points.batch)

    def step(self, count: int) -> int:
        """Up to so many iterations in one compiled call; how many there were."""
        before = self.iteration
        self.current = self.optimizer.step(self.target, self.current, self._points.batch, count)
        return self.iteration - before

    def on_new_points(self) -> None:
        """Adapt to points that were resampled."""
        self.current = self.optimizer.on_new_points(self.target, self.current, self._points.batch)

    def advance(self) -> None:
        """The next stage, from where this one is."""
        self.index, self._retried = self.index + 1, 0
        self.current = self.optimizer.init(self.target, self.current.theta, self._points.batch)

    def can_retry(self) -> bool:
        """Whether an optimizer that stopped deserves other points: not if it was just given some."""
        if self.status == NOT_FINITE or self.iteration - self._retried < _RETRY_AFTER:
            return False
        self._retried = self.iteration
        return True

    def state(self) -> State:
        """Which stage it is, and the optimizer's state."""
        leaves = jax.tree_util.tree_leaves_with_path(self.current)
        arrays = {_name(path): gather(leaf) for path, leaf in leaves}
        return State({"index": self.index, "retried": self._retried}, arrays)

    def restore(self, state: State) -> None:
        """Go on from a checkpoint, on the points that were restored before."""
        self.index, self._retried = state.counters["index"], state.counters["retried"]
        self.begin()  # a blank state: what there must be, and how it is sharded over the devices
        leaves, structure = jax.tree_util.tree_flatten_with_path(self.current)
        _check_kinds({_name(path): str(leaf.dtype) for path, leaf in leaves}, state.arrays)
        filled = [
            shard(fitted(_name(path), state.arrays[_name(path)], leaf.shape), leaf.sharding)
            for path, leaf in leaves
        ]
        self.current = jax.tree_util.tree_unflatten(structure, filled)


def _check_kinds(wanted: Mapping[str, str], arrays: Mapping[str, np.ndarray]) -> None:
    """An error where a checkpoint's arrays are not those of this optimizer's state."""
    found = {name: str(array.dtype) for name, array in arrays.items()}
    differing = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
    if differing:
        first = differing[0]
        raise InputError(
            f"its optimizer has {found.get(first, 'no')} {first} and this one {wanted.get(first, 'none')}: "
            "another optimizer or another version of qres made it; go on with the same one"
        )


def fitted(name: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array of a checkpoint in the shape that is needed; an error where it is of another run."""
    if name in _PADDED and array.ndim == len(shape):
        return resized(array, shape)
    if array.shape != shape:
        raise InputError(
            f"its {name} has shape {array.shape}, and this network needs {shape}: it is of another run"
        )
    return array


def resized(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array of the shape asked for: how H and pairs are padded depends on how many devices there are."""
    if array.shape == shape:
        return array
    padded = np.pad(array, [(0, max(new - old, 0)) for old, new in zip(array.shape, shape, strict=True)])
    return padded[tuple(slice(new) for new in shape)]


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path).lstrip(".")
