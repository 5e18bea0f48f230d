"""The line search of Moré and Thuente, compiled, with one evaluation per pass.

J. J. Moré and D. J. Thuente, ACM Transactions on Mathematical Software 20 (1994) 286–307: as MINPACK-2 has it, and
L-BFGS-B with it. An interval that is sure to hold a step with `φ(α) ≤ φ(0) + c₁ α φ'(0)` and `|φ'(α)| ≤ c₂ |φ'(0)|`
shrinks around it; the next trial is that of a cubic or of a parabola, whichever is the safer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from ._linesearch import Trial, choose

C1, C2 = 1e-3, 0.9
_NARROW = 0.1  # an interval of so small a share of its upper end is not searched further
_LONGEST = 1e10
_SHRINKS = 0.66  # an interval that two trials do not shrink to this is halved


class End(NamedTuple):
    """An end of the interval."""

    alpha: Float[Array, ""]
    value: Float[Array, ""]
    slope: Float[Array, ""]


class _Search(NamedTuple):
    best: End
    other: End
    bracketed: Bool[Array, ""]
    nears: Bool[Array, ""]  # a trial has fallen enough, and gone up again: from then on φ itself is used
    range: tuple[Array, Array]  # in which the trial must lie
    widths: tuple[Array, Array]  # of the interval before the last trial, and before the one before
    alpha: Float[Array, ""]  # the next step length
    trial: Trial  # where it looked last
    ended: Bool[Array, ""]
    evaluations: Int[Array, ""]


def more_thuente(
    evaluate: Callable[[Array], tuple[Array, Array]],
    theta: Float[Array, " n"],
    direction: Float[Array, " n"],
    start: Trial,
    first: Float[Array, ""],
    most: int,
) -> tuple[Trial, Bool[Array, ""], Int[Array, ""]]:
    """The step found, whether it may be taken, and how many evaluations that took.

    `start` is the trial at α = 0. As in L-BFGS-B, a step is also taken where rounding ends the search, whatever it
    reached; after `most` evaluations it failed. A first step of 0 is only evaluated.
    """
    enough = C1 * start.slope

    def try_step(s: _Search) -> _Search:
        value, grad = evaluate(theta + s.alpha * direction)
        trial = Trial(s.alpha, value, jnp.dot(grad, direction), grad)
        new = End(trial.alpha, trial.value, trial.slope)
        line = start.value + s.alpha * enough
        nears = s.nears | ((value <= line) & (trial.slope >= 0))
        least, furthest = s.range
        stuck = s.bracketed & (
            (s.alpha <= least) | (s.alpha >= furthest) | (furthest - least <= _NARROW * furthest)
        )
        at_limit = (s.alpha == _LONGEST) & (value <= line) & (trial.slope <= enough)
        found = (value <= line) & (jnp.abs(trial.slope) <= -C2 * start.slope)
        # Far from a good step, the interval is that of φ less the line of sufficient descent.
        tilt = jnp.where(~nears & (value <= s.best.value) & (value > line), enough, 0.0)
        best, other, bracketed, alpha = _narrowed(
            _tilted(s.best, -tilt), _tilted(s.other, -tilt), _tilted(new, -tilt), s.bracketed, s.range
        )
        best, other = _tilted(best, tilt), _tilted(other, tilt)
        width = jnp.abs(other.alpha - best.alpha)
        halved = bracketed & (width >= _SHRINKS * s.widths[1])
        alpha = jnp.where(halved, best.alpha + 0.5 * (other.alpha - best.alpha), alpha)
        widths = choose(bracketed, (width, s.widths[0]), s.widths)
        inside = (jnp.minimum(best.alpha, other.alpha), jnp.maximum(best.alpha, other.alpha))
        beyond = (alpha + 1.1 * (alpha - best.alpha), alpha + 4.0 * (alpha - best.alpha))
        range = choose(bracketed, inside, beyond)
        alpha = jnp.clip(alpha, 0.0, _LONGEST)
        narrow = (alpha <= range[0]) | (alpha >= range[1]) | (range[1] - range[0] <= _NARROW * range[1])
        alpha = jnp.where(bracketed & narrow, best.alpha, alpha)
        end = found | stuck | at_limit | (s.alpha == 0)
        next = _Search(best, other, bracketed, nears, range, widths, alpha, trial, end, s.evaluations + 1)
        # Where the loss is no number, the step was much too long: all else stays as it was.
        finite = jnp.isfinite(value) & jnp.isfinite(trial.slope)
        shorter = s.best.alpha + 0.1 * (s.alpha - s.best.alpha)
        stays = s._replace(alpha=shorter, trial=trial, ended=s.alpha == 0, evaluations=s.evaluations + 1)
        return choose(finite, next, stays)

    begun, no = End(start.alpha, start.value, start.slope), jnp.array(False)
    end = jax.lax.while_loop(
        lambda s: ~s.ended & (s.evaluations < most),
        try_step,
        _Search(
            begun, begun, no, no, (jnp.zeros_like(first), 5.0 * first),
            (jnp.full_like(first, _LONGEST), jnp.full_like(first, 2 * _LONGEST)),
            first, start, no, jnp.array(0),
        ),
    )  # fmt: skip
    return end.trial, end.ended, end.evaluations


def _tilted(end: End, slope: Array) -> End:
    """The end with a line through the origin added to φ."""
    return End(end.alpha, end.value + slope * end.alpha, end.slope + slope)


def _cubic(end: End, new: End) -> tuple[Array, Array, Array]:
    """The minimum of the cubic through both; and where it lies from `new` to `end`, with the root that it takes."""
    theta = 3 * (end.value - new.value) / (new.alpha - end.alpha) + end.slope + new.slope
    size = jnp.maximum(jnp.maximum(jnp.abs(theta), jnp.abs(end.slope)), jnp.abs(new.slope))
    under = (theta / size) ** 2 - (end.slope / size) * (new.slope / size)
    root = size * jnp.sqrt(jnp.maximum(under, 0.0))
    root = jnp.where(new.alpha > end.alpha, -root, root)
    share = (root - new.slope + theta) / (root - new.slope + root + end.slope)
    return new.alpha + share * (end.alpha - new.alpha), share, root


def _narrowed(
    best: End, other: End, new: End, bracketed: Array, range: tuple[Array, Array]
) -> tuple[End, End, Array, Array]:
    """The interval with the new trial as one of its ends, whether it holds a minimum, and the next step length.

    The four cases of the paper's fourth section; `best` is the end with the smaller value.
    """
    away = jnp.where(new.alpha > best.alpha, range[1], range[0])
    cubic, share, root = _cubic(best, new)
    from_cubic, way = jnp.abs(cubic - new.alpha), new.alpha - best.alpha
    secant = new.alpha - new.slope / (new.slope - best.slope) * way
    from_secant = jnp.abs(secant - new.alpha)
    # Above the best: a minimum lies between.
    parabola = best.alpha + best.slope / ((best.value - new.value) / way + best.slope) / 2 * way
    is_near = jnp.abs(cubic - best.alpha) < jnp.abs(parabola - best.alpha)
    above = jnp.where(is_near, cubic, cubic + (parabola - cubic) / 2)
    # Below it, and the slope has turned: it lies between as well.
    turned = jnp.where(from_cubic > from_secant, cubic, secant)
    # Below it, and flatter: further on, where the cubic has its minimum there.
    ahead = jnp.where((share < 0) & (root != 0), cubic, away)
    from_ahead = jnp.abs(ahead - new.alpha)
    nearer = jnp.where(from_ahead < from_secant, ahead, secant)
    bound = new.alpha + _SHRINKS * (other.alpha - new.alpha)
    nearer = jnp.where(way > 0, jnp.minimum(bound, nearer), jnp.maximum(bound, nearer))
    further = jnp.clip(jnp.where(from_ahead > from_secant, ahead, secant), *range)
    flatter = jnp.where(bracketed, nearer, further)
    # Below it, and no flatter.
    steeper = jnp.where(bracketed, _cubic(other, new)[0], away)
    is_above, has_turned = new.value > best.value, new.slope * jnp.sign(best.slope) < 0
    is_flatter = jnp.abs(new.slope) < jnp.abs(best.slope)
    alpha = jnp.where(is_above, above, jnp.where(has_turned, turned, jnp.where(is_flatter, flatter, steeper)))
    opposite = choose(is_above, new, choose(has_turned, best, other))
    return choose(is_above, best, new), opposite, bracketed | is_above | has_turned, alpha
