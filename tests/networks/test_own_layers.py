"""Layers and activations of users, by name: built, counted, trained, saved, loaded and resumed."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.extend import linear, register_activation, register_layer
from qres.jets import ACTIVATIONS
from qres.networks._kinds import FAMILIES

DECAY = qres.Problem("y_t = -y", {"t": (0, 1)}, "y(0) = 1")


class Gated(eqx.Module):
    """`act(Wx + b) ∘ (1 + Vx)`."""

    W: jax.Array
    V: jax.Array
    b: jax.Array
    activation: Any = eqx.field(static=True)

    def __init__(self, inputs, outputs, activation, *, key):
        self.W, self.V = jax.random.normal(key, (2, outputs, inputs)) / inputs**0.5
        self.b = jnp.zeros(outputs)
        self.activation = activation

    def __call__(self, x):
        return self.activation(linear(self.W, x) + self.b[:, None]) * (1 + linear(self.V, x))


class OnlyArrays(Gated):
    """Not of jets."""

    def __call__(self, x):
        return jnp.tanh(self.W @ x)


class Wider(Gated):
    """One row too many."""

    def __init__(self, inputs, outputs, activation, *, key):
        super().__init__(inputs, outputs + 1, activation, key=key)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(FAMILIES, "added", {})
    monkeypatch.setattr(ACTIVATIONS, "added", {})
    register_layer("gated", Gated)
    register_activation("swish2", lambda z: z * jax.nn.sigmoid(2 * z))


ARCHITECTURE = {"kind": "gated", "width": 5, "depth": 2, "activation": "swish2"}


def test_parameters_and_weights_of_a_key():
    one, same, other = (
        qres.Architecture.from_dict(ARCHITECTURE).build(DECAY, key=jax.random.key(k)) for k in (0, 0, 1)
    )
    assert one.parameters == (2 * 5 + 5) + (2 * 25 + 5) + (5 + 1)
    assert one.widths == (1, 5, 5, 1)
    assert jnp.array_equal(one.layers[0].W, same.layers[0].W)
    assert not jnp.array_equal(one.layers[0].W, other.layers[0].W)
    assert one.architecture.to_dict().items() >= (ARCHITECTURE | {"kind": "gated"}).items()


def test_a_run_is_saved_loaded_and_resumed_by_name(tmp_path, monkeypatch):
    architecture = qres.Architecture.from_dict(ARCHITECTURE)
    options: dict[str, Any] = {"progress": False, "estimate": False}
    whole = qres.solve(DECAY, architecture, iterations=30, **options)
    qres.solve(DECAY, architecture, iterations=10, run=tmp_path / "run", **options)
    solution = qres.resume(tmp_path / "run", iterations=30, **options)
    assert solution.result.loss == whole.result.loss
    times = np.linspace(0, 1, 9)
    file = tmp_path / "run" / "solution.qres"
    np.testing.assert_array_equal(qres.load(file)(t=times), whole(t=times))
    monkeypatch.setattr(ACTIVATIONS, "added", {})
    with pytest.raises(qres.InputError, match=r"activation 'swish2' is not known; .*register_activation"):
        qres.load(file)
    monkeypatch.setattr(FAMILIES, "added", {})
    with pytest.raises(qres.InputError, match=r"network kind 'gated' is not known; .*register_layer"):
        qres.load(file)


@pytest.mark.parametrize(
    ("layer", "says"),
    [
        (OnlyArrays, "layer 'wrong' does not work on jets"),
        (Wider, "of 1 rows of arrays it must make 5, not an array .6, 2"),
        (lambda inputs, outputs, activation, key: None, "layer 'wrong' does not work on arrays"),
    ],
)
def test_a_layer_that_is_none_is_refused_when_a_network_is_built(layer, says):
    register_layer("wrong", layer)
    with pytest.raises(ValueError, match=says):
        qres.Architecture(kind="wrong", width=5).build(DECAY, key=jax.random.key(0))


@pytest.mark.parametrize("name", ["qres", "pinn"])
def test_names_that_are_built_in(name):
    with pytest.raises(ValueError, match="is built in"):
        register_layer(name, Gated)
