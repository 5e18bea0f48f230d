"""Several processes work on one problem (`jax.distributed`) and find what one finds, to rounding."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import dataclasses, json
import jax, numpy as np
import qres
from qres.residuals import create_model
from qres.loss import Objective
from qres.runs import read_specification

specification = read_specification("burgers")
problem = specification.problem
network = qres.QRes(problem, width=5, depth=2, key=jax.random.key(0))
objective = Objective(problem, create_model(problem, network), qres.Sampling(points=300))
target, method, key = objective.engine.target, qres.SSBroyden(), jax.random.key(1)
points = objective.draw(key)
batch = objective.batch(points)
state = method.step(target, method.init(target, objective.start, batch), batch, 15)
pool = objective.pool(state.theta, points, 300, key)
points = {**points, 0: (pool.chosen(300, key),)}
batch = objective.batch(points)
state = method.step(target, method.on_new_points(target, state, batch), batch, 5)
loss = float(sum(objective.engine.terms(state.theta, batch).values()))
found = {"processes": jax.process_count(), "devices": jax.device_count(), "loss": loss}
found["theta"] = np.asarray(state.theta).tolist()
found["points"] = float(points[0][0].sum())
print(json.dumps(found))
"""


def found(outputs):
    return [json.loads(output.splitlines()[-1]) for output in outputs]


def test_four_processes_find_what_one_finds(together):
    (alone,) = found(together(1, "-c", PROGRAM))
    first, *others = found(together(4, "-c", PROGRAM))
    assert (alone["processes"], first["processes"], first["devices"]) == (1, 4, 4)
    assert others == [first] * 3
    assert first["loss"] == pytest.approx(alone["loss"], rel=1e-6)
    assert first["theta"] == pytest.approx(alone["theta"], rel=1e-5, abs=1e-7)
    assert first["points"] == pytest.approx(alone["points"], rel=1e-12)


def test_a_wrong_number_of_processes_is_said():
    environment = os.environ | {"JAX_NUM_PROCESSES": "two"}
    done = subprocess.run(
        [sys.executable, "-c", "import qres; qres.configure()"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode and "JAX_NUM_PROCESSES='two': a whole number is needed" in done.stderr
