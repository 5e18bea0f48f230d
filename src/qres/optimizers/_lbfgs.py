"""L-BFGS in one compiled loop: the steps, line search and tests of convergence of SciPy's L-BFGS-B, without bounds.

The inverse Hessian is `H = γI + WMWᵀ`, with the last steps s and changes y of the gradient in W (R. H. Byrd, J. Nocedal
and R. B. Schnabel, Mathematical Programming 63 (1994) 129–156, theorem 2.2). An iteration reads W twice, for `Wᵀg` and
for the direction; the products of y with W are differences of `Wᵀg`. W is sharded over the devices.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.linalg import solve_triangular
from jax.sharding import PartitionSpec as P
from jaxtyping import Float

from qres.loss import AXIS, Target
from qres.runtime.errors import number, whole_number

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
from ._linesearch import Trial
from ._more_thuente import more_thuente

_EPS = float(np.finfo(float).eps)
_ELSEWHERE: Any = np.zeros((0, 0))  # in the place of the pairs, where they go by themselves


class LBFGSState(NamedTuple):
    """All that the next iteration depends on."""

    theta: Float[Array, " n"]
    value: Float[Array, ""]
    grad: Float[Array, " n"]
    direction: Float[Array, " n"]
    slope: Float[Array, ""]  # of the loss along the direction
    pairs: Float[Array, "2*memory n"]  # rows s and y in turn, the newest in the place of the oldest; padded
    products: Float[Array, "memory 2"]  # of both with the gradient
    inner: Float[Array, "2 memory memory"]  # sᵢᵀyⱼ, where i is older, and yᵢᵀyⱼ
    scale: Float[Array, ""]  # γ
    added: Array  # pairs, since there were none
    iteration: Array
    evaluations: Array
    status: Array


def _specs() -> LBFGSState:
    """The sharding of the state: the vectors of the pairs in parts, all else replicated."""
    replicated: Any = P()
    parts: Any = P(None, AXIS)
    return LBFGSState._make([*5 * [replicated], parts, *7 * [replicated]])


@dataclass(frozen=True)
class LBFGS:
    """L-BFGS; the defaults are the paper's: memory 50, 50 line-search steps, `ftol` = machine precision.

    It ends where the loss falls by less than `ftol` times the loss, or times 1 where that is larger, and where no
    component of the gradient is above `gtol`.
    """

    iterations: int | None = 50_000
    memory: int = 50
    line_search: int = 50
    ftol: float = _EPS
    gtol: float = 1e-5 * _EPS
    name: str = field(default="lbfgs", init=False, repr=False)
    work_per_step: int = field(default=1, init=False, repr=False)
    monotone: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        check_iterations(self.iterations)
        whole_number(self.memory, 1, "memory")
        whole_number(self.line_search, 1, "line_search")
        number(self.ftol, "ftol", least=0)
        number(self.gtol, "gtol", least=0)

    def bytes_needed(self, size: int) -> int:
        """No matrix: this is what takes the place of methods whose matrix does not fit."""
        return 0

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> LBFGSState:
        """No pairs; loss and gradient are found by the first step."""

        def begin(theta: Array) -> LBFGSState:
            zero, nothing, flat = jnp.array(0), jnp.zeros_like(theta), jnp.zeros((), theta.dtype)
            return LBFGSState(
                theta=theta, value=flat + UNKNOWN, grad=nothing, direction=nothing, slope=flat,
                pairs=jnp.zeros((2 * self.memory, _part(target))), products=jnp.zeros((self.memory, 2)),
                inner=jnp.zeros((2, self.memory, self.memory)), scale=flat + 1, added=zero,
                iteration=zero, evaluations=zero, status=jnp.array(RUNNING),
            )  # fmt: skip

        return run_program(self, target, "init", begin, (P(),), _specs(), theta)

    def on_new_points(self, target: Target, state: LBFGSState, batch: Any) -> LBFGSState:
        """Other points: pairs are kept; loss, gradient and direction are recomputed by the next step."""
        return state._replace(value=state.value + UNKNOWN, status=state.status * RUNNING)

    def step(self, target: Target, state: LBFGSState, batch: Any, count: int) -> LBFGSState:
        """Up to `count` iterations; where the loss is not known yet, it is found first, also where `count` is 0."""

        def run(pairs: Array, rest: LBFGSState, batch: Any, count: Array) -> LBFGSState:
            last = rest.iteration + count
            return jax.lax.while_loop(
                lambda s: ((s.iteration < last) | is_unknown(s.value)) & (s.status == RUNNING),
                lambda s: self._iterate(target, s, batch),
                rest._replace(pairs=pairs),
            )

        rest, specs = state._replace(pairs=_ELSEWHERE), _specs()
        in_specs = (specs.pairs, specs._replace(pairs=P()), P(AXIS), P())
        arguments = (state.pairs, rest, batch, np.array(count))
        return run_program(self, target, "step", run, in_specs, specs, *arguments, consumed=(0,))

    def _iterate(self, target: Target, s: LBFGSState, batch: Any) -> LBFGSState:
        """One iteration; or a look at a loss that is not known, as a step of length 0; or the end of all pairs.

        Where the line search fails, the pairs are given up and the iteration is made again; where there are none,
        there is no way down.
        """
        unevaluated = is_unknown(s.value)
        start = Trial(jnp.zeros(()), s.value, jnp.where(unevaluated, -1.0, s.slope), s.grad)
        length = jnp.linalg.norm(s.direction)
        first = jnp.where(s.iteration == 0, jnp.minimum(1.0 / length, 1e10), 1.0)
        trial, found, evaluations = more_thuente(
            lambda theta: target.value_and_grad(theta, batch),
            s.theta,
            jnp.where(unevaluated, 0.0, s.direction),
            start,
            jnp.where(unevaluated, 0.0, first),
            self.line_search,
        )
        takes = found & ~unevaluated
        theta = s.theta + jnp.where(takes, trial.alpha * s.direction, 0.0)
        value, grad = jnp.where(found, trial.value, s.value), jnp.where(found, trial.grad, s.grad)
        memory = self._remembered(target, s, trial, takes)
        memory = memory._replace(added=jnp.where(found, memory.added, 0))
        direction = _direction(target, memory, grad)
        slope, steepness = jnp.stack([direction, grad]) @ grad
        descends = (slope < 0) & jnp.isfinite(slope)
        fall = (s.value - value) <= self.ftol * jnp.maximum(
            jnp.maximum(jnp.abs(s.value), jnp.abs(value)), 1.0
        )
        is_over = (takes & fall) | (jnp.max(jnp.abs(grad)) <= self.gtol)
        status = jnp.where(is_over, CONVERGED, RUNNING)
        status = jnp.where(~found & (s.added == 0), NO_DESCENT, status)
        status = jnp.where(jnp.isfinite(value + steepness), status, NOT_FINITE)
        return memory._replace(
            theta=theta, value=value, grad=grad,
            direction=jnp.where(descends, direction, -grad), slope=jnp.where(descends, slope, -steepness),
            added=jnp.where(descends, memory.added, 0), iteration=s.iteration + takes,
            evaluations=s.evaluations + evaluations, status=status,
        )  # fmt: skip

    def _remembered(self, target: Target, s: LBFGSState, trial: Trial, takes: Array) -> LBFGSState:
        """The state with the pair of this step, where its curvature is positive; and with products by the new g."""
        step, change = trial.alpha * s.direction, trial.grad - s.grad
        ys, yy = trial.alpha * (trial.slope - s.slope), change @ change
        sound = takes & (ys > -_EPS * trial.alpha * s.slope)
        slot = s.added % self.memory
        new = jnp.stack([_own(target, step), _own(target, change)])
        old = jax.lax.dynamic_slice_in_dim(s.pairs, 2 * slot, 2)
        pairs = jax.lax.dynamic_update_slice_in_dim(s.pairs, jnp.where(sound, new, old), 2 * slot, 0)
        pairs = jax.lax.optimization_barrier(pairs)  # else XLA writes twice, into copies
        products = jax.lax.psum(pairs @ _own(target, trial.grad), AXIS).reshape(-1, 2)
        products = jnp.where(takes | is_unknown(s.value), products, s.products)
        found = (products - s.products).at[slot].set(jnp.stack([ys, yy]))
        sy = s.inner[0].at[:, slot].set(found[:, 0])
        inner = jnp.stack([sy, s.inner[1].at[:, slot].set(found[:, 1]).at[slot].set(found[:, 1])])
        return s._replace(
            pairs=pairs, products=products, inner=jnp.where(sound, inner, s.inner),
            scale=jnp.where(sound, ys / yy, s.scale), added=s.added + sound,
        )  # fmt: skip


def _part(target: Target) -> int:
    """How much of a vector each device has."""
    return -(-target.size // target.mesh.size)


def _own(target: Target, vector: Float[Array, " n"]) -> Float[Array, " part"]:
    """This device's part."""
    part = _part(target)
    padded = jnp.pad(vector, (0, part * target.mesh.size - target.size))
    return jax.lax.dynamic_slice_in_dim(padded, jax.lax.axis_index(AXIS) * part, part)


