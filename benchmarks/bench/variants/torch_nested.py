"""Plain PyTorch, eager: derivatives by `torch.autograd.grad` of `torch.autograd.grad`."""
# pyright: reportMissingImports=false

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch

from bench.case import Case, flat, forward
from bench.variants import Timed


def build(case: Case) -> dict[str, Timed]:
    layers = [[torch.tensor(a, requires_grad=True) for a in layer] for layer in case.parameters()]
    leaves = [array for layer in layers for array in layer]
    points = torch.tensor(case.collocation_points())
    centre, slope = map(torch.tensor, case.scaling())
    statement = case.statement

    def loss() -> Any:
        columns = [points[:, i : i + 1].clone().requires_grad_() for i in range(points.shape[1])]
        outputs = forward(case, layers, (torch.cat(columns, 1) - centre) * slope, torch.tanh)

        @cache
        def value(field: str, by: str) -> Any:
            if not by:
                place = statement.fields.index(field)
                return outputs[:, place : place + 1]
            column = columns[statement.coordinates.index(by[-1])]
            lower = value(field, by[:-1])
            return torch.autograd.grad(lower, column, torch.ones_like(lower), create_graph=True)[0]

        return sum((r * r).mean() for r in statement.residual(value))

    def gradient() -> tuple[Any, Any]:
        found = loss()
        return found, torch.autograd.grad(found, leaves)

    def check() -> tuple[float, np.ndarray]:
        value, grad = gradient()
        return value.item(), flat([[array.numpy() for array in grad]])

    return {"PyTorch, nested autograd": Timed(lambda: gradient() and None, check=check)}
