"""Checkpoints: the state of every part of a run, and when it is written."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from qres.runs import RunFolder
from qres.runtime.clock import Clock
from qres.runtime.errors import InputError, shorten
from qres.runtime.processes import broadcast

_SECONDS = 5.0  # between checkpoints, at least
_SHARE = 0.03  # of the time may go into checkpoints
_FORMAT = 2  # format 1 had no parts


@dataclass(frozen=True)
class State:
    """What a checkpoint holds of a part of a run: plain data, and arrays by name."""

    counters: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


class Part(Protocol):
    """A part of a run that can be restored from a checkpoint to the bit."""

    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class Checkpointer:
    """Periodically writes the state of all parts of a run into its folder, and restores them.

    Args:
        folder: of the run; without one, nothing is written.
        parts: by name, in the order in which they are restored.
        clock: of the run.
    """

    def __init__(self, folder: RunFolder | None, parts: Mapping[str, Part], clock: Clock) -> None:
        self._folder, self._parts, self._clock = folder, parts, clock
        self._cost = self._last = 0.0

    def save(self, *, force: bool = False) -> None:
        """Write a checkpoint, if it is time for one."""
        if self._folder is None:
            return
        due = self._clock.seconds - self._last >= max(_SECONDS, self._cost / _SHARE)
        if not force and not broadcast(due):
            return
        begun = time.perf_counter()
        states = {name: part.state() for name, part in self._parts.items()}
        arrays = {
            f"{name}/{key}": array for name, state in states.items() for key, array in state.arrays.items()
        }
        counters = {name: dict(state.counters) for name, state in states.items()}
        self._folder.save_checkpoint(arrays, {"format": _FORMAT, **counters})
        self._cost = time.perf_counter() - begun
        self._last = self._clock.seconds

    def restore(self) -> bool:
        """Go on from the last checkpoint; whether there is one."""
        checkpoint = None if self._folder is None else self._folder.load_checkpoint()
        if self._folder is None or checkpoint is None:
            return False
        arrays, counters = checkpoint
        try:
            if counters.get("format") != _FORMAT:
                raise InputError(
                    "another version of qres made it, with parts of a run that this one does not have"
                )
            for name, part in self._parts.items():
                own = {key.partition("/")[2]: a for key, a in arrays.items() if key.partition("/")[0] == name}
                part.restore(State(counters[name], own))
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            message = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            raise InputError(
                f"{self._folder.checkpoint_file}: the checkpoint cannot be used: {shorten(message, 200)}; "
                "delete it to restart the run"
            ) from None
        return True
