"""The a-posteriori error estimate as a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from html import escape
from typing import Any

from .display import name, number, table


class Verdict(StrEnum):
    """What an estimate comes to."""

    HOLDS = "holds"
    ROUGH = "rough"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_TELL = "cannot tell"
    NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Estimate:
    """The a-posteriori estimate of a solution's error, without a reference.

    `errors` are the estimated relative L2 errors of fields and definitions, empty where they cannot be estimated.
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

    def _repr_html_(self) -> str:
        errors = [[name(field), number(error, 2)] for field, error in self.errors.items()]
        warnings = "".join(f"<p>Warning: {escape(warning)}</p>" for warning in self.warnings)
        tables = table(("field", "estimated relative L2 error"), errors) + residuals_table(self.residuals)
        return f"<p><b>{escape(self.verdict or self.status.value)}</b></p>{warnings}{tables}"

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


def residuals_table(residuals: Mapping[str, Mapping[str, Any]]) -> str:
    """Every residual on fresh points and at the training points, as HTML; empty without residuals."""
    rows = [
        [escape(key.replace("_", " ")), number(one.get("fresh"), 2), number(one.get("training"), 2)]
        for key, one in residuals.items()
    ]
    return table(("residual", "on fresh points", "at the training points"), rows)
