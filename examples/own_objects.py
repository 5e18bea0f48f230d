"""A problem of functions with an own network, optimizer and loss term: killed, resumed to the bit, saved, swept."""

import signal
import subprocess
import sys
from pathlib import Path

import equinox as eqx
import jax
import numpy as np
import optax

import qres


class Net(eqx.Module):
    inner: eqx.nn.MLP

    def __init__(self, *, key):
        self.inner = eqx.nn.MLP(2, 1, width_size=10, depth=2, activation=jax.numpy.tanh, key=key)

    def __call__(self, points):
        return jax.vmap(self.inner, in_axes=1, out_axes=1)(points)


class Symmetry:  # u = 0 at x = 0, which equation and initial data imply
    def points(self, key):
        return np.stack([qres.extend.generator(key).random(30), np.zeros(30)])

    def residual(self, fields, points, unknowns):
        return fields["u"]


def die(run):  # as a crash would, once there is a checkpoint
    if Path("run/checkpoint.safetensors").exists():
        signal.raise_signal(signal.SIGKILL)


conditions = [qres.Condition.at({"t": 0}, lambda u, x: u + np.sin(np.pi * x)), "u(t, -1) = 0", "u(t, 1) = 0"]
burgers = qres.Problem(lambda u: u.t + u * u.x - 0.05 * u.xx, {"t": (0, 1), "x": (-1, 1)}, conditions)
adam = qres.Optax(optax.adam(optax.cosine_decay_schedule(5e-3, 20_000)), 20_000)
own = {"network": Net, "optimizer": adam, "terms": {"symmetry": Symmetry()}}
if sys.argv[1:] == ["die"]:
    qres.solve(burgers, **own, run="run", callbacks=[die])
print("killed by signal", -subprocess.run([sys.executable, __file__, "die"]).returncode)
resumed, once = qres.resume("run", **own), qres.solve(burgers, **own)
at = {"t": 0.5, "x": np.linspace(-1, 1, 101)}
print("resumed to the bit:", np.array_equal(resumed("u", **at), once("u", **at)))
resumed.save("burgers.qres")
print("loaded:", np.array_equal(qres.load("burgers.qres", network=Net)("u", **at), once("u", **at)))
for outcome in qres.sweep.run(qres.sweep.grid(burgers, seeds=3, **own), "sweep"):
    solution = outcome.solution()
    print(outcome.folder.name, solution.result.loss, solution("u", t=0.5, x=0.3))
