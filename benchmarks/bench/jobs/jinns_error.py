"""jinns on Burgers' equation as its notebook says: natural gradient, 300 iterations; PINN 16×3, float64.

Its solver is one compiled loop, so parameters are tracked in it, and an iteration takes its share of the loop's time.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import contextlib
import io
import itertools
import re
import time
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import jinns
import numpy as np
from jinns.optimizers import vanilla_ngd

from bench.jobs import answer, arguments
from bench.jobs.clock import error, process_age


def main() -> None:
    asked = arguments()
    jax.config.update("jax_enable_x64", True)
    key = jax.random.PRNGKey(asked["seed"])
    key, subkey = jax.random.split(key)
    widths = [2, 16, 16, 16, 1]
    layers: list[Any] = []
    for inputs, outputs in itertools.pairwise(widths):
        layers += [(eqx.nn.Linear, inputs, outputs), (jax.nn.tanh,)]
    u, start = jinns.nn.PINN_MLP.create(key=subkey, eqx_list=tuple(layers[:-1]), eq_type="PDENonStatio")
    data = jinns.data.CubicMeshPDENonStatio(
        key=key, n=900, nb=2000, ni=2000, dim=1, min_pts=(-1,), max_pts=(1,), tmin=0, tmax=1, method="uniform"
    )
    params = jinns.parameters.Params(nn_params=start, eq_params={"nu": jnp.array(1 / (100 * jnp.pi))})
    loss = jinns.loss.LossPDENonStatio(
        u=u, dynamic_loss=jinns.loss.BurgersEquation(Tmax=1), params=params,
        loss_weights=jinns.loss.LossWeightsPDENonStatio(dyn_loss=1, initial_condition=1, boundary_loss=1),
        initial_condition_fun=lambda x: -jnp.sin(jnp.pi * x), boundary_condition=jinns.loss.Dirichlet(),
    )  # fmt: skip
    tracked = jinns.parameters.Params(nn_params=jax.tree.map(lambda _: True, start), eq_params={"nu": None})
    before, begun, said = process_age(), time.perf_counter(), io.StringIO()
    with contextlib.redirect_stdout(said):
        result = jinns.solve(
            init_params=params, data=data, optimizer=vanilla_ngd(), loss=loss, n_iter=asked["iterations"],
            print_loss_every=100, tracked_params=tracked,
        )  # fmt: skip
    whole = time.perf_counter() - begun
    trained = float(re.search(r"Training took\s+([\d.]+)", said.getvalue())[1])  # pyright: ignore
    kept = result[6].nn_params
    history = []
    for i in range(0, asked["iterations"], 5):
        chosen = jinns.parameters.Params(jax.tree.map(lambda a, i=i: a[i], kept), params.eq_params)
        predict = jax.jit(jax.vmap(lambda point, p=chosen: u(point, p)))
        at = before + (whole - trained) + trained * (i + 1) / asked["iterations"]
        history.append([round(at, 3), i + 1, error(lambda grid, f=predict: f(jnp.asarray(grid)))])
    count = int(sum(np.size(leaf) for leaf in jax.tree.leaves(start)))
    answer(
        {
            "history": history, "parameters": count, "iterations": asked["iterations"],
            "stopped": "its recipe is done", "compile_seconds": round(whole - trained, 3),
        }
    )  # fmt: skip


if __name__ == "__main__":
    main()
