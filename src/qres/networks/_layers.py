"""The layers: the quadratic residual layer, the plain one, and those the paper compares with.

Each works on arrays and on jets alike, features first: `(in, points) → (out, points)`. A layer whose activation is
the identity and that has no shortcut is the output layer of its family. Weights are made by NumPy and put on the
device, where `jnp.asarray` would compile a program for every shape.
"""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array, device_put
from jaxtyping import Float

from qres.jets import Elementary, Rows, linear, rows

Initializer = Callable[[np.random.Generator, int, int], Float[np.ndarray, "out in"]]
_CUT = 2.0  # standard deviations


def xavier(random: np.random.Generator, inputs: int, outputs: int) -> Float[np.ndarray, "out in"]:
    """Normal with `std = sqrt(2/(in+out))`, cut at two standard deviations: the paper's."""
    std = (2 / (inputs + outputs)) ** 0.5
    drawn = random.standard_normal((outputs, inputs))
    while (beyond := np.abs(drawn) > _CUT).any():
        drawn[beyond] = random.standard_normal(np.count_nonzero(beyond))
    return std * drawn


def kaiming(random: np.random.Generator, inputs: int, outputs: int) -> Float[np.ndarray, "out in"]:
    """Normal with `std = sqrt(2/(1+a²)/in)`, a = √5: of the paper's study of spectral bias."""
    return (1 / (3 * inputs)) ** 0.5 * random.standard_normal((outputs, inputs))


INITIALIZERS: dict[str, Initializer] = {"xavier": xavier, "kaiming": kaiming}


class Plain(eqx.Module):
    """`act(Wx + b)`."""

    W: Float[Array, "out in"]
    b: Float[Array, " out"]
    activation: Elementary = eqx.field(static=True)

    @classmethod
    def create(
        cls,
        random: np.random.Generator,
        inputs: int,
        outputs: int,
        activation: Elementary,
        weights: Initializer,
    ) -> Plain:
        """A layer with random weights and zero biases."""
        return cls(device_put(weights(random, inputs, outputs)), device_put(np.zeros(outputs)), activation)

    def __call__(self, x: Rows) -> Rows:
        """The layer of an array or a jet."""
        return self.activation(linear(self.W, x) + self.b[:, None])


class Quadratic(eqx.Module):
    """The paper's layer, `act(W1x ∘ W2x + W1x + b)`; with the bias inside, `h = W1x + b, act(h ∘ W2x + h)`."""

    W1: Float[Array, "out in"]
    W2: Float[Array, "out in"]
    b: Float[Array, " out"]
    activation: Elementary = eqx.field(static=True)
    bias_inside: bool = eqx.field(static=True, default=False)

    @classmethod
    def create(
        cls, random: np.random.Generator, inputs: int, outputs: int, activation: Elementary, weights: Initializer,
        *, bias_inside: bool = False, quadratic_scale: float = 1.0,
    ) -> Quadratic:  # fmt: skip
        """A layer with random weights, `W2` scaled as asked, and zero biases."""
        W1, W2 = (weights(random, inputs, outputs) for _ in range(2))
        return cls(
            device_put(W1),
            device_put(quadratic_scale * W2),
            device_put(np.zeros(outputs)),
            activation,
            bias_inside,
        )

    def __call__(self, x: Rows) -> Rows:
        """The layer of an array or a jet; both weights go through one matrix product."""
        first, second = _both(self.W1, self.W2, x)
        if self.bias_inside:
            first = first + self.b[:, None]
            return self.activation(first * second + first)
        return self.activation(first * second + first + self.b[:, None])


