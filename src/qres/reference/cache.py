"""The cache of reference solutions that took more than a second to compute."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from qres.runtime.cache import cache_folder
from qres.runtime.files import atomic_write

from ._gridded import Gridded

# To be raised whenever a change of the code changes results.
VERSION = 2


def cache_file(name: str, specification: object) -> Path:
    """The file of a result: its name, and a digest of all that determines it, this module's version included.

    Args:
        name: begins the file's name.
        specification: anything that JSON can write.
    """
    text = json.dumps([VERSION, name, specification], sort_keys=True)
    return cache_folder() / "reference" / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.npz"


def _read(path: Path) -> Gridded | None:
    if not path.exists():
        return None
    try:
        with path.open("rb") as file, np.load(file) as stored:
            axes, fields, attributes = json.loads(str(stored["contents"]))
            return Gridded(
                {name: stored[f"axis {name}"] for name in axes},
                {name: stored[f"field {name}"] for name in fields},
                attributes,
            )
    except Exception:  # whatever a broken file raises: it is only a copy, and is made again
        return None


def _write(found: Gridded, path: Path) -> None:
    """Write to a temporary name, then rename: a reader sees the whole file or none."""
    contents = json.dumps([list(found.axes), list(found.fields), dict(found.attributes)])
    arrays: dict[str, Any] = {"contents": np.array(contents)}
    arrays |= {f"axis {name}": values for name, values in found.axes.items()}
    arrays |= {f"field {name}": values for name, values in found.fields.items()}
    # A folder that is full or cannot be written costs time, not the result.
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as temporary, temporary.open("wb") as file:
            np.savez(file, **arrays)


def cached(name: str, specification: object, compute: Callable[[], Gridded], slow: float = 1.0) -> Gridded:
    """A result from the cache; else computed, and kept if that took long.

    Args:
        name: of the result.
        specification: all that determines it, as JSON can write it.
        compute: gives it.
        slow: seconds beyond which it is kept.
    """
    path = cache_file(name, specification)
    if (stored := _read(path)) is not None:
        return stored
    start = time.perf_counter()
    found = compute()
    if time.perf_counter() - start > slow:
        _write(found, path)
    return found
