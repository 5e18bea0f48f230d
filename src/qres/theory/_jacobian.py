"""Rows of the derivative of a network's leading form by its weights, at random points over a prime field."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Int

from ._architecture import Architecture
from ._prime_field import multiply, power

# Weights of a layer: one matrix (plain) or the two factors (quadratic), each of shape (d_out, d_in).
Layer = tuple[Int[np.ndarray, "_ _"], ...]


def _random_layers(architecture: Architecture, prime: int, rng: np.random.Generator) -> list[Layer]:
    """Weights drawn uniformly from the field, one or two matrices a layer."""
    shapes = zip(architecture.widths[1:], architecture.widths[:-1], strict=True)
    return [
        tuple(rng.integers(0, prime, size=shape) for _ in range(1 + quadratic))
        for shape, quadratic in zip(shapes, architecture.quadratic_layers, strict=True)
    ]


def _product(factors: tuple[Int[np.ndarray, "_ n"], ...], prime: int) -> Int[np.ndarray, "_ n"]:
    """The linear map, or the product of the two."""
    return factors[0] if len(factors) == 1 else factors[0] * factors[1] % prime


def _forward(
    layers: list[Layer], activation: int, points: Int[np.ndarray, "d0 n"], prime: int
) -> tuple[list[Int[np.ndarray, "_ n"]], list[tuple[Int[np.ndarray, "_ n"], ...]]]:
    """Each layer's inputs, and its linear maps before they are multiplied, at points given one a column."""
    inputs, linear = [points], []
    for layer in layers:
        linear.append(tuple(multiply(weights, inputs[-1], prime) for weights in layer))
        inputs.append(power(_product(linear[-1], prime), activation, prime))
    return inputs[:-1], linear


def _layer_columns(
    architecture: Architecture, rows: int, prime: int, rng: np.random.Generator
) -> Iterator[Int[np.ndarray, "n _"]]:
    """The Jacobian's columns, last layer first: `c . f(x)` differentiated in reverse, at random x and c."""
    layers = _random_layers(architecture, prime, rng)
    points = rng.integers(0, prime, size=(architecture.inputs, rows))
    covectors = rng.integers(0, prime, size=(architecture.outputs, rows))
    degree = architecture.activation
    inputs, linear = _forward(layers, degree, points, prime)
    for index in reversed(range(architecture.depth)):
        layer, factors = layers[index], linear[index]
        if index < architecture.depth - 1:
            slope = degree * power(_product(factors, prime), degree - 1, prime) % prime
            covectors = covectors * slope % prime
        # The derivative by one factor of a product is the other one.
        others = factors[::-1] if len(factors) == 2 else (np.ones_like(covectors),)
        parts = [covectors * other % prime for other in others]
        for part in parts:
            yield (part[:, None, :] * inputs[index][None] % prime).reshape(-1, rows).T
        pulled_back = [multiply(weights.T, part, prime) for weights, part in zip(layer, parts, strict=True)]
        covectors = np.sum(pulled_back, axis=0) % prime


def jacobian(
    architecture: Architecture, rows: int, prime: int, rng: np.random.Generator
) -> Int[np.ndarray, "rows weights"]:
    """Derivative of random linear functionals of the leading form by all weights, at random weights.

    `J[k, j] = d(c_k . f(x_k)) / d(weight j) mod p`

    The functionals `f -> c . f(x)` span the dual of the space of forms, so each new random one raises the
    rank of the rows until it is that of the derivative of all coefficients: as many as an upper bound of it
    are enough.

    Args:
        architecture: the network.
        rows: number of functionals.
        prime: the field.
        rng: where weights, points and covectors come from.
    """
    matrix = np.empty((rows, architecture.weights), dtype=np.int64)
    start = 0
    for columns in _layer_columns(architecture, rows, prime, rng):
        matrix[:, start : start + columns.shape[1]] = columns
        start += columns.shape[1]
    return matrix
