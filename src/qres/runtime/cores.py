"""The number of cores available to this process: its affinity, or a container's quota."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path

from .cgroups import control_groups, read_lines


def cores(root: Path = Path("/")) -> int:
    """The cores this process may use, at least one.

    A quota of 2.5 cores counts as 3: with 2, a fifth of it would never be used.

    Args:
        root: of the file system, in which the kernel tells the quotas of control groups.
    """
    try:
        mine = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        mine = os.cpu_count() or 1
    return max(1, min([mine, *(ceil(quota) for quota in _quotas(root))]))


def _quotas(root: Path) -> Iterator[float]:
    """The cores that each control group of this process is allowed; nothing of those without a quota."""
    for version, folder in control_groups(root, "cpu"):
        if version == 2:
            words = [word for line in read_lines(folder / "cpu.max") for word in line.split()]
        else:
            words = [*read_lines(folder / "cpu.cfs_quota_us"), *read_lines(folder / "cpu.cfs_period_us")]
        if len(words) == 2 and all(word.isdigit() and int(word) > 0 for word in words):
            yield int(words[0]) / int(words[1])
