"""How much memory there is for this process: of the machine, of its container, and of its own limit."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import InputError

_GIGABYTE = 1e9
_UNLIMITED = 1 << 60  # as cgroups of version 1 write "no limit"
_SHARE = 0.9  # of what is free may be asked for


def memory_limit(root: Path = Path("/")) -> int:
    """What this process may have in all; 8 GiB where the system does not say, as Windows does not."""
    if not hasattr(os, "sysconf"):
        return 8 * 2**30
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *(most for most, _ in _groups(root)), *(most for most, _ in _own_limit())])


def free_memory(root: Path = Path("/")) -> int:
    """What this process can still get; caches of files, which the system gives up, count as free."""
    free = [max(0, most - used) for most, used in (*_groups(root), *_own_limit())]
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            free.append(1024 * int(line.split()[1]))
    return min(free) if free else memory_limit(root)


def check_memory(needed: float, what: str, remedy: str) -> None:
    """An error, before any is taken, where something needs more memory than is free.

    Args:
        needed: bytes.
        what: the culprit with its value, which begins the message.
        remedy: what to do instead, which ends it.
    """
    if needed <= 1e8:  # which is no question anywhere, and asking takes time
        return
    free = free_memory()
    if needed > _SHARE * free:
        amounts = f"about {needed / _GIGABYTE:.3g} GB of memory, and {free / _GIGABYTE:.3g} GB are free"
        raise InputError(f"{what} needs {amounts}; {remedy}")


def _groups(root: Path) -> list[tuple[int, int]]:
    """Limit and use of each control group that this process is in, of version 2 or 1."""
    found: list[tuple[int, int]] = []
    mount = root / "sys/fs/cgroup"
    for line in _lines(root / "proc/self/cgroup"):
        _, kinds, place = line.split(":", 2)
        if not kinds:
            top, names = mount, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in kinds.split(","):
            top, names = (
                mount / "memory",
                ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
            )
        else:
            continue
        inner = top / place.strip("/")
        for folder in (
            inner,
            *(p for p in inner.parents if p == top or top in p.parents),
        ):  # in a container, the top
            found += _group(folder, *names)
    return found


def _group(folder: Path, limit: str, use: str, cached: str) -> list[tuple[int, int]]:
    text, used = _lines(folder / limit), _lines(folder / use)
    if not text or not used or not text[0].isdigit() or int(text[0]) >= _UNLIMITED:
        return []
    given_up = [
        int(line.split()[1]) for line in _lines(folder / "memory.stat") if line.startswith(f"{cached} ")
    ]
    return [(int(text[0]), max(0, int(used[0]) - sum(given_up)))]


def _own_limit() -> list[tuple[int, int]]:
    """That of the address space (`ulimit -v`), with what is in use of it."""
    try:
        import resource
    except ImportError:
        return []
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return []
    pages = _lines(Path("/proc/self/statm"))
    return [(most, int(pages[0].split()[0]) * os.sysconf("SC_PAGE_SIZE") if pages else 0)]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
