"""Dense quasi-Newton methods: BFGS, self-scaled BFGS and self-scaled Broyden, in one compiled loop.

With `p = -Hg`, `s = αp`, `y = g⁺ - g`, the inverse Hessian is updated as
`H⁺ = [H - Hy(Hy)ᵀ/(yᵀHy) + φ vvᵀ]/τ + ssᵀ/(yᵀs)`, `v = sqrt(yᵀHy) (s/(yᵀs) - Hy/(yᵀHy))`
(Al-Baali's family; Urbán et al., arXiv 2405.04230; Kiyani et al., arXiv 2501.16371).

`Hy = Hg⁺ + p` needs no product with H of its own, so that an iteration has one (`_inverse_hessian`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import AXIS, Target

from ._base import (
    CONVERGED,
    NO_DESCENT,
    NOT_FINITE,
    RUNNING,
    UNKNOWN,
    check_iterations,
    is_unknown,
    run_program,
)
from ._inverse_hessian import PendingUpdates, Update, flush, identity, multiply
from ._linesearch import Trial, wolfe

# The first trial of a line search assumes the last iteration's fall again, with a little added (Nocedal and Wright,
# 3.60). A full step is often too long for a scaled H: on Burgers' equation 1.7 evaluations an iteration became 1.04.
# Where that was too short, the next iteration tries a full step again.
_EXPECTED_FALL = 2.02
_RESET_AFTER = (
    5  # iterations in a row without a visible change of the loss, H is reset; after twice as many, the end
)
_ELSEWHERE: Any = np.zeros((0, 0))  # in the place of H, where that goes by itself


class QuasiNewtonState(NamedTuple):
    """All that the next iteration depends on."""

    theta: Float[Array, " n"]
    value: Float[Array, ""]
    grad: Float[Array, " n"]
    direction: Float[Array, " n"]
    slope: Float[Array, ""]  # of the loss along the direction
    H: Float[Array, "rows n"]
    kept: PendingUpdates
    iteration: Array
    updates: Array  # since H was last the identity
    fall: Array  # of the loss in the last iteration; 0 where that says nothing
    stalled: Array  # iterations in a row without a visible change of the loss
    evaluations: Array
    status: Array


def _specs() -> QuasiNewtonState:
    """The sharding of the state: H by rows, all else replicated."""
    replicated: Any = P()
    rows: Any = P(AXIS)
    return QuasiNewtonState._make([*5 * [replicated], rows, PendingUpdates.specs(), *6 * [replicated]])


@dataclass(frozen=True)
class _Method:
    """The methods differ in two numbers only: φ and τ."""

    iterations: int | None = None
    family: ClassVar[str] = "ssbroyden"
    name: str = field(default="ssbroyden", init=False, repr=False)
    work_per_step: int = field(default=1, init=False, repr=False)
    monotone: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        check_iterations(self.iterations)

    def bytes_needed(self, size: int) -> int:
        """Memory for H, and for the copy that a checkpoint makes."""
        return 2 * 8 * size * size

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> QuasiNewtonState:
        """H is the identity; loss and gradient are found by the first step."""

        def begin(theta: Array) -> QuasiNewtonState:
            zero, nothing, flat = jnp.array(0), jnp.zeros_like(theta), jnp.zeros((), theta.dtype)
            H, kept = identity(target), PendingUpdates.none(target.size)
            return QuasiNewtonState(
                theta=theta, value=flat + UNKNOWN, grad=nothing, direction=nothing, slope=flat, H=H, kept=kept,
                iteration=zero, updates=zero, fall=flat, stalled=zero, evaluations=zero, status=jnp.array(RUNNING),
            )  # fmt: skip

        return run_program(self, target, "init", begin, (P(),), _specs(), theta)

    def on_new_points(self, target: Target, state: QuasiNewtonState, batch: Any) -> QuasiNewtonState:
        """Other points: H is kept; loss, gradient and direction are recomputed by the next step."""
        return state._replace(value=state.value + UNKNOWN, status=state.status * RUNNING)

    def step(self, target: Target, state: QuasiNewtonState, batch: Any, count: int) -> QuasiNewtonState:
        """Up to `count` iterations; where the loss is not known yet, it is found first, also where `count` is 0."""

        def run(H: Array, rest: QuasiNewtonState, batch: Any, count: Array) -> QuasiNewtonState:
            state = rest._replace(H=H)
            last = state.iteration + count

            def continues(s: QuasiNewtonState) -> Array:
                return ((s.iteration < last) | is_unknown(s.value)) & (s.status == RUNNING)

            def few(s: QuasiNewtonState) -> QuasiNewtonState:
                """As many iterations as H does not change in, then that change: what is not written is not copied."""
                H = s.H
                moved = jax.lax.while_loop(
                    lambda m: continues(m) & ~m.kept.is_due,
                    lambda m: self._iterate(target, H, m, batch),
                    s._replace(H=jnp.asarray(_ELSEWHERE)),
                )
                H, kept = flush(target, H, moved.kept)
                return moved._replace(H=H, kept=kept)

            return jax.lax.while_loop(continues, few, state)

        rest, specs = state._replace(H=_ELSEWHERE), _specs()
        in_specs = (specs.H, specs._replace(H=P()), P(AXIS), P())
        arguments = (state.H, rest, batch, np.array(count))
        return run_program(self, target, "step", run, in_specs, specs, *arguments, consumed=(0,))

    def _iterate(self, target: Target, H: Array, s: QuasiNewtonState, batch: Any) -> QuasiNewtonState:
        """One iteration; where the loss is not known, only a look at it, as a step of length 0 that is always taken.

        So the loss stands in the compiled program once: it is most of what there is to compile.
        """
        unevaluated = is_unknown(s.value)
        start = Trial(jnp.zeros(()), s.value, jnp.where(unevaluated, -1.0, s.slope), s.grad)
        guess = jnp.where(s.fall > 0, jnp.clip(-_EXPECTED_FALL * s.fall / start.slope, 0.05, 1.0), 1.0)
        # Without updates the direction is -g, and the slope -|g|².
        first = jnp.where(s.updates == 0, jnp.minimum(1.0, 0.1 / jnp.sqrt(-start.slope)), guess)
        trial, fell, evaluations = wolfe(
            lambda theta: target.value_and_grad(theta, batch),
            s.theta,
            jnp.where(unevaluated, 0.0, s.direction),
            start,
            jnp.where(unevaluated, 0.0, first),
        )
        fell = fell | unevaluated
        step = trial.alpha * s.direction
        theta = s.theta + step
        Hg = multiply(H, s.kept, trial.grad)
        update, updated, products = self._update(s, trial, step, Hg)
        direction = -update.times(Hg, *products)
        slope, steepness = jnp.stack([direction, trial.grad]) @ trial.grad
        stalled = jnp.where(s.value - trial.value > 1e-14 * jnp.abs(s.value), 0, s.stalled + 1)
        stalled = jnp.where(unevaluated, 0, stalled)
        # Where H fails, the identity takes its place, once; where the identity fails too, there is no way down.
        # An H whose steps change nothing has failed as well: its scale may be lost, far from any minimum.
        descends = fell & (slope < 0) & jnp.isfinite(slope) & (stalled != _RESET_AFTER)
        fall = jnp.where(unevaluated | (trial.alpha > first), 0.0, jnp.maximum(s.value - trial.value, 0.0))
        status = jnp.where(stalled >= 2 * _RESET_AFTER, CONVERGED, RUNNING)
        status = jnp.where(~fell & (s.updates == 0), NO_DESCENT, status)
        status = jnp.where(jnp.isfinite(trial.value + steepness), status, NOT_FINITE)
        return QuasiNewtonState(
            theta=theta, value=trial.value, grad=trial.grad,
            direction=jnp.where(descends, direction, -trial.grad), slope=jnp.where(descends, slope, -steepness),
            H=s.H, kept=s.kept.add(update, descends),
            iteration=s.iteration + ~unevaluated, updates=jnp.where(descends, s.updates + updated, 0),
            fall=fall, stalled=stalled, evaluations=s.evaluations + evaluations, status=status,
        )  # fmt: skip

    def _update(
        self, s: QuasiNewtonState, trial: Trial, step: Array, Hg: Array
    ) -> tuple[Update, Array, tuple[Array, Array]]:
        """The update of H, or none where curvature is not positive; and the products of its vectors with `g⁺`.

        Vectors are multiplied together where they can be, as rows of one matrix: alone, a product costs three kernels.
        """
        Hy = Hg + s.direction
        yHy, gHy = jnp.stack([trial.grad - s.grad, trial.grad]) @ Hy
        ys = trial.alpha * (trial.slope - s.slope)
        positive = (ys > 0) & (yHy > 0) & (trial.alpha > 0)
        b = -trial.alpha * trial.alpha * s.slope / ys
        phi, tau = _factors(self.family, b, yHy / ys, len(step), s.updates == 0)
        # The terms of the update by the vectors Hy and s, with vvᵀ multiplied out.
        update = Update(
            Hy, step, 1 / tau, (phi - 1) / (tau * yHy), -phi / (tau * ys), (phi * yHy / ys / tau + 1) / ys
        )
        sound = positive & jnp.isfinite(update.scale + update.a + update.b + update.c) & (tau > 0)
        chosen = jax.tree.map(lambda u, v: jnp.where(sound, u, v), update, Update.none(len(step)))
        products = (jnp.where(sound, gHy, 0.0), jnp.where(sound, trial.alpha * trial.slope, 0.0))
        return chosen, sound.astype(s.updates.dtype), products


def _factors(family: str, b: Array, h: Array, n: int, is_first: Array) -> tuple[Array, Array]:
    """φ and τ of the update; on the first one the identity is scaled to the curvature found."""
    one = jnp.ones_like(b)
    if family == "bfgs":
        return one, jnp.where(is_first, h, one)
    if family == "ssbfgs":
        return one, jnp.where(is_first, h, jnp.minimum(1.0, 1 / b))
    a = jnp.maximum(b * h - 1, 1e-14)
    c = jnp.sqrt(a / (1 + a))
    rho_minus = jnp.minimum(1.0, h * (1 - c))
    theta = jnp.clip((1 - b) / b, (rho_minus - 1) / a, 1 / rho_minus)
    sigma = 1 + a * theta
    root = sigma ** (-1 / max(n - 1, 1))
    rho = jnp.minimum(1.0, 1 / b)
    tau = jnp.where(theta > 0, rho * jnp.minimum(root, 1 / theta), jnp.minimum(rho * root, sigma))
    return (1 - theta) / sigma, jnp.where(is_first, h / sigma, tau)


@dataclass(frozen=True)
class BFGS(_Method):
    """Broyden, Fletcher, Goldfarb and Shanno's update: φ = τ = 1."""

    family: ClassVar[str] = "bfgs"
    name: str = field(default="bfgs", init=False, repr=False)


@dataclass(frozen=True)
class SSBFGS(_Method):
    """Self-scaled BFGS: φ = 1, τ = min(1, 1/b)."""

    family: ClassVar[str] = "ssbfgs"
    name: str = field(default="ssbfgs", init=False, repr=False)


@dataclass(frozen=True)
class SSBroyden(_Method):
    """Self-scaled Broyden, the default: of all methods here the fastest to a small error."""

    family: ClassVar[str] = "ssbroyden"
    name: str = field(default="ssbroyden", init=False, repr=False)