class AdaptiveActivation(eqx.Module):
    """`act(n α (Wx + b))` with one learnable α a layer, starting at 1/n (Jagtap et al. 2020)."""

    W: Float[Array, "out in"]
    b: Float[Array, " out"]
    alpha: Float[Array, ""]
    activation: Elementary = eqx.field(static=True)
    n: float = eqx.field(static=True)

    @classmethod
    def create(
        cls,
        random: np.random.Generator,
        inputs: int,
        outputs: int,
        activation: Elementary,
        weights: Initializer,
        *,
        n: float = 5.0,
    ) -> AdaptiveActivation:
        """A layer with random weights, zero biases and the slope of a plain one."""
        return cls(
            device_put(weights(random, inputs, outputs)),
            device_put(np.zeros(outputs)),
            device_put(np.array(1 / n)),
            activation,
            n,
        )

    def __call__(self, x: Rows) -> Rows:
        """The layer of an array or a jet."""
        slope = self.n * self.alpha
        return self.activation(linear(slope * self.W, x) + slope * self.b[:, None])


class IdentityShortcut(eqx.Module):
    """`act(Wx + b) + x`: only between equal widths."""

    plain: Plain

    @classmethod
    def create(
        cls,
        random: np.random.Generator,
        inputs: int,
        outputs: int,
        activation: Elementary,
        weights: Initializer,
    ) -> IdentityShortcut | Plain:
        """A layer with a shortcut, or a plain one where the widths differ."""
        plain = Plain.create(random, inputs, outputs, activation, weights)
        return cls(plain) if inputs == outputs else plain

    def __call__(self, x: Rows) -> Rows:
        """The layer of an array or a jet."""
        return self.plain(x) + x


class QuadraticShortcut(eqx.Module):
    """`W1x ∘ W2x + act(W1x + b)`: the quadratic term after the activation."""

    W1: Float[Array, "out in"]
    W2: Float[Array, "out in"]
    b: Float[Array, " out"]
    activation: Elementary = eqx.field(static=True)

    @classmethod
    def create(
        cls, random: np.random.Generator, inputs: int, outputs: int, activation: Elementary, weights: Initializer,
        *, quadratic_scale: float = 1.0,
    ) -> QuadraticShortcut:  # fmt: skip
        """A layer with random weights, `W2` scaled as asked, and zero biases."""
        W1, W2 = (weights(random, inputs, outputs) for _ in range(2))
        return cls(
            device_put(W1), device_put(quadratic_scale * W2), device_put(np.zeros(outputs)), activation
        )

    def __call__(self, x: Rows) -> Rows:
        """The layer of an array or a jet."""
        first, second = _both(self.W1, self.W2, x)
        return first * second + self.activation(first + self.b[:, None])


class ThreeWeights(eqx.Module):
    """`act((W1x + b1) ∘ (W2x + b2) + W3x² + b3)`, the quadratic neuron of Fan, Cong and Wang (2018)."""

    W1: Float[Array, "out in"]
    W2: Float[Array, "out in"]
    W3: Float[Array, "out in"]
    b1: Float[Array, " out"]
    b2: Float[Array, " out"]
    b3: Float[Array, " out"]
    activation: Elementary = eqx.field(static=True)

    @classmethod
    def create(
        cls, random: np.random.Generator, inputs: int, outputs: int, activation: Elementary, weights: Initializer,
        *, quadratic_scale: float = 1.0,
    ) -> ThreeWeights:  # fmt: skip
        """Random weights; `b2 = 1`, so that the layer starts as a plain one with quadratic terms added."""
        W1, W2, W3 = (weights(random, inputs, outputs) for _ in range(3))
        zero = device_put(np.zeros(outputs))
        W2, W3 = quadratic_scale * W2, quadratic_scale * W3
        return cls(
            device_put(W1),
            device_put(W2),
            device_put(W3),
            zero,
            device_put(np.ones(outputs)),
            zero,
            activation,
        )

    def __call__(self, x: Rows) -> Rows:
        """The layer of an array or a jet."""
        first, second = _both(self.W1, self.W2, x)
        bilinear = (first + self.b1[:, None]) * (second + self.b2[:, None])
        return self.activation(bilinear + linear(self.W3, x * x) + self.b3[:, None])


def _both(W1: Float[Array, "out in"], W2: Float[Array, "out in"], x: Rows) -> tuple[Rows, Rows]:
    both = linear(jnp.concatenate([W1, W2]), x)
    return rows(both, 0, len(W1)), rows(both, len(W1), 2 * len(W1))
