"""The banner of a page whose solution does not hold, and what else the reader should know before trusting it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from qres.results import Result, Verdict
from qres.results.display import name, number

_SOLVED = 0.1  # a relative error above this is no solution


def verdict_section(result: Result) -> str:
    """A banner where the solution does not hold, or where that cannot be told; empty where it holds.

    Where the true error is known, that decides.
    """
    estimate, advice = result.estimate, _advice(result)
    if not math.isfinite(result.loss):
        return _banner("alarm", "This run has no finite solution", "The loss is not a finite number.", advice)
    if result.errors:
        large = {field: error for field, error in result.errors.items() if not error < _SOLVED}
        listed = ", ".join(f"{number(error, 2)} in {name(field)}" for field, error in large.items())
        said = f"The relative L<sup>2</sup> error is {listed}."
        return _banner("alarm", "This solution does not hold", said, advice) if large else ""
    if estimate is not None and estimate.status is Verdict.DOES_NOT_HOLD:
        return _banner("alarm", "This solution does not hold", _stated(estimate.verdict), advice)
    if estimate is not None and estimate.status is Verdict.CANNOT_TELL:
        title = "It cannot be told whether this solution holds"
        return _banner("doubt", title, _stated(estimate.verdict), advice)
    return ""


def warnings_section(warnings: Sequence[str], result: Result) -> str:
    """The warnings that the banner does not have in it."""
    shown = set(_advice(result)) if verdict_section(result) else set()
    items = "".join(f"<li>{escape(text)}</li>" for text in warnings if text not in shown)
    return f'<aside class="doubt" aria-label="Warnings"><ul>{items}</ul></aside>' if items else ""


def _advice(result: Result) -> tuple[str, ...]:
    return () if result.estimate is None else result.estimate.warnings


def _stated(verdict: str) -> str:
    """The reasons of a verdict, without what it comes to, which is the title."""
    reasons = verdict.partition(": ")[2] or verdict
    return f"{escape(reasons[:1].upper() + reasons[1:])}."


def _banner(kind: str, title: str, said: str, advice: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in advice)
    listed = f"<ul>{items}</ul>" if items else ""
    return f'<aside class="{kind}" role="alert"><h2>{title}</h2><p>{said}</p>{listed}</aside>'
