"""Kinds of networks by name: the layer families of the paper, and registered ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from qres.jets import Elementary, Jet, Truncation
from qres.runtime.errors import InputError, shorten
from qres.runtime.random import seed_key
from qres.runtime.registry import Registry

from ._layers import (
    AdaptiveActivation,
    IdentityShortcut,
    Initializer,
    Plain,
    Quadratic,
    QuadraticShortcut,
    ThreeWeights,
)


@dataclass(frozen=True)
class Family:
    """A kind of network: its hidden layer, its output layer, and the options that both take."""

    hidden: Callable[..., Any]
    output: Callable[..., Any]
    options: tuple[str, ...] = ()
    output_options: tuple[str, ...] = ()


FAMILIES: Registry[Family] = Registry(
    "network kind",
    {
        "qres": Family(
            Quadratic.create,
            Quadratic.create,
            ("bias_inside", "quadratic_scale"),
            ("bias_inside", "quadratic_scale"),
        ),
        "mlp": Family(Plain.create, Plain.create),
        "apinn": Family(AdaptiveActivation.create, Plain.create, ("n",)),
        "isc": Family(IdentityShortcut.create, Plain.create),
        "qsc": Family(
            QuadraticShortcut.create, QuadraticShortcut.create, ("quadratic_scale",), ("quadratic_scale",)
        ),
        "qdn": Family(ThreeWeights.create, ThreeWeights.create, ("quadratic_scale",), ("quadratic_scale",)),
    },
    "layer",
)
ALIASES = {"pinn": "mlp"}


def register_layer(name: str, layer: Callable[..., Any]) -> None:
    """Give a layer a name, for networks of such layers with a linear one at the end, `Architecture(kind=name)`.

    Args:
        name: lower-case letters, digits, `_`, `-` and `.`.
        layer: an Equinox module, made as `layer(inputs, outputs, activation, key=key)`, that takes arrays and jets
            `(inputs, points)` to `(outputs, points)`; `qres.extend.linear(W, x)` is `Wx` of either.
    """
    if name in ALIASES:
        raise InputError(f"network kind {name!r} is built in: choose another name")
    FAMILIES.register(name, Family(partial(_create, name, layer), Plain.create))


def _create(
    name: str,
    layer: Callable[..., Any],
    random: np.random.Generator,
    inputs: int,
    outputs: int,
    activation: Elementary,
    weights: Initializer,
) -> Any:
    """A layer of a user's, checked on arrays and on jets; how it begins is its own affair."""
    made = layer(inputs, outputs, activation, key=seed_key(int(random.integers(2**63))))
    _check(name, made, inputs, outputs)
    return made


def _check(name: str, layer: Any, inputs: int, outputs: int) -> None:
    """An error where a layer does not take arrays and jets to such with as many rows as it should make."""
    first = Truncation.closure(("x",), [(1,)])

    def of_jets(x: Array) -> Array:
        return layer(Jet(first, (x, jnp.ones_like(x)))).value

    for what, function in (("arrays", layer), ("jets", of_jets)):
        try:
            found = jax.eval_shape(lambda x, f=function: f(x), jnp.zeros((inputs, 2))).shape
        except Exception as error:
            raise InputError(
                f"layer {name!r} does not work on {what}: {type(error).__name__}: {shorten(str(error), 200)}"
            ) from error
        if found != (outputs, 2):
            raise InputError(
                f"layer {name!r}: of {inputs} rows of {what} it must make {outputs}, not an array {found}"
            )
