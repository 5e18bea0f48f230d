"""DeepXDE on Burgers' equation as its documentation says: Adam, 15000 iterations, then L-BFGS; PINN 20×3."""
# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any

import deepxde as dde
import numpy as np
from deepxde.optimizers.config import LBFGS_options

from bench.jobs import answer, arguments
from bench.jobs.clock import Watch


class Look(dde.callbacks.Callback):
    """Notes the error now and then."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch

    def on_epoch_end(self) -> None:
        """After each iteration of Adam, each hundred of L-BFGS."""
        if self.watch.due():
            self.now()

    def now(self) -> None:
        """The error at this iteration."""
        step = self.model.train_state.iteration
        self.watch.look(step, lambda grid: self.model.predict(grid[:, ::-1].copy()))


def main() -> None:
    asked = arguments()
    watch = Watch()
    dde.config.set_default_float(asked["dtype"])
    dde.config.set_random_seed(asked["seed"])
    geometry = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 0.99))

    def pde(x: Any, y: Any) -> Any:
        dy_x = dde.grad.jacobian(y, x, i=0, j=0)
        dy_t = dde.grad.jacobian(y, x, i=0, j=1)
        dy_xx = dde.grad.hessian(y, x, i=0, j=0)
        return dy_t + y * dy_x - 0.01 / np.pi * dy_xx

    bc = dde.icbc.DirichletBC(geometry, lambda x: 0, lambda _, on_boundary: on_boundary)
    ic = dde.icbc.IC(geometry, lambda x: -np.sin(np.pi * x[:, 0:1]), lambda _, on_initial: on_initial)
    data = dde.data.TimePDE(geometry, pde, [bc, ic], num_domain=2540, num_boundary=80, num_initial=160)
    net = dde.nn.FNN([2] + [20] * 3 + [1], "tanh", "Glorot normal")
    model = dde.Model(data, net)
    look = Look(watch)
    # How often L-BFGS hands over, and nothing else: at every hundredth iteration instead of every thousandth.
    LBFGS_options["iter_per_step"], LBFGS_options["fun_per_step"] = 100, 125
    model.compile("adam", lr=1e-3)
    model.train(iterations=asked["adam"], callbacks=[look])
    look.now()
    LBFGS_options["maxiter"] = asked["lbfgs"]
    model.compile("L-BFGS")
    model.train(callbacks=[look])
    look.now()
    count = sum(parameter.numel() for parameter in net.parameters())
    stopped = f"its recipe is done after {model.train_state.iteration} iterations"
    answer(
        {
            "history": watch.history,
            "parameters": count,
            "stopped": stopped,
            "iterations": model.train_state.iteration,
        }
    )


if __name__ == "__main__":
    main()
