"""Random features: a network of one hidden layer whose hidden weights are drawn once and never trained.

A feature is `act(w·z + b)`, or with QRes neurons `act(w1·z ∘ w2·z + w1·z + b)`, of coordinates z that are scaled to
[-1, 1]. Weights are uniform within a reach of their own along each coordinate, in radians: that is the band of
frequencies that sine features span. The bias puts each feature's centre, where its argument vanishes, at a random point
of the box. Along a periodic coordinate the weights of a sine are whole multiples of its wave number, and other features
see the coordinate as cosine and sine: both are exactly periodic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jax import device_put
from jaxtyping import Float

from qres.jets import ACTIVATIONS
from qres.networks import Architecture, Embedding, Network, Plain, Quadratic
from qres.problems import Problem
from qres.runtime.random import generator_for

_QUADRATIC = 0.15  # the reach of a QRes neuron's second weights, as a share of that of the first


@dataclass(frozen=True)
class Features:
    """What random features are, without how many.

    Args:
        kind: `"qres"` or `"mlp"`.
        activation: of both.
        reach: of the weights along each coordinate.
        centre: about which they are, with either sign; by default about zero.
    """

    kind: str
    activation: str
    reach: tuple[float, ...]
    centre: tuple[float, ...] = ()

    def scaled(self, factors: tuple[float, ...]) -> Features:
        """The same with other reaches."""
        return replace(self, reach=tuple(r * f for r, f in zip(self.reach, factors, strict=True)))

    def __str__(self) -> str:
        kind = self.activation if self.kind == "mlp" else self.kind
        middle = [f"{c:.3g} ± " if c else "" for c in self.centre or (0.0,) * len(self.reach)]
        return f"{kind} " + ", ".join(f"{c}{r:.3g}" for c, r in zip(middle, self.reach, strict=True))


def feature_network(problem: Problem, features: Features, count: int, seed: int) -> Network:
    """A network with these hidden weights, and an output layer of zeros; fewer features are the first of more."""
    waves = [name in problem.periodic for name in problem.coordinates]
    is_sine = features.kind == "mlp" and features.activation == "sin"
    harmonics = tuple(int(wave and not is_sine) for wave in waves)
    embedding = Embedding(problem.lower, problem.upper, harmonics)
    inputs = [2 if wave else 1 for wave in harmonics]
    reach = np.repeat(features.reach, inputs)
    middle = np.repeat(features.centre or (0.0,) * len(waves), inputs)
    d, random = len(reach), generator_for(seed, "features")
    drawn = random.uniform(-1, 1, (count, 4 * d + 1))  # a row a feature: more features keep the first
    W1 = drawn[:, :d] * reach + np.sign(drawn[:, 3 * d : 4 * d]) * middle
    W2 = _QUADRATIC * drawn[:, d : 2 * d] * reach
    if is_sine:
        W1 = np.where(waves, np.pi * np.round(W1 / np.pi), W1)
    centre = _embedded(embedding, drawn[:, 2 * d : 3 * d])
    first = np.sum(W1 * centre, axis=1)
    activation, outputs = ACTIVATIONS[features.activation], len(problem.fields)
    zero, none = device_put(np.zeros((outputs, count))), device_put(np.zeros(outputs))
    if features.kind == "qres":
        second = np.sum(W2 * centre, axis=1)
        hidden: Any = Quadratic(*map(device_put, (W1, W2, -first * second - first)), activation=activation)
        output: Any = Quadratic(zero, zero, none, ACTIVATIONS["identity"])
    else:
        bias = np.pi * drawn[:, -1] if is_sine else -first
        hidden = Plain(device_put(W1), device_put(bias), activation)
        output = Plain(zero, none, ACTIVATIONS["identity"])
    architecture = Architecture(
        kind=features.kind,
        width=count,
        depth=1,
        activation=features.activation,
        harmonics=1,
        periodic_embedding=not is_sine,
    )
    return Network(embedding, (hidden, output), architecture)


def _embedded(embedding: Embedding, unit: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    """Random points of [-1, 1]^d as the hidden layer sees them: of a periodic coordinate, points of the circle."""
    columns, place = [], 0
    for harmonics in embedding.harmonics:
        own = unit[:, place]
        columns += [np.cos(np.pi * own), np.sin(np.pi * own)] if harmonics else [own]
        place += 2 if harmonics else 1
    return np.stack(columns, axis=1)


def with_output(network: Network, weights: Float[np.ndarray, "fields features"], bias: np.ndarray) -> Network:
    """The same network with other weights of its output layer."""
    hidden, output = network.layers
    if isinstance(output, Quadratic):
        zero = device_put(np.zeros_like(weights))
        last: Any = Quadratic(device_put(weights), zero, device_put(bias), output.activation)
    else:
        last = Plain(device_put(weights), device_put(bias), output.activation)
    return Network(network.embedding, (hidden, last), network.architecture)


def output_of(network: Network) -> tuple[Float[np.ndarray, "fields features"], Float[np.ndarray, " fields"]]:
    """The weights and biases of a linear output layer."""
    last = network.layers[-1]
    return np.asarray(last.W1 if isinstance(last, Quadratic) else last.W), np.asarray(last.b)
