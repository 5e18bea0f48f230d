"""The control groups (cgroups) of this process, versions 1 and 2, which hold a container's limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_USUAL = "/sys/fs/cgroup"


class Group(NamedTuple):
    """A folder with the limits of one control group, in the files of its version."""

    version: int
    folder: Path


class _Mount(NamedTuple):
    """Where a hierarchy of control groups can be seen, and the group that is its top there."""

    version: int
    controllers: frozenset[str]
    top: str
    folder: str


def control_groups(root: Path, controller: str) -> list[Group]:
    """Every group whose limits hold for this process, the innermost first; none where the system has no such groups.

    Args:
        root: of the file system.
        controller: `"cpu"` or `"memory"`.
    """
    mounts = list(_mounts(root))
    found: list[Group] = []
    for line in read_lines(root / "proc/self/cgroup"):
        if line.count(":") < 2:
            continue
        _, kinds, place = line.split(":", 2)
        version = 1 if kinds else 2
        if version == 1 and controller not in kinds.split(","):
            continue
        seen = [m for m in mounts if m.version == version and (version == 2 or controller in m.controllers)]
        for mount in seen or _default_mounts(version, controller, kinds):
            found += _up(root / mount.folder.lstrip("/"), _below(mount.top, place), version)
    return found


def read_lines(file: Path) -> list[str]:
    """The lines of a file; none where it cannot be read."""
    try:
        return file.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _mounts(root: Path) -> Iterator[_Mount]:
    """`36 35 0:32 /docker/a1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory`, a line each."""
    for line in read_lines(root / "proc/self/mountinfo"):
        place, _, kind = line.partition(" - ")
        where, what = place.split(), kind.split()
        if len(where) >= 5 and len(what) >= 3 and what[0] in ("cgroup", "cgroup2"):
            version = 2 if what[0] == "cgroup2" else 1
            yield _Mount(version, frozenset(what[2].split(",")), where[3], where[4])


def _default_mounts(version: int, controller: str, kinds: str) -> list[_Mount]:
    """Where hierarchies are by convention; one of version 1 may have the names of all its controllers."""
    folders = ("",) if version == 2 else dict.fromkeys((f"/{controller}", f"/{kinds}"))
    return [_Mount(version, frozenset(), "/", _USUAL + folder) for folder in folders]


def _below(top: str, place: str) -> PurePosixPath:
    """The way from the top of a mount to a group; none where the group is outside, as seen from a container."""
    path = PurePosixPath(place)
    if not path.is_relative_to(top) or ".." in path.parts:
        return PurePosixPath()
    return path.relative_to(top)


def _up(top: Path, way: PurePosixPath, version: int) -> list[Group]:
    return [Group(version, top / part) for part in (way, *way.parents)]
