"""L-BFGS-B by SciPy, with the options of the paper, made to stop and go on between iterations.

SciPy runs a whole minimization in one call. Here it runs in a thread of its own that hands over after every few
iterations and waits, so that progress, checkpoints, time limits and Ctrl-C work as for every other method.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.objectives import Target

from ._base import CONVERGED, NO_DESCENT, NOT_FINITE, RUNNING, check_iterations

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


class LBFGSBState(NamedTuple):
    """Where SciPy is. Its memory of past steps is not part of it: a resumed run starts that anew."""

    theta: Float[Array, " n"]
    value: Float[Array, ""]
    iteration: Array
    evaluations: Array
    status: Array


class _Thread:
    """One minimization, advanced a number of iterations at a time."""

    def __init__(
        self,
        evaluate: Callable[[np.ndarray], tuple[float, np.ndarray]],
        state: LBFGSBState,
        options: Any,
    ) -> None:
        self._evaluate, self._options = evaluate, options
        self.theta, self.value = np.array(state.theta, dtype=float), float(state.value)
        self.iteration = self.evaluations = 0
        self.status = RUNNING
        self._until, self._cancelled = 0, False
        self._error: BaseException | None = None
        self._go, self._ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def advance(self, count: int) -> None:
        """Up to `count` more iterations; returns early when SciPy stops."""
        self._until = self.iteration + count
        self._ready.clear()
        self._go.set()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """End the minimization where it is."""
        self._cancelled = True
        self._go.set()
        self._thread.join()

    def _run(self) -> None:
        self._wait()
        try:
            if not self._cancelled:
                self._minimize()
        except StopIteration:
            pass
        except BaseException as error:
            self._error = error
        self._ready.set()

    def _wait(self) -> None:
        self._go.wait()
        self._go.clear()

    def _minimize(self) -> None:
        from scipy.optimize import minimize  # only here: it takes long to import

        result = minimize(
            self._counted,
            self.theta,
            jac=True,
            method="L-BFGS-B",
            callback=self._callback,
            options=self._options,
        )
        if not np.isfinite(result.fun):
            self.status = NOT_FINITE
        elif self.status == RUNNING:
            self.theta, self.value = result.x, float(result.fun)
            # 0: the loss or gradient is within its tolerance; 2: the line search found nothing better.
            self.status = {0: CONVERGED, 2: NO_DESCENT}.get(result.status, CONVERGED)

    def _counted(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        self.evaluations += 1
        return self._evaluate(theta)

    def _callback(self, intermediate_result: OptimizeResult) -> None:
        if np.isfinite(intermediate_result.fun):
            self.theta, self.value = np.array(intermediate_result.x), float(intermediate_result.fun)
        self.iteration += 1
        if self.iteration >= self._until:
            self._ready.set()
            self._wait()
        if self._cancelled:
            raise StopIteration


@dataclass(frozen=True)
class LBFGSB:
    """SciPy's L-BFGS-B; the defaults are the paper's: memory 50, 50 line-search steps, `ftol` = machine precision."""

    iterations: int | None = 50_000
    memory: int = 50
    line_search: int = 50
    ftol: float = float(np.finfo(float).eps)
    gtol: float = 1e-5 * float(np.finfo(float).eps)
    name: ClassVar[str] = "lbfgsb"
    _threads: dict[int, _Thread] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_iterations(self.iterations)

    def init(self, target: Target, theta: Float[Array, " n"], batch: Any) -> LBFGSBState:
        """A minimization that has not begun."""
        zero = jnp.array(0)
        value, _ = target.evaluate(theta, batch)
        status = jnp.where(jnp.isfinite(value), RUNNING, NOT_FINITE)
        return LBFGSBState(theta, value, zero, zero, status)

    def renew(self, target: Target, state: LBFGSBState, batch: Any) -> LBFGSBState:
        """Other points: SciPy starts anew from here."""
        self.close()
        return state

    def close(self) -> None:
        """End the running minimization."""
        for thread in self._threads.values():
            thread.close()
        self._threads.clear()

    def step(self, target: Target, state: LBFGSBState, batch: Any, count: int) -> LBFGSBState:
        """Up to `count` iterations."""
        thread = self._threads.get(0)
        if thread is None:
            thread = self._threads[0] = self._start(target, state, batch)
        before, evaluations = thread.iteration, thread.evaluations
        thread.advance(count)
        status = thread.status
        if status != RUNNING:
            self.close()
        return LBFGSBState(
            jnp.asarray(thread.theta),
            jnp.array(thread.value),
            state.iteration + (thread.iteration - before),
            state.evaluations + (thread.evaluations - evaluations),
            jnp.array(status),
        )

    def _start(self, target: Target, state: LBFGSBState, batch: Any) -> _Thread:
        def evaluate(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, grad = target.evaluate(jnp.asarray(theta), batch)
            return float(value), np.asarray(grad)

        limit = self.iterations or 10**9
        options = {
            "maxiter": limit, "maxfun": 10 * limit, "maxcor": self.memory, "maxls": self.line_search,
            "ftol": self.ftol, "gtol": self.gtol,
        }  # fmt: skip
        return _Thread(evaluate, state, options)
