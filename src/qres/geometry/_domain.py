"""What sampling needs to know of a problem: its box, and the part of it that is meant."""

from __future__ import annotations

from typing import Protocol

from ._region import Region


class Domain(Protocol):
    """A box, or a part of one."""

    @property
    def coordinates(self) -> tuple[str, ...]: ...
    @property
    def lower(self) -> tuple[float, ...]: ...
    @property
    def upper(self) -> tuple[float, ...]: ...
    @property
    def region(self) -> Region | None: ...
