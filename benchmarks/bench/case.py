"""What is measured: an equation, a network with given parameters, and given points. The same for every variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .equations import EQUATIONS, Equation


@dataclass(frozen=True)
class Case:
    """Loss and gradient of an equation's mean square residual, `kind` being "qres" or "mlp"."""

    equation: str = "burgers"
    kind: str = "qres"
    width: int = 10
    depth: int = 8
    points: int = 10_000
    dtype: str = "float64"

    @property
    def statement(self) -> Equation:
        """The equation."""
        return EQUATIONS[self.equation]

    @property
    def widths(self) -> list[int]:
        """Of all layers, with inputs and outputs."""
        return [len(self.statement.domain), *[self.width] * self.depth, len(self.statement.fields)]

    def parameters(self) -> list[list[np.ndarray]]:
        """For each layer its weights, `(out, in)`, two of them in a quadratic one, and its bias."""
        generator = np.random.default_rng(0)
        layers = []
        for inputs, outputs in zip(self.widths, self.widths[1:], strict=False):
            std = (2 / (inputs + outputs)) ** 0.5
            weights = [generator.normal(0, std, (outputs, inputs)) for _ in range(self.weights_a_layer)]
            layers.append([*weights, generator.normal(0, 0.1, outputs)])
        return [[array.astype(self.dtype) for array in layer] for layer in layers]

    @property
    def weights_a_layer(self) -> int:
        """Two in a quadratic layer."""
        return 2 if self.kind == "qres" else 1

    def collocation_points(self) -> np.ndarray:
        """`(points, coordinates)`."""
        low, high = np.array(list(self.statement.domain.values())).T
        drawn = np.random.default_rng(1).uniform(low, high, (self.points, len(low)))
        return drawn.astype(self.dtype)

    def scaling(self) -> tuple[np.ndarray, np.ndarray]:
        """Centre and slope that take the domain to [-1, 1]."""
        low, high = np.array(list(self.statement.domain.values())).T
        return ((low + high) / 2).astype(self.dtype), (2 / (high - low)).astype(self.dtype)


def forward(case: Case, layers: Any, x: Any, tanh: Any) -> Any:
    """The network as all but qres write it, points first: `(n, coordinates) → (n, fields)`; of any array library."""
    for number, layer in enumerate(layers):
        if case.kind == "qres":
            W1, W2, b = layer
            first = x @ W1.T
            x = first * (x @ W2.T) + first + b
        else:
            W, b = layer
            x = x @ W.T + b
        if number + 1 < len(layers):
            x = tanh(x)
    return x


def flat(layers: Any) -> np.ndarray:
    """All parameters, or a gradient of their shape, as one vector."""
    return np.concatenate([np.asarray(array, dtype=float).ravel() for layer in layers for array in layer])
