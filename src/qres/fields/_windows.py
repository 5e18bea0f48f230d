"""Time windows, as a file states them: `[time] windows = 8`, or `"auto"` for lengths that an error control chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qres.runtime.errors import InputError, check_keys, number, shorten, whole_number

AUTO = "auto"
MOST_WINDOWS = 100_000
WINDOW_KEYS = ("windows", "tolerance", "features")


@dataclass(frozen=True)
class Windows:
    """The interval of time cut into windows, each solved by least squares after the one before.

    Args:
        windows: how many, all of one length; or `"auto"`, where the local error chooses the length of each.
        tolerance: of the local error of a window with `"auto"`, relative to each field's size there.
        features: of each window; by default as many as the number of coordinates suggests.
    """

    windows: int | str = AUTO
    tolerance: float = 1e-7
    features: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.windows, str):
            if self.windows != AUTO:
                raise InputError(
                    f"[time] windows must be a number or 'auto', not {shorten(repr(self.windows))}"
                )
        elif whole_number(self.windows, 1, "[time] windows") > MOST_WINDOWS:
            raise InputError(f"[time] windows must be at most {MOST_WINDOWS}, not {self.windows}")
        if not 0 < number(self.tolerance, "[time] tolerance", above=0) < 1:
            raise InputError(f"[time] tolerance must be below 1, not {self.tolerance!r}")
        if self.features is not None:
            whole_number(self.features, 2, "[time] features")

    @property
    def is_adaptive(self) -> bool:
        """Whether an error control chooses the lengths."""
        return self.windows == AUTO

    def to_dict(self) -> dict[str, Any]:
        """As in a file."""
        found = {key: getattr(self, key) for key in WINDOW_KEYS}
        return {key: value for key, value in found.items() if value is not None}

    @staticmethod
    def from_dict(table: Mapping[str, Any]) -> Windows:
        """The inverse of `to_dict`; an unknown key is an error."""
        return Windows(**check_keys(table, WINDOW_KEYS, "[time] with windows"))

    @staticmethod
    def of(stated: Any) -> Windows:
        """Windows as a caller may give them: themselves, a number, or `"auto"`."""
        return stated if isinstance(stated, Windows) else Windows(stated)
