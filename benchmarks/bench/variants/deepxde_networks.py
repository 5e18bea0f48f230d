"""The quadratic network as a network of DeepXDE, for either backend, and its parameters in its own order."""
# pyright: reportMissingImports=false

from __future__ import annotations

import os
from typing import Any

import deepxde as dde
import numpy as np

from bench.case import Case, forward


def quadratic(case: Case) -> Any:
    """A subclass of DeepXDE's `NN`, as its documentation asks."""
    return _jax(case) if os.environ.get("DDE_BACKEND") == "jax" else _torch(case)


def _torch(case: Case) -> Any:
    import torch

    class Quadratic(dde.nn.NN):
        def __init__(self) -> None:
            super().__init__()
            arrays = [[torch.nn.Parameter(torch.tensor(a)) for a in layer] for layer in case.parameters()]
            self.layers = torch.nn.ModuleList(torch.nn.ParameterList(layer) for layer in arrays)

        def forward(self, inputs: Any) -> Any:
            x = inputs if self._input_transform is None else self._input_transform(inputs)
            return forward(case, [list(layer) for layer in self.layers], x, torch.tanh)

    return Quadratic()


def _jax(case: Case) -> Any:
    import jax.numpy as jnp

    class Quadratic(dde.nn.jax.NN):
        regularization: Any = None
        params: Any = None
        _input_transform: Any = None
        _output_transform: Any = None

        def setup(self) -> None:
            self.layers = [
                [
                    self.param(f"p{i}_{k}", lambda key, a=array: jnp.asarray(a))
                    for k, array in enumerate(layer)
                ]
                for i, layer in enumerate(case.parameters())
            ]

        def __call__(self, inputs: Any, training: bool = False) -> Any:
            x = inputs if self._input_transform is None else self._input_transform(inputs)
            return forward(case, self.layers, x, jnp.tanh)

    return Quadratic()


def to_tree(case: Case, layers: list[list[np.ndarray]]) -> Any:
    """Our parameters as Flax's."""
    import jax.numpy as jnp

    if case.kind == "qres":
        tree = {f"p{i}_{k}": jnp.asarray(a) for i, layer in enumerate(layers) for k, a in enumerate(layer)}
    else:
        tree = {
            f"denses_{i}": {"kernel": jnp.asarray(W.T), "bias": jnp.asarray(b)}
            for i, (W, b) in enumerate(layers)
        }
    return {"params": tree}


def from_tree(case: Case, tree: Any) -> list[list[Any]]:
    """Flax's gradient as ours."""
    found = tree["params"]
    if case.kind == "qres":
        return [[found[f"p{i}_{k}"] for k in range(3)] for i in range(case.depth + 1)]
    return [[found[f"denses_{i}"]["kernel"].T, found[f"denses_{i}"]["bias"]] for i in range(case.depth + 1)]
