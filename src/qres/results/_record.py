"""A record: one line of a run's history."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ._unknown import Number


@dataclass(frozen=True)
class Record:
    """Where a run was at some time.

    `total` counts iterations over all stages, `iteration` those of this stage. `terms` are the weighted terms of the
    loss, `errors` relative L2 errors where the truth is known, `holdout` the root mean square differences from
    held-out measurements; each by name.
    """

    total: int = 0
    iteration: int = 0
    stage: int = 0
    optimizer: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    loss: float = math.nan
    terms: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    unknowns: Mapping[str, Number] = field(default_factory=dict)
    holdout: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [f"{self.optimizer} {self.iteration}", f"loss {self.loss:.2e}"]
        parts += [f"error {name} {value:.2e}" for name, value in self.errors.items()]
        parts += [f"{name} {_short(value)}" for name, value in self.unknowns.items()]
        return "  ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as `history.jsonl` has it."""
        return asdict(self)

    @staticmethod
    def from_dict(stored: Mapping[str, Any]) -> Record:
        """What `to_dict` wrote; earlier releases wrote less."""
        return Record(
            int(stored["total"]),
            int(stored["iteration"]),
            int(stored["stage"]),
            str(stored["optimizer"]),
            float(stored["seconds"]),
            float(stored.get("cpu_seconds", 0.0)),
            float(stored["loss"]),
            dict(stored.get("terms", {})),
            dict(stored["errors"]),
            dict(stored.get("unknowns", {})),
            dict(stored.get("holdout", {})),
        )


def _short(value: Number) -> str:
    return ", ".join(f"{v:.4g}" for v in value) if isinstance(value, list) else f"{value:.6g}"
