"""One of several processes that work on Burgers' equation together: a few iterations, and a loss + gradient timed."""

from __future__ import annotations

import dataclasses
import time

import jax
import numpy as np

import qres
from bench.jobs import answer, arguments
from qres.runs import read_specification
from qres.training._assembly import build_model, build_objective


def main() -> None:
    asked = arguments()
    specification = read_specification("burgers")
    specification = dataclasses.replace(specification, sampling=qres.Sampling(points=asked["points"]))
    objective = build_objective(specification, specification.problem, build_model(specification, None))
    batch, target = objective.batch(objective.draw(jax.random.key(0))), objective.engine.target
    found = []
    for _ in range(asked["calls"]):
        begun = time.perf_counter()
        jax.block_until_ready(target.evaluate(objective.start, batch))
        found.append(1e3 * (time.perf_counter() - begun))
    method = qres.SSBroyden()
    state = method.init(target, objective.start, batch)
    state = method.step(target, state, batch, 10)  # compiles
    begun, losses = time.perf_counter(), [float(state.value)]
    for _ in range(asked["steps"]):
        state = method.step(target, state, batch, 10)
        losses.append(float(state.value))
    answer(
        {
            "processes": jax.process_count(), "devices": jax.device_count(), "ms": found[2:], "losses": losses,
            "iterations_ms": 1e3 * (time.perf_counter() - begun) / (10 * asked["steps"]),
            "theta_norm": float(np.linalg.norm(np.asarray(state.theta))),
        }
    )  # fmt: skip


if __name__ == "__main__":
    main()
