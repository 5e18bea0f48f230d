"""User-defined networks: an Equinox module, or a function of `key` that initializes one."""

from __future__ import annotations

import inspect
from typing import Any

import equinox as eqx
from jaxtyping import PRNGKeyArray

from qres.runtime.errors import InputError, shorten


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
