"""How many cores this process may use: those of its affinity, or fewer where a container has a quota."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path


def cores(root: Path = Path("/")) -> int:
    """The cores this process may use, at least one.

    Args:
        root: of the file system, in which the kernel tells the quotas of control groups.
    """
    try:
        mine = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        mine = os.cpu_count() or 1
    return max(1, min([mine, *(ceil(quota) for quota in _quotas(root))]))


def _quotas(root: Path) -> Iterator[float]:
    """The cores that each control group of this process is allowed, of version 2 or 1."""
    mount = root / "sys/fs/cgroup"
    for line in _lines(root / "proc/self/cgroup"):
        _, kinds, place = line.split(":", 2)
        top = mount if not kinds else mount / "cpu" if "cpu" in kinds.split(",") else None
        if top is None:
            continue
        inner = top / place.strip("/")
        for folder in (
            inner,
            *(parent for parent in inner.parents if parent == top or top in parent.parents),
        ):
            if kinds:
                numbers = [*_lines(folder / "cpu.cfs_quota_us"), *_lines(folder / "cpu.cfs_period_us")]
            else:
                numbers = [word for line in _lines(folder / "cpu.max") for word in line.split()]
            if len(numbers) == 2 and all(word.isdigit() and int(word) > 0 for word in numbers):
                yield int(numbers[0]) / int(numbers[1])


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
