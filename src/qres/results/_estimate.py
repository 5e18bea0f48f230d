"""The a-posteriori error estimate as a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """What an estimate comes to."""

    HOLDS = "holds"
    ROUGH = "rough"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_TELL = "cannot tell"
    NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Estimate:
    """What can be said of a solution's error without a reference.

    `errors` are the estimated relative L2 errors of fields and definitions, empty where nothing can be said.
    `residuals` hold, for each equation and condition, the root mean square on fresh points and at the training points,
    both as shares of `size`, that of the terms in it. `unexplained` is the share of the residuals that the correction
    behind the estimate leaves: near 1, the errors may be larger. `unknowns` is how far each unknown would move.
    `status` is the verdict as a value, `verdict` the same in words.
    """

    errors: Mapping[str, float]
    residuals: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unexplained: float = 0.0
    unknowns: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    status: Verdict = Verdict.NOT_KNOWN

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"status": self.status.value, "warnings": list(self.warnings)}

    @staticmethod
    def from_dict(stored: Mapping[str, Any]) -> Estimate:
        """What `to_dict` wrote; the verdict of an earlier release begins with what it comes to."""
        verdict = str(stored.get("verdict", ""))
        return Estimate(
            dict(stored["errors"]),
            {name: dict(one) for name, one in stored.get("residuals", {}).items()},
            float(stored.get("unexplained", 0.0)),
            dict(stored.get("unknowns", {})),
            verdict,
            tuple(stored.get("warnings", ())),
            float(stored.get("seconds", 0.0)),
            Verdict(stored["status"] if "status" in stored else verdict.partition(":")[0]),
        )
