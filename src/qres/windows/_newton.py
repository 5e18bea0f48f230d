"""One window: Gauss–Newton on the output layer, from the state that the window before hands over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._state import States, Weights
from ._system import Linear, Raw, Sizes, Span, WindowSystem

MOST = 14  # iterations
_CLOSE = 1e-11  # of the fields: a step below that changes nothing
_ENOUGH = 1e-4  # of the fields: steps below that which no longer shrink are rounding
_UNSEEN, _LEAST = (
    1e-3,
    1e-14,
)  # of the largest field: how small others may be, before and after a first solution
_HALVINGS = 4  # of a step, at the most
_GROWTH = 3.0  # of the residuals by a step, at the most


@dataclass(frozen=True)
class Window:
    """What was found for a window.

    Args:
        weights: of the output layer, the bias last.
        iterations: how many linear problems were solved.
        converged: whether the last step was small.
        misfit: the residuals left, relative to their terms.
    """

    weights: Weights
    iterations: int
    converged: bool
    misfit: float


@dataclass(frozen=True)
class _At:
    """Outputs and the residuals about them."""

    raw: Raw
    linear: list[Linear]
    misfit: float

    @staticmethod
    def of(system: WindowSystem, raw: Raw, span: Span, sizes: Sizes | None) -> _At:
        linear = system.linearised(raw, span)
        return _At(raw, linear, np.inf if sizes is None else system.misfit(linear, sizes))

    @property
    def is_finite(self) -> bool:
        return all(np.isfinite(one.value).all() and np.isfinite(one.slopes).all() for one in self.linear)


def solve_window(
    system: WindowSystem, span: Span, state: States, guess: Raw, weights: Weights, most: int = MOST
) -> Window | None:
    """The window that begins with a state; None where formulas have no value on the way.

    Args:
        system: of all windows.
        span: when the window is.
        state: what it begins with.
        guess: the outputs to begin with.
        weights: any, about which the state is linearised.
        most: iterations.
    """
    here, before, step, converged, number = _At.of(system, guess, span, None), np.inf, np.inf, False, 0
    sizes = Sizes()
    while number < most and not converged:
        if not here.is_finite:
            return None
        if number <= 2:
            sizes = system.sizes(here.raw, here.linear, state, span, _UNSEEN if number == 0 else _LEAST)
        found = system.solved(here.raw, here.linear, weights, state, span, sizes)
        if not np.isfinite(found).all():
            return None
        number += 1
        if number == 1:
            weights, now = found, _At.of(system, system.outputs(found, span), span, sizes)
        else:
            weights, now = _damped(system, span, weights, found, sizes, here)
            before, step = step, _step(here.raw, now.raw, sizes)
        here = now
        if system.is_affine:
            seen = system.sizes(here.raw, here.linear, state, span, _LEAST)
            converged = here.is_finite and seen.is_like(sizes)
            continue
        converged = step < _CLOSE or (step < _ENOUGH and step > 0.3 * before)
    is_done = converged or system.is_affine
    return Window(weights, number, is_done and here.is_finite, here.misfit)


def _damped(
    system: WindowSystem, span: Span, weights: Weights, found: Weights, sizes: Sizes, here: _At
) -> tuple[Weights, _At]:
    """The step to what was found, or a part of it where the whole makes the residuals far larger."""
    least = max(system.misfit(here.linear, sizes), 1e-9)
    share, moved, now = 1.0, found, here
    for _ in range(_HALVINGS):
        moved = weights + share * (found - weights)
        now = _At.of(system, system.outputs(moved, span), span, sizes)
        if now.is_finite and now.misfit <= _GROWTH * least:
            break
        share /= 2
    return moved, now


def _step(before: Raw, now: Raw, sizes: Sizes) -> float:
    """The largest change of a field, relative to its size in the window."""
    return max(
        float(np.max(np.abs(new[:, :, 0] - old[:, :, 0]) / sizes.fields[None, :, None]))
        for old, new in zip(before, now, strict=True)
    )
