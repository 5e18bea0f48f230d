"""Window after window: each from the state at the end of the one before, checked by features that are independent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from qres.fields import Chain, Model, Windows
from qres.least_squares import output_of, with_output
from qres.networks import Network, Quadratic

from ._choice import Kind
from ._control import Control
from ._evolution import Evolution
from ._newton import Window, solve_window
from ._state import Weights
from ._system import Span


class March:
    """A run of windows, and where it stands.

    Args:
        evolution: the problem.
        kind: of the features.
        windows: how many, and how accurate.
        seed: of features and points.
    """

    def __init__(self, evolution: Evolution, kind: Kind, windows: Windows, seed: int) -> None:
        self.windows, self.evolution = windows, evolution
        self.system = kind.system(evolution, seed)
        self.check = kind.system(evolution, seed, 1) if windows.is_adaptive else None
        low, high = evolution.problem.bounds[evolution.axis]
        count = None if windows.is_adaptive else int(windows.windows)
        self.control = Control.begin(
            low, high, count, windows.tolerance, in_space=len(evolution.problem.coordinates) > 1
        )
        self.edges, self.errors, self.misfits = [low], list[float](), list[float]()
        self.iterations = 0
        self.weights: list[Weights] = []
        self._rest = self.system.resting(self.system.handover.initial())

    @property
    def is_over(self) -> bool:
        """Whether the end is reached."""
        return self.control.is_over

    @property
    def is_stuck(self) -> bool:
        """Whether windows have become too short to go on."""
        return self.control.is_stuck

    def step(self) -> bool:
        """Try the next window; whether it was good, and is now the last one."""
        span = Span(self.control.time, self.control.end - self.control.time)
        last = self.weights[-1] if self.weights else self._rest
        found = solve_window(self.system, span, self._state(), self.system.still(last), last)
        error = np.inf
        if found is not None and found.converged:
            error = self._error(found, span)
        self.iterations += 0 if found is None else found.iterations
        judged = self.control.judged(error)
        is_good = judged.time > self.control.time
        self.control = judged
        if is_good:
            assert found is not None
            self.weights.append(found.weights)
            self.errors.append(error)
            self.misfits.append(found.misfit)
            self.edges.append(judged.time)
        return is_good

    @property
    def _last(self) -> Span:
        return Span(self.edges[-2], self.edges[-1] - self.edges[-2])

    def _state(self) -> np.ndarray:
        """What the next window begins with."""
        handover = self.system.handover
        if not self.weights:
            return handover.initial()
        return handover.at_end(self.weights[-1], self.edges[-1], self.system.rate(self._last))

    def _error(self, found: Window, span: Span) -> float:
        """The local error: the correction that independent features ask for at other points."""
        if self.check is None:
            return 0.0
        handover, network = self.check.handover, self.system.network
        state = handover.initial()
        if self.weights:
            rate = self.system.rate(self._last)
            state = handover.at_end_of(network, self.weights[-1], self.edges[-1], rate)
        guess = self.check.outputs_of(network, found.weights, span)
        other = solve_window(self.check, span, state, guess, self.check.nothing, most=1)
        if other is None:
            return np.inf
        worst = 0.0
        for old, new in zip(guess, self.check.outputs(other.weights, span), strict=True):
            size = np.max(np.abs(new[:, :, 0]), axis=(0, 2))
            off = np.max(np.abs(new[:, :, 0] - old[:, :, 0]), axis=(0, 2))
            worst = max(worst, float(np.max(off / np.maximum(size, np.finfo(float).tiny))))
        return worst if np.isfinite(worst) else np.inf

    def model(self) -> tuple[Model, Chain]:
        """The networks of all windows so far, as one model."""
        problem, network = self.evolution.problem, self.system.network
        if not self.weights:  # nothing was solved: the state at the beginning, to have something to show
            return chain_model(problem.fields, network, [self._rest], [self.control.start, self.control.stop])
        return chain_model(problem.fields, network, self.weights, self.edges)

    def to_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Where the run stands, as plain data and arrays."""
        counters = {
            "control": asdict(self.control),
            "edges": self.edges,
            "errors": self.errors,
            "misfits": self.misfits,
            "iterations": self.iterations,
        }
        return counters, {"weights": np.array(self.weights).reshape(len(self.weights), *self._rest.shape)}

    def restore(self, counters: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from there."""
        self.control = Control(**{**counters["control"], "before": tuple(counters["control"]["before"])})
        self.edges = [float(edge) for edge in counters["edges"]]
        self.errors, self.misfits = ([float(v) for v in counters[name]] for name in ("errors", "misfits"))
        self.iterations = int(counters["iterations"])
        self.weights = list(arrays["weights"])


def chain_model(
    fields: tuple[str, ...], network: Network, weights: list[Weights], edges: list[float]
) -> tuple[Model, Chain]:
    """Windows that share their features as one model, whose output layers have a leading axis over the windows."""
    stacked = np.array(weights)
    single = with_output(network, stacked[0, :, :-1], stacked[0, :, -1])
    model = Model(single, {}, ((0.0, 1.0),) * len(fields))
    name = "W1" if isinstance(single.layers[-1], Quadratic) else "W"
    arrays = jnp.asarray(stacked[:, :, :-1]), jnp.asarray(stacked[:, :, -1])
    model = eqx.tree_at(
        lambda m: (getattr(m.network.layers[-1], name), m.network.layers[-1].b), model, arrays
    )
    layer = f"network.layers[{len(network.layers) - 1}]"
    return model, Chain(tuple(edges), frozenset({f"{layer}.{name}", f"{layer}.b"}))


def weights_of(network: Network) -> Weights:
    """The weights of a linear output layer, the biases last."""
    weights, bias = output_of(network)
    return np.concatenate([weights, bias[:, None]], axis=1)
