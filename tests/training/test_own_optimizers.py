"""Optimizers of users in runs: objects of optax and of their own, with run folders, and by registered names."""

from typing import Any, NamedTuple

import jax
import numpy as np
import optax
import pytest

import qres
from qres.optimizers import OPTIMIZERS

DECAY = qres.Problem("y_t = -y", {"t": (0, 1)}, "y(0) = 1")
SMALL = qres.Architecture(width=4, depth=1)
FEW = qres.Sampling(points=60, condition_points=2, resample_every=10)


class Descent(NamedTuple):
    theta: Any
    value: Any
    iteration: Any
    status: Any


class GradientDescent:
    """Steps of a fixed length; its state has plain numbers."""

    def init(self, target, theta, batch):
        return Descent(theta, target.evaluate(theta, batch)[0], 0, qres.extend.RUNNING)

    def step(self, target, state, batch, count):
        for _ in range(count):
            theta = state.theta - 1e-3 * target.evaluate(state.theta, batch)[1]
            state = Descent(theta, target.evaluate(theta, batch)[0], state.iteration + 1, state.status)
        return state

    def on_new_points(self, target, state, batch):
        return state._replace(value=target.evaluate(state.theta, batch)[0])


OBJECTS = {
    "adamw": lambda: qres.Optax(optax.adamw(optax.cosine_decay_schedule(1e-2, 40))),
    "lbfgs": lambda: qres.Optax(optax.lbfgs()),
    "noisy": lambda: qres.Optax(optax.chain(optax.add_noise(1e-3, 0.5, jax.random.key(1)), optax.sgd(1e-3))),
    "own": GradientDescent,
    "stages": lambda: [qres.Optax(optax.sgd(1e-3), 15), qres.SSBroyden()],
}


def solve(optimizer, **options):
    options = {"sampling": FEW, "iterations": 40, "progress": False, "estimate": False, **options}
    return qres.solve(DECAY, SMALL, optimizer=optimizer, **options)


def bits(solution):
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(solution.model)]


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_goes_on_as_if_it_had_not_stopped(name, tmp_path):
    make = OBJECTS[name]
    whole = solve(make())
    cut = solve(make(), iterations=20, run=tmp_path / "run")
    assert bits(cut) != bits(whole)
    resumed = qres.resume(tmp_path / "run", optimizer=make(), iterations=40, progress=False, estimate=False)
    assert resumed.result.iterations == whole.result.iterations
    assert bits(resumed) == bits(whole)


def test_an_object_must_be_given_again_and_be_the_same(tmp_path):
    solve(qres.Optax(optax.adam(1e-2)), iterations=5, run=tmp_path / "run")
    again: dict[str, Any] = {"progress": False, "estimate": False, "iterations": 10}
    with pytest.raises(
        qres.InputError, match=r"<optax> was given as an object, .* give it again as optimizer="
    ):
        qres.resume(tmp_path / "run", **again)
    with pytest.raises(
        qres.InputError, match="begun with <optax>, and goes on with no other stages, such as adam"
    ):
        qres.resume(tmp_path / "run", optimizer="adam", **again)
    with pytest.raises(qres.InputError, match="another optimizer or another version of qres made it"):
        qres.resume(tmp_path / "run", optimizer=qres.Optax(optax.sgd(1e-2)), **again)
    more = qres.Optax(optax.chain(optax.trace(0.9), optax.adam(1e-2)))
    with pytest.raises(qres.InputError, match="another optimizer or another version of qres made it"):
        qres.resume(tmp_path / "run", optimizer=more, **again)


def test_a_registered_optimizer_needs_nothing_but_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(OPTIMIZERS, "added", {})
    qres.extend.register_optimizer("my-adamw", lambda n: qres.Optax(optax.adamw(1e-2), n))
    whole = solve("my-adamw:15,ssbroyden")
    assert whole.result.optimizer == "my-adamw:15,ssbroyden"
    solve("my-adamw:15,ssbroyden", iterations=5, run=tmp_path / "run")
    resumed = qres.resume(tmp_path / "run", iterations=40, progress=False, estimate=False)
    assert bits(resumed) == bits(whole)
    assert {record.optimizer for record in resumed.history} == {"my-adamw", "ssbroyden"}
