"""qres: jets, in chunks, on all cores; also the same engine with a network that it does not know."""

from __future__ import annotations

import os
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import qres
from bench.case import Case, forward
from bench.variants import Timed
from qres.loss import Objective
from qres.networks import Network
from qres.residuals import create_model


def build(case: Case, foreign: int = 0) -> dict[str, Timed]:
    objective, theta, batch = prepared(case, foreign=bool(foreign))
    evaluate = objective.engine.target.evaluate
    plain = "qres" if os.environ.get("QRES_NATIVE") != "0" else "qres, without native code"
    name = "qres, any callable" if foreign else plain

    def run() -> None:
        jax.block_until_ready(evaluate(theta, batch))

    def check() -> tuple[float, np.ndarray]:
        value, grad = evaluate(theta, batch)
        return float(value), np.asarray(grad, dtype=float)

    return {name: Timed(run, check=check)}


def prepared(case: Case, *, foreign: bool = False) -> tuple[Objective, Any, Any]:
    """The objective of a case, its parameters and its points, on the devices."""
    qres.configure()
    if case.dtype == "float32":
        jax.config.update("jax_enable_x64", False)
    statement = case.statement
    problem = qres.Problem(
        list(statement.text),
        dict(statement.domain),
        [],
        constants=dict(statement.constants),
        fields=list(statement.fields),
        definitions=dict(statement.definitions),
    )
    architecture = qres.Architecture(case.kind, case.width, case.depth)
    network: Any = (
        _Foreign(jax.tree.map(jnp.asarray, case.parameters()), case)
        if foreign
        else _filled(architecture.build(problem, key=jax.random.key(0)), case)
    )
    model = create_model(problem, network, [(0.0, 1.0)] * len(statement.fields))
    objective = Objective(problem, model, qres.Sampling(points=case.points))
    objective.sizes = dict.fromkeys(objective.names, 1.0)
    batch = objective.batch({0: (case.collocation_points().T,)})
    return objective, objective.start, batch


def _filled(network: Network, case: Case) -> Network:
    """The network with the case's parameters."""
    leaves, structure = jax.tree.flatten(network)
    arrays = [array for layer in case.parameters() for array in layer]
    assert [leaf.shape for leaf in leaves] == [array.shape for array in arrays]
    return jax.tree.unflatten(structure, [jnp.asarray(array) for array in arrays])


class _Foreign(eqx.Module):
    """The same network as a callable of which qres knows nothing: it is differentiated by nested `jvp`, in chunks."""

    layers: Any
    case: Case = eqx.field(static=True)

    def __call__(self, points: Any) -> Any:
        centre, slope = self.case.scaling()
        return forward(self.case, self.layers, (points.T - centre) * slope, jnp.tanh).T
