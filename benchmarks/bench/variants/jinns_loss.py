"""jinns: its own Burgers loss (`BurgersEquation`) with a network from `PINN_MLP.create`, jitted as its solver does."""
# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import jinns
import numpy as np

from bench.case import Case, flat
from bench.equations import NU
from bench.variants import Timed


class Quadratic(eqx.Module):
    """The paper's layer before its activation, for one point."""

    W1: Any
    W2: Any
    b: Any

    def __init__(self, inputs: int, outputs: int, *, key: Any) -> None:
        self.W1 = self.W2 = jnp.zeros((outputs, inputs))
        self.b = jnp.zeros(outputs)

    def __call__(self, x: Any) -> Any:
        """One point's outputs."""
        first = self.W1 @ x
        return first * (self.W2 @ x) + first + self.b


def build(case: Case) -> dict[str, Timed]:
    assert case.equation == "burgers"
    jax.config.update("jax_enable_x64", case.dtype == "float64")
    centre, slope = case.scaling()
    layer = Quadratic if case.kind == "qres" else eqx.nn.Linear
    description: list[tuple[Any, ...]] = []
    for inputs, outputs in zip(case.widths, case.widths[1:], strict=False):
        description += [(layer, inputs, outputs), (jax.nn.tanh,)]
    u, blank = jinns.nn.PINN_MLP.create(
        key=jax.random.PRNGKey(0), eqx_list=tuple(description[:-1]), eq_type="PDENonStatio",
        input_transform=lambda t_x, params: (t_x - centre) * slope,
    )  # fmt: skip
    leaves, structure = jax.tree.flatten(blank)
    arrays = [array for one in case.parameters() for array in one]
    assert [leaf.shape for leaf in leaves] == [array.shape for array in arrays]
    params = jinns.parameters.Params(
        nn_params=jax.tree.unflatten(structure, [jnp.asarray(array) for array in arrays]),
        eq_params={"nu": jnp.asarray(NU, case.dtype)},
    )
    loss = jinns.loss.LossPDENonStatio(
        u=u, dynamic_loss=jinns.loss.BurgersEquation(Tmax=1), params=params,
        loss_weights=jinns.loss.LossWeightsPDENonStatio(dyn_loss=1.0),
        initial_condition_fun=None, boundary_condition=None,
    )  # fmt: skip
    batch = jinns.data.PDENonStatioBatch(
        domain_batch=jnp.asarray(case.collocation_points()), border_batch=None, initial_batch=None
    )
    program = jax.jit(jax.value_and_grad(lambda p, b: loss.evaluate(p, b)[0]))

    def check() -> tuple[float, np.ndarray]:
        value, grad = program(params, batch)
        return float(value), flat([jax.tree.leaves(grad.nn_params)])

    return {"jinns": Timed(lambda: jax.block_until_ready(program(params, batch)) and None, check=check)}
