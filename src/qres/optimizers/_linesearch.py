"""A line search for the strong Wolfe conditions, compiled, with one evaluation per pass.

`φ(α) ≤ φ(0) + c₁ α φ'(0)` and `|φ'(α)| ≤ c₂ |φ'(0)|` (Nocedal and Wright, Numerical Optimization, algorithms 3.5 and
3.6). Bracketing and zooming are one loop, so that the loss stands in the compiled program once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

C1, C2 = 1e-4, 0.9
EVALUATIONS = 40


class Trial(NamedTuple):
    """A step length with the loss, its slope along the direction, and the gradient there."""

    alpha: Float[Array, ""]
    value: Float[Array, ""]
    slope: Float[Array, ""]
    grad: Float[Array, " n"]


class _Search(NamedTuple):
    low: Trial  # the best point so far that satisfies the first condition
    high: tuple[Array, Array, Array]  # alpha, value, slope of the bracket's other end
    bracketed: Bool[Array, ""]
    found: Bool[Array, ""]
    alpha: Float[Array, ""]  # the next step length
    evaluations: Int[Array, ""]


def _cubic(low: Trial, high: tuple[Array, Array, Array]) -> Float[Array, ""]:
    """The minimum of the cubic through two values and slopes, or the middle where that is too near an end."""
    a, b = low.alpha, high[0]
    d1 = low.slope + high[2] - 3 * (low.value - high[1]) / (a - b)
    root = d1 * d1 - low.slope * high[2]
    d2 = jnp.sign(b - a) * jnp.sqrt(jnp.maximum(root, 0.0))
    minimum = b - (b - a) * (high[2] + d2 - d1) / (high[2] - low.slope + 2 * d2)
    left, right = jnp.minimum(a, b), jnp.maximum(a, b)
    margin = 0.1 * (right - left)
    good = (root >= 0) & jnp.isfinite(minimum) & (minimum > left + margin) & (minimum < right - margin)
    return jnp.where(good, minimum, (a + b) / 2)


def wolfe(
    evaluate: Callable[[Array], tuple[Array, Array]],
    theta: Float[Array, " n"],
    direction: Float[Array, " n"],
    start: Trial,
    first: Float[Array, ""],
) -> tuple[Trial, Bool[Array, ""], Int[Array, ""]]:
    """The step found, whether the loss fell, and how many evaluations that took.

    `start` is the trial at α = 0. When no step satisfies both conditions, the best that satisfies the first is taken.
    """

    def continues(s: _Search) -> Bool[Array, ""]:
        return ~s.found & (s.evaluations < EVALUATIONS)

    def try_step(s: _Search) -> _Search:
        value, grad = evaluate(theta + s.alpha * direction)
        value = jnp.where(jnp.isfinite(value), value, jnp.inf)
        trial = Trial(s.alpha, value, jnp.dot(grad, direction), grad)
        falls = value <= start.value + C1 * s.alpha * start.slope
        too_far = ~falls | ((value >= s.low.value) & (s.evaluations + s.bracketed > 0))
        found = ~too_far & (jnp.abs(trial.slope) <= -C2 * start.slope)
        # Beyond the minimum: the bracket's other end is the old best where the slope points back to it.
        turned = ~too_far & (
            jnp.where(s.bracketed, trial.slope * (s.high[0] - s.low.alpha) >= 0, trial.slope >= 0)
        )
        old = (s.low.alpha, s.low.value, s.low.slope)
        new = (trial.alpha, jnp.where(jnp.isfinite(value), value, 1e300), trial.slope)
        high = choose(too_far, new, choose(turned, old, s.high))
        low = choose(too_far, s.low, trial)
        bracketed = s.bracketed | too_far | turned
        finite = jnp.isfinite(value) & jnp.isfinite(trial.slope)
        inside = jnp.where(finite, _cubic(low, high), low.alpha + 0.1 * (s.alpha - low.alpha))
        alpha = jnp.where(bracketed, inside, 2.0 * s.alpha)
        return _Search(low, high, bracketed, found, alpha, s.evaluations + 1)

    zero = jnp.zeros_like(first)
    begin = _Search(
        start, (zero, start.value, start.slope), jnp.array(False), jnp.array(False), first, jnp.array(0)
    )
    end = jax.lax.while_loop(continues, try_step, begin)
    return end.low, end.low.alpha > 0, end.evaluations


def choose(condition: Bool[Array, ""], yes, no):  # noqa: ANN001, ANN202
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)
