"""What a checkpoint holds of a run, as named arrays, and back: the optimizer's state, the points, trust in data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from qres.loss import Points
from qres.runtime.errors import InputError
from qres.runtime.processes import spread, whole

Arrays = Mapping[str, np.ndarray]
_PADDED = ("state.H", "state.pairs")  # for the devices there are


def as_arrays(
    state: Any, points: Points, trust: Mapping[str, np.ndarray], best: np.ndarray | None
) -> dict[str, np.ndarray]:
    """All of them, by names; `best` is the vector that was best on held-out points, where there are any."""
    arrays = {f"points.{i}.{k}": array for i, group in points.items() for k, array in enumerate(group)}
    leaves = jax.tree_util.tree_leaves_with_path(state)
    arrays |= {_name(path): whole(leaf) for path, leaf in leaves}
    arrays |= {f"trust.{name}": array for name, array in trust.items()}
    return arrays | ({} if best is None else {"best": best})


def points_in(arrays: Arrays, segments: Sequence[int]) -> Points:
    """The points, of blocks with so many segments each."""
    return {i: tuple(arrays[f"points.{i}.{k}"] for k in range(count)) for i, count in enumerate(segments)}


def trust_in(arrays: Arrays) -> dict[str, np.ndarray]:
    """How far each measurement is trusted."""
    return {name.removeprefix("trust."): array for name, array in arrays.items() if name.startswith("trust.")}


def best_in(arrays: Arrays, size: int) -> np.ndarray | None:
    """The vector that was best on held-out points, where there is one."""
    return _fitted("best", arrays["best"], (size,)) if "best" in arrays else None


def state_in(arrays: Arrays, blank: Any) -> Any:
    """The optimizer's state, spread over the devices as a blank one is."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(blank)
    kinds = {_name(path): leaf.dtype for path, leaf in leaves}
    kept = {name: array.dtype for name, array in arrays.items() if name.startswith("state")}
    differing = sorted(name for name in {*kinds, *kept} if kinds.get(name) != kept.get(name))
    if differing:
        first = differing[0]
        raise InputError(
            f"the checkpoint's optimizer has {kept.get(first, 'no')} {first} and this one {kinds.get(first, 'none')}: "
            "another optimizer or another version of qres made it; go on with the same one, or run it anew"
        )
    filled = [_fitted(_name(path), arrays[_name(path)], leaf.shape) for path, leaf in leaves]
    whole_state = [spread(array, leaf.sharding) for array, (_, leaf) in zip(filled, leaves, strict=True)]
    return jax.tree_util.tree_unflatten(structure, whole_state)


def _fitted(name: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if name in _PADDED and array.ndim == len(shape):
        return resized(array, shape)
    if array.shape != shape:
        raise InputError(
            f"the checkpoint's {name} has shape {array.shape}, and this network needs {shape}: it is of another run"
        )
    return array


def _name(path: Any) -> str:
    return "state" + jax.tree_util.keystr(path)


def resized(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array of the shape asked for: how H and pairs are padded depends on how many devices there are."""
    if array.shape == shape:
        return array
    padded = np.pad(array, [(0, max(new - old, 0)) for old, new in zip(array.shape, shape, strict=True)])
    return padded[tuple(slice(new) for new in shape)]
