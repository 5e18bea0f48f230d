"""User-defined networks in files: the arrays of an Equinox module by path, restored into one like it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import numpy as np

from qres.fields import Model, Scheme, as_float64
from qres.jets import Truncation
from qres.problems import Mismatch, Problem, same_values
from qres.runtime.errors import InputError
from qres.runtime.sealed import Damaged, check_seal, metadata_in, sealed, tensors_in

_POINTS = 6
_OTHER = "the network that was given is not like the one that was saved"


def named_leaves(tree: Any) -> dict[str, np.ndarray]:
    """All arrays of a tree, by their path in it."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(tree, eqx.is_array))
    return {jax.tree_util.keystr(path).lstrip("."): np.asarray(leaf) for path, leaf in leaves}


def filled(like: Any, tensors: Mapping[str, np.ndarray]) -> Any:
    """A tree of the same structure with the arrays of a file; what is not an array stays as it is."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(like)
    found = []
    for place, leaf in leaves:
        name = jax.tree_util.keystr(place).lstrip(".")
        if eqx.is_array(leaf):
            _check_leaf(name, leaf, tensors.get(name))
            leaf = jax.numpy.asarray(tensors[name])
        found.append(leaf)
    if unknown := set(tensors) - set(named_leaves(like)):
        raise Mismatch(f"{_OTHER}: it has no {min(unknown)}")
    return jax.tree_util.tree_unflatten(structure, found)


def _check_leaf(name: str, leaf: Any, array: np.ndarray | None) -> None:
    if array is None or array.shape != leaf.shape:
        kept = "nothing" if array is None else f"shape {array.shape}"
        raise Mismatch(f"{_OTHER}: {name} has shape {leaf.shape}, and the file has {kept}")
    if array.dtype != leaf.dtype:
        raise Mismatch(f"{_OTHER}: {name} has type {leaf.dtype}, and the file has {array.dtype}")


def check_like(network: Any, kind: str, where: str) -> None:
    """Whether the user gave a network, where only its kind and its arrays are known."""
    if network is None:
        raise Mismatch(
            f"the network is a {kind}, whose code a file does not hold: write {where}, with one of the same structure"
        )
    if not callable(network):
        raise Mismatch(f"network must be a network, not a {type(network).__name__}")


def type_of(network: Any) -> str:
    """What a network is, for a message."""
    name = getattr(network, "__name__", type(network).__name__)
    return str(name)


def outputs_of(problem: Problem, scheme: Scheme | None, model: Model) -> list[float]:
    """The network's outputs at fixed points, which also show what is not an array in it."""
    domain = problem if scheme is None else scheme.domain(problem)
    share = np.random.default_rng(0).random((len(domain.coordinates), _POINTS))
    lower, upper = (np.array(ends)[:, None] for ends in (domain.lower, domain.upper))
    nothing = Truncation.closure(domain.coordinates, ())
    values = model.jets(nothing, jax.numpy.asarray(lower + (upper - lower) * share)).value
    return np.asarray(values, dtype=float).ravel().tolist()


def check_outputs(stored: list[Any], problem: Problem, scheme: Scheme | None, model: Model) -> None:
    """An error where the network computes other values than the one that was saved."""
    if not same_values(stored, outputs_of(problem, scheme, model)):
        raise Mismatch(f"{_OTHER}: with the same weights it has other values; its functions differ")


def network_bytes(network: Any) -> bytes:
    """The arrays of a network, as the content of a file."""
    return sealed(named_leaves(network), {"network": type_of(network)})


def read_network(path: Path, like: Any, where: str) -> Any:
    """A network like the given one with the arrays of a file; `where` is how to give one, for a message."""
    try:
        content = path.read_bytes()
        metadata = metadata_in(content)
        check_seal(content, metadata)
        tensors = tensors_in(content)
    except (Damaged, OSError) as error:
        raise InputError(f"{path}: the network is damaged, or cannot be read: {error}") from None
    try:
        check_like(like, metadata.get("network", "module"), where)
        return filled(jax.tree.map(as_float64, like), tensors)
    except Mismatch as error:
        raise InputError(f"{path}: {error}") from None
