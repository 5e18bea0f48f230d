"""User-defined networks: an Equinox module, or a function of `key` that initializes one."""

from __future__ import annotations

import inspect
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from qres.runtime.errors import InputError, shorten

from ._network import Domain

_TRIED = 7  # points: more than there are coordinates, so that a shape tells which axis is which


def is_factory(network: Any) -> bool:
    """Whether this creates networks: a function or class that can be called with `key` alone."""
    if isinstance(network, eqx.Module) or not callable(network):
        return False
    try:
        parameters = inspect.signature(network).parameters
    except (TypeError, ValueError):  # no signature, as some functions in C
        return False
    open_ended = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    required = [name for name, p in parameters.items() if p.default is p.empty and p.kind not in open_ended]
    return "key" in parameters and set(required) <= {"key"}


def initialized(network: Any, key: PRNGKeyArray) -> Any:
    """The network that a factory creates from a key; any other is returned as it is."""
    if not is_factory(network):
        return network
    made = network(key=key)
    if not callable(made):
        raise InputError(f"network: the function of a key must return a network, not {shorten(repr(made))}")
    return made


def checked(network: Any, domain: Domain) -> Any:
    """The network itself, once it maps points of this domain to its fields; nothing is computed for that.

    Args:
        network: of any make.
        domain: whose coordinates go in and whose fields come out, features first.
    """
    coordinates, fields = len(domain.coordinates), len(domain.fields)
    wanted = f"an array of shape ({coordinates}, points) must give one of shape ({fields}, points)"
    remedy = ""
    if isinstance(network, eqx.nn.MLP | eqx.nn.Linear | eqx.nn.Sequential):
        remedy = (
            "; layers of equinox take one point: wrap them in a module whose __call__ is "
            "jax.vmap(self.inner, in_axes=1, out_axes=1)(x)"
        )
    points = jax.ShapeDtypeStruct((coordinates, _TRIED), jnp.float64)
    try:
        found = eqx.filter_eval_shape(lambda module, x: module(x), network, points)
    except Exception as error:  # whatever the user's code, or JAX on its way through it, raises
        reason = shorten(f"{type(error).__name__}: {error}", 160)
        raise InputError(f"network: {wanted}; it raised {reason}{remedy}") from error
    shape = getattr(found, "shape", None)
    if shape != (fields, _TRIED):
        gave = shorten(repr(found)) if shape is None else f"shape {shape}"
        raise InputError(
            f"network: {wanted}, for {', '.join(domain.fields)[:60]}; it gave {gave} for {_TRIED} points{remedy}"
        )
    return network
