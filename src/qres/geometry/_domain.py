"""The protocol of a domain, as sampling uses it: a box and an optional region."""

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
