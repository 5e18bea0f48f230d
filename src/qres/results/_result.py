"""The result of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ._estimate import Estimate
from ._stop import NOT_TRAINED, Stopped
from ._unknown import UnknownEstimate


@dataclass(frozen=True)
class Result:
    """What came out of a run, in numbers; a solution that was not trained has the defaults.

    `errors` are relative L2 errors where the truth is known; `weights` those of the terms of the loss at the end;
    `correlation` and `noise` belong to inverse problems: of the unknowns by pairs, and of the measurements by field.
    `run` is the run folder, `bootstrap` what `qres.bootstrap` gave, where it was asked for.
    """

    problem: str = ""
    network: str = ""
    widths: tuple[int, ...] = ()
    parameters: int = 0
    seed: int = 0
    optimizer: str = ""
    iterations: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    stopped: Stopped = NOT_TRAINED
    loss: float = math.nan
    weights: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    unknowns: Mapping[str, UnknownEstimate] = field(default_factory=dict)
    correlation: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    noise: Mapping[str, float] = field(default_factory=dict)
    run: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    estimate: Estimate | None = None
    bootstrap: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what was not asked for, an estimate or a bootstrap, is left out."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)} | {
            "widths": list(self.widths),
            "stopped": self.stopped.to_dict(),
            "unknowns": {name: found.to_dict() for name, found in self.unknowns.items()},
            "estimate": None if self.estimate is None else self.estimate.to_dict(),
        }
        return {key: value for key, value in plain.items() if value or key not in ("estimate", "bootstrap")}

    @staticmethod
    def from_dict(stored: Mapping[str, Any]) -> Result:
        """What `to_dict` wrote; keys that are not there have their defaults."""
        known = {one.name: stored[one.name] for one in fields(Result) if one.name in stored}
        for name, convert in _CONVERTED.items():
            if known.get(name) is not None:
                known[name] = convert(known[name])
        return Result(**known)


def _unknowns(stored: Mapping[str, Any]) -> dict[str, UnknownEstimate]:
    return {name: UnknownEstimate.from_dict(found) for name, found in stored.items()}


_CONVERTED: dict[str, Any] = {
    "widths": lambda widths: tuple(int(width) for width in widths),
    "parameters": int,
    "seed": int,
    "iterations": int,
    "seconds": float,
    "cpu_seconds": float,
    "stopped": Stopped.from_dict,
    "loss": float,
    "weights": dict,
    "errors": dict,
    "unknowns": _unknowns,
    "correlation": dict,
    "noise": dict,
    "versions": dict,
    "estimate": Estimate.from_dict,
    "bootstrap": dict,
}
