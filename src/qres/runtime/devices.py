"""Chunk sizes by device: what fits a CPU's cache, or the memory of a GPU or TPU."""

from __future__ import annotations

from typing import Any, Protocol

import jax
import numpy as np

_SHARE = (
    0.25  # of a device's free memory that one chunk may take; the optimizer needs some, and programs copy
)
_MEMORY = 4 * 2**30  # bytes, of a device that does not say
_VALUES = 10_000  # numbers in memory for each point, where nobody knows better: what a large network needs


class Device(Protocol):
    """What is asked of a device of JAX."""

    @property
    def platform(self) -> str:
        """`"cpu"`, `"gpu"` or `"tpu"`."""
        ...

    def memory_stats(self) -> Any:
        """Bytes by name, or None where it does not say."""
        ...


def chunk_size(
    in_cache: int,
    *,
    points: int | None = None,
    values: int = _VALUES,
    dtype: Any = np.float64,
    device: Device | None = None,
) -> int:
    """How many points to compute at a time.

    A core computes fastest on what stays in its cache. A GPU or TPU has thousands of lanes to fill, and each chunk
    costs it a start: there, one chunk holds all points, unless its memory is too small.

    Args:
        in_cache: as many as are best on a CPU, as measured; the least elsewhere.
        points: as many as there are, which a chunk need not exceed on a GPU or TPU; None where that is not known.
        values: numbers in memory for each point.
        dtype: of these numbers.
        device: by default the first of this process.
    """
    device = jax.local_devices()[0] if device is None else device
    if device.platform == "cpu":
        return in_cache
    fits = int(_SHARE * _free(device) / (max(1, values) * np.dtype(dtype).itemsize))
    return max(in_cache, fits if points is None else min(fits, points))


def _free(device: Device) -> float:
    """Bytes that a device has left."""
    stats = device.memory_stats() or {}
    return max(0, stats["bytes_limit"] - stats.get("bytes_in_use", 0)) if "bytes_limit" in stats else _MEMORY
