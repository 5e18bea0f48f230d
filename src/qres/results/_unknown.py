"""The estimate of an unknown parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

Number = float | list[Any]  # a list for an unknown that is a vector


@dataclass(frozen=True)
class UnknownEstimate:
    """An unknown number: its value, standard error, true value and the percentage it is off by, where known."""

    value: Any  # a Number; Any spares users a cast
    stderr: Any = None
    true: Any = None
    percent: Any = None

    @staticmethod
    def compared(value: Number, stderr: Number | None, true: Any) -> UnknownEstimate:
        """An estimate with the percentage by which it differs from the true value, where that is not zero."""
        import numpy as np  # not where only types are needed, as by the command line

        percent = None
        if true is not None and np.all(np.asarray(true) != 0):
            percent = (100 * np.abs(np.asarray(value) / np.asarray(true) - 1)).tolist()
        return UnknownEstimate(value, stderr, true, percent)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @staticmethod
    def from_dict(stored: Mapping[str, Any]) -> UnknownEstimate:
        """What `to_dict` wrote."""
        return UnknownEstimate(
            stored.get("value"), stored.get("stderr"), stored.get("true"), stored.get("percent")
        )
