"""DeepXDE: a `TimePDE` at given points, compiled as its documentation says, with either backend (`DDE_BACKEND`).

Its loss and gradient are those of its own training step. Forward-mode differentiation, which it offers too, is
measured beside its default, reverse mode.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import os
from typing import Any

import deepxde as dde
import numpy as np

from bench.case import Case, flat
from bench.equations import NU
from bench.variants import Timed

BACKEND = os.environ.get("DDE_BACKEND", "pytorch")


def build(case: Case) -> dict[str, Timed]:
    assert case.equation == "burgers"
    dde.config.set_default_float(case.dtype)
    if BACKEND == "jax":
        import jax

        jax.config.update("jax_enable_x64", case.dtype == "float64")  # which DeepXDE leaves to the user
    name = {"pytorch": "PyTorch", "jax": "JAX"}[BACKEND]
    result = {}
    for mode in ("reverse", "forward"):
        dde.config.set_default_autodiff(mode)
        make = _by_jax if BACKEND == "jax" else _by_torch
        title = f"DeepXDE, {name}" + (", forward mode" if mode == "forward" else "")
        result[title] = make(case, _model(case), mode)
    return result


def _model(case: Case) -> Any:
    """The model of the documentation's example, without conditions; its points are (x, t), ours as anchors."""
    geometry = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 1))

    def value(found: Any) -> Any:
        """In forward mode and with JAX everything comes as a pair, value and function."""
        return found[0] if isinstance(found, tuple | list) else found

    def pde(x: Any, y: Any) -> Any:
        dy_x = value(dde.grad.jacobian(y, x, i=0, j=0))
        dy_t = value(dde.grad.jacobian(y, x, i=0, j=1))
        dy_xx = value(dde.grad.hessian(y, x, i=0, j=0))
        return dy_t + value(y) * dy_x - NU * dy_xx

    points = case.collocation_points()[:, ::-1]
    data = dde.data.TimePDE(geometry, pde, [], num_domain=0, anchors=np.ascontiguousarray(points))
    model = dde.Model(data, _network(case))
    model.compile("adam", lr=1e-3, verbose=0)
    return model


def _network(case: Case) -> Any:
    """DeepXDE's own plain network, or a quadratic one made as it documents for networks of one's own."""
    centre, slope = (a[::-1].copy() for a in case.scaling())
    if case.kind == "mlp":
        net = dde.nn.FNN(case.widths, "tanh", "Glorot normal")
    else:
        from bench.variants import deepxde_networks

        net = deepxde_networks.quadratic(case)
    if BACKEND == "pytorch":
        import torch

        centre, slope = torch.tensor(centre), torch.tensor(slope)
    net.apply_feature_transform(lambda x: (x - centre) * slope)
    return net


def _arrays(case: Case) -> list[list[np.ndarray]]:
    """The case's parameters for inputs (x, t)."""
    layers = case.parameters()
    layers[0] = [*(W[:, ::-1].copy() for W in layers[0][:-1]), layers[0][-1]]
    return layers


def _flat_gradient(case: Case, layers: list[list[Any]]) -> np.ndarray:
    first = [*(np.asarray(W)[:, ::-1] for W in layers[0][:-1]), layers[0][-1]]
    return flat([first, *layers[1:]])


def _by_torch(case: Case, model: Any, mode: str) -> Timed:
    import torch

    parameters = list(model.net.parameters())
    arrays = [array for layer in _arrays(case) for array in layer]
    with torch.no_grad():
        for parameter, array in zip(parameters, arrays, strict=True):
            parameter.copy_(torch.tensor(array))
    inputs = model.data.train_x

    def run() -> Any:
        dde.config.autodiff = mode
        total = torch.sum(model.outputs_losses_train(inputs, None, None)[1])
        model.opt.zero_grad()
        total.backward()
        return total

    def check() -> tuple[float, np.ndarray]:
        value = run().item()
        grads = iter([p.grad.numpy() for p in parameters])
        return value, _flat_gradient(case, [[next(grads) for _ in layer] for layer in _arrays(case)])

    return Timed(lambda: run() and None, check=check)


def _by_jax(case: Case, model: Any, mode: str) -> Timed:
    import jax
    import jax.numpy as jnp

    from bench.variants import deepxde_networks

    params = [deepxde_networks.to_tree(case, _arrays(case)), []]
    inputs = jnp.asarray(model.data.train_x)
    program = jax.jit(jax.value_and_grad(lambda p, x: jnp.sum(model.outputs_losses_train(p, x, None)[1])))
    dde.config.autodiff = mode
    jax.block_until_ready(program(params, inputs))  # traced in this mode

    def check() -> tuple[float, np.ndarray]:
        value, grad = program(params, inputs)
        return float(value), _flat_gradient(case, deepxde_networks.from_tree(case, grad[0]))

    return Timed(lambda: jax.block_until_ready(program(params, inputs)) and None, check=check)
