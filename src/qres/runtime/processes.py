"""Multiple processes over one mesh: gather, shard and broadcast."""

from __future__ import annotations

import jax
import numpy as np
from jax import Array
from jax.experimental import multihost_utils
from jax.sharding import Sharding

from .jax_config import configure


def is_first() -> bool:
    """Whether this process is the one that writes and prints; alone, it is."""
    configure()  # which joins the others
    return jax.process_index() == 0


def broadcast(value: float) -> float:
    """The first process's value, on all of them: for what depends on a clock or a signal, and must not differ."""
    if jax.process_count() == 1:
        return value
    return float(multihost_utils.broadcast_one_to_all(np.float64(value)))


def gather(array: Array) -> np.ndarray:
    """All of an array on this host, also where parts of it are on devices of other processes."""
    if array.is_fully_addressable or array.is_fully_replicated:
        return np.asarray(array)
    return np.asarray(multihost_utils.process_allgather(array, tiled=True))


def shard(array: np.ndarray, sharding: Sharding) -> Array:
    """An array that every process has, on all devices; each process takes its own part."""
    if sharding.is_fully_addressable:
        return jax.device_put(array, sharding)
    return jax.make_array_from_callback(array.shape, sharding, lambda part: array[part])
