"""A result in a few sentences of HTML."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

from ._estimate import Verdict
from ._result import Result
from ._unknowns import unknown_parts
from .display import duration, name, number, rounded

_SOLVED = 0.1  # a relative error above this is no solution
_NO_REFERENCE = (
    "No reference is known, so the error is not known: the loss says how well equations and conditions "
    "are met, not how far the solution is from the true one."
)


_ESTIMATED = (
    "No reference is known; the estimated relative L<sup>2</sup> error is {}. It is found from the residuals on "
    "fresh points."
)


def sentence(result: Result) -> str:
    """What came out, how good it is, and why it stopped, in a few sentences of HTML."""
    took, errors = f"in {duration(result.seconds)}", result.errors
    reason = escape(result.stopped.message.strip().rstrip("."))
    sentences = [f"Training stopped: {reason}."]
    if not math.isfinite(result.loss):
        return " ".join([f"The run gave no finite solution {took}.", *sentences])
    value, stderr = (unknown_parts(result.unknowns, part) for part in ("value", "stderr"))
    found = [f"{name(key)} = {rounded(value[key], stderr.get(key))}" for key in value]
    parts = [f"{number(error, 2)} in {name(field)}" for field, error in errors.items()]
    guesses = [f"{number(e, 2)} in {name(field)}" for field, e in estimated(result).items()]
    unknown = _ESTIMATED.format(_listed(guesses)) if guesses else _NO_REFERENCE
    error = f"The relative L<sup>2</sup> error is {_listed(parts)}." if parts else unknown
    if not all(error < _SOLVED for error in (errors or estimated(result)).values()):
        return " ".join([f"Not solved {took}.", error, *sentences])
    estimate = result.estimate
    if not errors and estimate is not None and estimate.status is Verdict.CANNOT_TELL:
        reason = escape(estimate.verdict)
        return " ".join([f"Trained {took}, but whether the answer holds is not known: {reason}.", *sentences])
    verdict = f"Estimated {_listed(found)}" if found else "Solved" if errors else "Trained"
    return " ".join([f"{verdict} {took}.", error, *sentences])


def estimated(result: Result) -> Mapping[str, float]:
    """The estimated error of each field; empty where there is none."""
    return {} if result.estimate is None else result.estimate.errors


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
