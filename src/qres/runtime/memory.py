"""The memory available to this process: of the machine, its container, and resource limits."""

from __future__ import annotations

import os
from pathlib import Path

from .cgroups import control_groups, read_lines
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
    for line in read_lines(root / "proc/meminfo"):
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
    """Limit and use of each control group that this process is in; nothing of those without a limit."""
    found: list[tuple[int, int]] = []
    for version, folder in control_groups(root, "memory"):
        statistics = _statistics(folder / "memory.stat")
        if version == 2:  # above `memory.high` a process is slowed down until it hardly runs
            limits = [_amount(folder / "memory.max"), _amount(folder / "memory.high")]
            used, given_up = _amount(folder / "memory.current"), statistics.get("inactive_file", 0)
        else:  # the second is that of groups further out, which a container may not see
            limits = [_amount(folder / "memory.limit_in_bytes"), statistics.get("hierarchical_memory_limit")]
            used, given_up = (
                _amount(folder / "memory.usage_in_bytes"),
                statistics.get("total_inactive_file", 0),
            )
        most = min((limit for limit in limits if limit is not None), default=_UNLIMITED)
        if most < _UNLIMITED:
            found.append((most, max(0, (used or 0) - given_up)))
    return found


def _amount(file: Path) -> int | None:
    """The bytes that a file tells; None where it tells none, or `max`."""
    lines = read_lines(file)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _statistics(file: Path) -> dict[str, int]:
    pairs = [line.split() for line in read_lines(file)]
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _own_limit() -> list[tuple[int, int]]:
    """That of the address space (`ulimit -v`), with what is in use of it."""
    try:
        import resource
    except ImportError:
        return []
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return []
    pages = read_lines(Path("/proc/self/statm"))
    return [(most, int(pages[0].split()[0]) * os.sysconf("SC_PAGE_SIZE") if pages else 0)]
