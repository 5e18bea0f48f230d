"""The estimate in words: a verdict, the errors it is based on, and advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qres.results import Verdict

WRONG = 0.1  # an error from here on is no solution
ROUGH = 0.01
UNEXPLAINED = 0.5  # the share of the residuals from which on the correction says nothing of the error
_LOOSE = (
    3e-5  # a relative change of the fields moves the residuals by less: the problem does not determine it
)
_SMALL_RESIDUAL = 0.03  # of the size of an equation's terms: what looks like a small loss
BETWEEN = (
    10.0  # times the residual at the training points, on fresh ones: the points were fitted, not the equation
)


@dataclass(frozen=True)
class Findings:
    """What the verdict rests on.

    `errors` are as they are shown; `judged` differ from them where a field is zero, and its error is a share of the
    terms that it is in. `weakest` is the smallest relative change of the residuals by a relative change of the fields
    of one, `loose` the fields that this changes; `noisy` are fields that only the noise of measurements puts in doubt.
    `zero` are fields that are zero: their error is absolute.
    """

    errors: Mapping[str, float]
    judged: Mapping[str, float]
    residuals: Mapping[str, Mapping[str, Any]]
    unexplained: float = 0.0
    weakest: float = 1.0
    loose: tuple[str, ...] = ()
    noisy: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()

    @property
    def worst(self) -> float:
        """The largest error; infinite where one is not finite."""
        values = list(self.judged.values())
        return max(values) if values and np.all(np.isfinite(values)) else np.inf

    def reason(self) -> str | None:
        """Why nothing can be told; None where it can."""
        if self.weakest < _LOOSE:
            who = ", ".join(self.loose)
            return f"the problem does not determine {who}: a change of 100 % alters its residuals by {self.weakest:.0e}"
        if not self.worst < WRONG and not self.noisy:
            return None
        if self.unexplained > UNEXPLAINED:
            return f"{100 * self.unexplained:.0f} % of the residuals are not explained by the correction"
        if self.noisy:
            return f"{', '.join(self.noisy)} follows from noisy measurements only"
        return None

    @property
    def verdict(self) -> Verdict:
        """The one that fits."""
        if self.reason() is not None:
            return Verdict.CANNOT_TELL
        if not self.worst < WRONG:
            return Verdict.DOES_NOT_HOLD
        return Verdict.ROUGH if self.worst >= ROUGH else Verdict.HOLDS

    def text(self, warned: bool) -> str:
        """The verdict with its errors."""
        absolute = " (absolute: the field is zero)"
        parts = ", ".join(f"{n} {e:.1e}{absolute * (n in self.zero)}" for n, e in self.errors.items())
        verdict, reason = self.verdict, self.reason()
        if reason is not None:
            return f"{verdict}: {reason}; relative error by the correction: {parts}"
        also = ", but see the warning" if warned and verdict is not Verdict.DOES_NOT_HOLD else ""
        return f"{verdict}: relative error about {parts}{also}"

    def advice(self) -> str | None:
        """What to try where the answer is not good, a line; None where it is."""
        verdict = self.verdict
        if verdict is Verdict.CANNOT_TELL:
            return f"the error cannot be estimated: {self._remedy()}"
        if verdict is Verdict.DOES_NOT_HOLD:
            return (
                "the answer does not hold: train longer (iterations, time_limit), set hard = true, use more points, "
                "a wider network, or time windows"
            )
        return None

    def _remedy(self) -> str:
        if self.weakest < _LOOSE:
            return (
                "add the missing condition or measurements, name fields in up_to_constant that are free by a constant, "
                "or change the parameters if they are at a resonance"
            )
        if self.unexplained > UNEXPLAINED:
            return "train longer, use more points, or look closer with estimate(effort=4)"
        return "compare several seeds, or use more or better measurements"


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
        notes.append(
            "small loss, but the answer does not hold: between the training points the residuals are larger "
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