def _direction(target: Target, s: LBFGSState, grad: Float[Array, " n"]) -> Float[Array, " n"]:
    """`-Hg`; without pairs, `-g`."""
    memory = len(s.products)
    oldest = jnp.where(s.added >= memory, s.added % memory, 0)
    order = (oldest + jnp.arange(memory)) % memory  # of the places, by age
    is_there = jnp.arange(memory) < s.added
    both = is_there[:, None] & is_there
    sy, yy = jnp.where(both, s.inner[:, order[:, None], order], 0.0)
    sg, yg = jnp.where(is_there, s.products[order].T, 0.0)
    diagonal = jnp.where(is_there, jnp.diagonal(sy), 1.0)
    R = jnp.triu(sy, 1) + jnp.diag(diagonal)
    gamma = jnp.where(s.added == 0, 1.0, s.scale)
    of_y = solve_triangular(R, sg)
    of_s = solve_triangular(R, diagonal * of_y + gamma * (yy @ of_y - yg), trans=1)
    shares = jnp.zeros((memory, 2)).at[order].set(jnp.stack([of_s, -gamma * of_y], axis=1))
    mine = shares.reshape(-1) @ s.pairs
    gathered = jax.lax.all_gather(mine, AXIS, tiled=True)[: target.size]
    return -gamma * grad - gathered
