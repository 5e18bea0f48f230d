"""The threads of OpenBLAS: with small matrices they wait for each other longer than they work.

NumPy and SciPy each bring an OpenBLAS of their own, and have no way to ask for fewer threads. On a machine with other
work, factorizations of a few hundred rows took fifteen times the processor time on two threads that they took on one.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIXES = ("scipy_openblas", "openblas")
_SUFFIXES = ("", "64_", "_64")


@contextmanager
def one_thread() -> Iterator[None]:
    """Work on one thread of OpenBLAS; where none is found, nothing changes."""
    before = [(set_, get()) for get, set_ in _libraries()]
    for set_, _ in before:
        set_(1)
    try:
        yield
    finally:
        for set_, count in before:
            set_(count)


def _libraries() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """How to get and set the threads of each OpenBLAS that the process has loaded."""
    found = []
    for path in _loaded():
        with suppress(OSError):
            library = ctypes.CDLL(path)
            for prefix in _PREFIXES:
                for suffix in _SUFFIXES:
                    get = getattr(library, f"{prefix}_get_num_threads{suffix}", None)
                    set_ = getattr(library, f"{prefix}_set_num_threads{suffix}", None)
                    if get is not None and set_ is not None:
                        found.append((get, set_))
    return found


def _loaded() -> list[str]:
    """The shared libraries of this process that are an OpenBLAS; on Linux, where the system lists them."""
    maps = Path("/proc/self/maps")
    if not sys.platform.startswith("linux") or not maps.exists():
        return []
    lines = maps.read_text(errors="replace").splitlines()
    paths = {
        line.split(maxsplit=5)[5] for line in lines if "openblas" in line and len(line.split(maxsplit=5)) == 6
    }
    return sorted(paths)
