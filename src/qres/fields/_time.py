"""Discrete time as stated in a file: `[time] stages = 100, from = 0.1, to = 0.9`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qres.runtime.errors import InputError, check_keys, number, whole_number

MOST_STAGES = 500
_KEYS = {"stages": "stages", "from": "start", "to": "stop", "steps": "steps"}
KEYS = tuple(_KEYS)


@dataclass(frozen=True)
class Time:
    """An implicit Runge–Kutta method with Gauss–Legendre stages, from `start` to `stop` in `steps` steps.

    Without `start` and `stop`: from the first to the last snapshot of the data, or over the whole domain.
    """

    stages: int
    start: float | None = None
    stop: float | None = None
    steps: int = 1

    def __post_init__(self) -> None:
        if whole_number(self.stages, 1, "[time] stages") > MOST_STAGES:
            raise InputError(f"[time] stages must be at most {MOST_STAGES}, not {self.stages}")
        whole_number(self.steps, 1, "[time] steps")
        for name, value in (("from", self.start), ("to", self.stop)):
            if value is not None:
                number(value, f"[time] {name}")
        if self.start is not None and self.stop is not None and not self.start < self.stop:
            raise InputError(f"[time] from = {self.start:g} must come before to = {self.stop:g}")

    def to_dict(self) -> dict[str, Any]:
        """As in a file."""
        found = {key: getattr(self, name) for key, name in _KEYS.items()}
        return {key: value for key, value in found.items() if value is not None}

    @staticmethod
    def from_dict(table: Mapping[str, Any]) -> Time:
        """The inverse of `to_dict`; an unknown key is an error."""
        given = {_KEYS[key]: value for key, value in check_keys(table, KEYS, "[time]").items()}
        if "stages" not in given:
            raise InputError("[time] needs a number of stages, such as stages = 100")
        return Time(**given)
