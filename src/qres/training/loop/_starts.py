"""Multiple starts: a few iterations from each initialization, of which the best is continued."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import Array

from qres.loss import Target
from qres.optimizers import RUNNING, Stage

_CALL = 20  # iterations of one compiled call, after which the time limit is checked


def choose_start(
    optimizer: Stage,
    target: Target,
    batch: Any,
    starts: Sequence[Array],
    *,
    iterations: int,
    is_over: Callable[[], bool] = lambda: False,
    notify: Callable[[str], object] = lambda text: None,
) -> tuple[Any, list[float]]:
    """The state of the best start after some iterations, and the losses of all.

    Args:
        optimizer: makes the iterations, from each start in turn, on the same points.
        target: what it works on.
        batch: the points.
        starts: flat vectors.
        iterations: for each of them.
        is_over: whether there is no time left: then starts that had no turn are left out.
        notify: called with the number of each start.
    """
    best, losses = None, []
    for number, theta in enumerate(starts, start=1):
        if losses and is_over():
            break
        notify(f"start {number} of {len(starts)}")
        state = optimizer.init(target, theta, batch)
        while int(state.iteration) < iterations and int(state.status) == RUNNING and not is_over():
            state = optimizer.step(target, state, batch, min(_CALL, iterations - int(state.iteration)))
        loss = float(state.value)
        losses.append(loss if np.isfinite(loss) else float("inf"))
        if len(losses) == 1 or losses[-1] < min(losses[:-1]):
            best = state  # the states of the others, each with a matrix, are freed
    return best, losses
