"""The estimate in words: a verdict, the errors it is based on, and advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from qres.results import Verdict

WRONG = 0.1  # an error from here on is no solution
ROUGH = 0.01
UNEXPLAINED = 0.5  # the share of the residuals from which on the correction says nothing of the error
_LOOSE = (
    3e-5  # a relative change of the fields moves the residuals by less: the problem does not determine it
)
_FREE = 1e-7  # up to this the problem does not determine it at all, in splines; above, hardly
_BLIND = 0.01  # the share of the domain in which an equation may have no slope
_ROUNDING = 0.5  # the share of the residuals from which on they are rounding
_SMALL_RESIDUAL = 0.03  # of the size of an equation's terms: what looks like a small loss
BETWEEN = (
    10.0  # times the residual at the training points, on fresh ones: the points were fitted, not the equation
)

_DETERMINE = (
    "add the missing condition or measurements, name fields in up_to_constant that are free by a constant, "
    "or change the parameters if they are at a resonance"
)
_RESOLVE = (
    "train longer (iterations, time_limit), set hard = true, use more points, time windows or log time where scales "
    "are far apart, or look closer with estimate(effort=4)"
)


class Doubt(NamedTuple):
    """Why the error cannot be told, and what to try."""

    reason: str
    remedy: str


@dataclass(frozen=True)
class Findings:
    """What the verdict rests on.

    `errors` are as they are shown; `judged` differ from them where a field is zero, and its error is a share of the
    terms that it is in. `weakest` is the smallest relative change of the residuals by a relative change of the fields
    of one, `loose` the fields that this changes; `noisy` are fields that only the noise of measurements puts in doubt.
    `zero` are fields that are zero: their error is absolute. `blind` is, by equation, the share of the domain in which
    it has no finite slopes, `rounding` the share of the residuals that is rounding.
    """

    errors: Mapping[str, float]
    judged: Mapping[str, float]
    residuals: Mapping[str, Mapping[str, Any]]
    unexplained: float = 0.0
    weakest: float = 1.0
    loose: tuple[str, ...] = ()
    blind: Mapping[str, float] = field(default_factory=dict)
    rounding: float = 0.0
    noisy: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()

    @property
    def worst(self) -> float:
        """The largest error; infinite where one is not finite."""
        values = list(self.judged.values())
        return max(values) if values and np.all(np.isfinite(values)) else np.inf

    def doubt(self) -> Doubt | None:
        """Why nothing can be told, and what to try; None where it can."""
        blind = ", ".join(name for name, share in self.blind.items() if share > _BLIND)
        if blind:
            return Doubt(
                f"the slopes of {blind} are not finite at the solution, which need not be unique", _DETERMINE
            )
        if not self.unexplained <= UNEXPLAINED:
            share = f"{100 * self.unexplained:.0f} %" if self.unexplained < 1 else "all"
            return Doubt(f"{share} of the residuals are not explained by the correction", _RESOLVE)
        if self.weakest < _LOOSE:
            who = f"{'hardly determines' if self.weakest > _FREE else 'does not determine'} {', '.join(self.loose)}"
            size = f"a change of 100 % alters its residuals by {self.weakest:.0e}"
            return Doubt(f"the problem {who}: {size}", _DETERMINE)
        if self.noisy:
            said = f"{', '.join(self.noisy)} follows from noisy measurements only"
            return Doubt(said, "compare several seeds, or use more or better measurements")
        return None

    @property
    def verdict(self) -> Verdict:
        """The one that fits."""
        if self.doubt() is not None:
            return Verdict.CANNOT_TELL
        if not self.worst < WRONG:
            return Verdict.DOES_NOT_HOLD
        return Verdict.ROUGH if self.worst >= ROUGH else Verdict.HOLDS

    def text(self, warned: bool) -> str:
        """The verdict with its errors."""
        absolute = " (absolute: the field is zero)"
        parts = ", ".join(f"{n} {e:.1e}{absolute * (n in self.zero)}" for n, e in self.errors.items())
        verdict, doubt = self.verdict, self.doubt()
        if doubt is not None:
            return f"{verdict}: {doubt.reason}; relative error by the correction: {parts}"
        limited = ", limited by rounding" if self.rounding > _ROUNDING else ""
        also = ", but see the warning" if warned and verdict is not Verdict.DOES_NOT_HOLD else ""
        return f"{verdict}: relative error about {parts}{limited}{also}"

    def advice(self) -> str | None:
        """What to try where the answer is not good, a line; None where it is."""
        if (doubt := self.doubt()) is not None:
            return f"the error cannot be estimated: {doubt.remedy}"
        if self.verdict is Verdict.DOES_NOT_HOLD:
            return (
                "the answer does not hold: train longer (iterations, time_limit), set hard = true, use more points, "
                "a wider network, time windows, or log time and other units where scales are far apart"
            )
        return None


def warnings_of(found: Findings) -> list[str]:
    """What the reader should know: fitted points instead of an equation; a small residual of a wrong answer; advice."""
    notes = []
    wrong = [f"{name} {error:.1g}" for name, error in found.judged.items() if not error < WRONG]
    fitted = {
        name: one["fresh"] / one["training"]
        for name, one in found.residuals.items()
        if one["training"] and one["fresh"] > BETWEEN * one["training"]
    }
    between = ", ".join(f"{name} {ratio:.2g} times" for name, ratio in fitted.items())
    rough = any(not error < ROUGH for error in found.judged.values())
    residuals = found.residuals.values()
    seen = [one["training"] if one["training"] is not None else one["fresh"] for one in residuals]
    if fitted and rough:
        holds = "does not" if found.verdict is Verdict.DOES_NOT_HOLD else "may not"
        notes.append(
            f"small loss, but the answer {holds} hold: between the training points the residuals are larger "
            f"than at them ({between}); use more points, or resample them (resample_every)"
        )
    elif fitted:
        notes.append(f"between the training points the residuals are larger than at them: {between}")
    is_small = max(seen, default=1.0) < _SMALL_RESIDUAL
    if found.verdict is Verdict.DOES_NOT_HOLD and not (fitted and rough) and is_small:
        notes.append(
            "small loss, but the answer does not hold: the residuals are small, and still leave room for an error "
            f"of {', '.join(wrong)} (relative); train on, or give initial and boundary conditions more weight"
        )
    elif (advice := found.advice()) is not None and not (fitted and rough and wrong):
        notes.append(advice)
    return notes
