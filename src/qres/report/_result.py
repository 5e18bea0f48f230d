"""The result in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any

from qres import plots

from ._numbers import duration, name, number, rounded

Summary = Mapping[str, Any]
CANNOT_TELL = "cannot tell"  # the status of an estimate, as the summary has it
_SOLVED = 0.1  # a relative error above this is no solution
_NO_REFERENCE = (
    "No reference is known, so the error is not known: the loss says how well equations and conditions "
    "are met, not how far the solution is from the true one."
)


_ESTIMATED = (
    "No reference is known; the estimated relative L<sup>2</sup> error is {}. It is found from the residuals on "
    "fresh points."
)
_TITLES = ("estimate", "standard error", "95 % interval", "true value", "off by, %")


def sentence(summary: Summary) -> str:
    """What came out, how good it is, and why it stopped, in a few sentences of HTML."""
    took = f"in {duration(summary.get('seconds'))}"
    loss, errors = summary.get("loss"), summary.get("errors") or {}
    reason = escape(str(summary.get("stopped") or "").strip().rstrip("."))
    said = [f"Training stopped: {reason}."] if reason else []
    if loss is None or not math.isfinite(loss):
        return " ".join([f"The run gave no finite solution {took}.", *said])
    value, stderr = (unknown_parts(summary, part) for part in ("value", "stderr"))
    found = [f"{name(key)} = {rounded(value[key], stderr.get(key))}" for key in value]
    parts = [f"{number(error, 2)} in {name(field)}" for field, error in errors.items()]
    guesses = [f"{number(e, 2)} in {name(field)}" for field, e in estimated(summary).items()]
    unknown = _ESTIMATED.format(_listed(guesses)) if guesses else _NO_REFERENCE
    error = f"The relative L<sup>2</sup> error is {_listed(parts)}." if parts else unknown
    if not all(error < _SOLVED for error in (errors or estimated(summary)).values()):
        return " ".join([f"Not solved {took}.", error, *said])
    estimate = summary.get("estimate") or {}
    if not errors and estimate.get("status") == CANNOT_TELL:
        reason = escape(str(estimate.get("verdict") or ""))
        return " ".join([f"Trained {took}, but whether the answer holds is not known: {reason}.", *said])
    verdict = f"Estimated {_listed(found)}" if found else "Solved" if errors else "Trained"
    return " ".join([f"{verdict} {took}.", error, *said])


def estimated(summary: Summary) -> Mapping[str, float]:
    """The estimated error of each field; empty where there is none."""
    return (summary.get("estimate") or {}).get("errors") or {}


def residuals_table(summary: Summary) -> str:
    """Every residual on fresh points and at the training points; empty without an estimate."""
    found: Mapping[str, Mapping[str, float]] = (summary.get("estimate") or {}).get("residuals") or {}
    titles = ("on fresh points", "at the training points")
    rows = []
    for key, one in found.items():
        cells = (number(one.get("fresh"), 2), number(one.get("training"), 2))
        row = "".join(
            f'<td data-title="{title}"><span>{cell}</span></td>'
            for title, cell in zip(titles, cells, strict=True)
        )
        rows.append(f'<tr><th scope="row">{escape(key.replace("_", " "))}</th>{row}</tr>')
    head = "".join(f'<th scope="col">{title}</th>' for title in ("residual", *titles))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>" if rows else ""


def tiles(summary: Summary) -> str:
    """The most important numbers, large."""
    value, stderr = (unknown_parts(summary, part) for part in ("value", "stderr"))
    shown = [(_estimate(key, stderr), rounded(value[key], stderr.get(key))) for key in value]
    errors = (summary.get("errors") or {}).items()
    shown += [(f"relative L<sup>2</sup> error of {name(field)}", number(value, 2)) for field, value in errors]
    spent = summary.get("cpu_seconds")
    shown += [
        ("loss: weighted mean square of the residuals", number(summary.get("loss"), 2)),
        (
            f"of time, {duration(spent)} of processor time" if spent else "of time",
            duration(summary.get("seconds")),
        ),
    ]
    if (parameters := summary.get("parameters")) is not None:
        shown.append(("parameters of the network", f"{parameters:,}"))
    return _definitions(shown)


def facts(summary: Summary) -> str:
    """What solved the problem, and why it stopped."""
    widths = "–".join(map(str, summary.get("widths") or ()))
    shown = [
        ("network", escape(f"{summary.get('network', '')} {widths}".strip())),
        ("optimizer", escape(str(summary.get("optimizer") or ""))),
        ("iterations", f"{summary.get('iterations') or 0:,}"),
        ("weights of the loss", _weights(summary)),
        *(
            (what, escape(str(summary.get(what))))
            for what in ("seed", "stopped", "run")
            if summary.get(what) is not None
        ),
    ]
    return _definitions([(what, fact) for what, fact in shown if fact])


def _weights(summary: Summary) -> str:
    """Those that are not 1, in the order of the terms; empty where all are."""
    found: Mapping[str, float] = summary.get("weights") or {}
    return ", ".join(f"{escape(term)} {number(weight, 3)}" for term, weight in found.items() if weight != 1)


def unknown_parts(summary: Summary, part: str) -> dict[str, float]:
    """One of "value", "stderr", "true" and "percent" of each unknown for which it is known."""
    found: Mapping[str, Mapping[str, Any]] = summary.get("unknowns") or {}
    return plots.scalars({key: entry.get(part) for key, entry in found.items()})


def unknowns_table(summary: Summary) -> str:
    """Each unknown with its 95 % interval and, where known, its true value; empty without unknowns."""
    value, stderr, true, percent = (
        unknown_parts(summary, part) for part in ("value", "stderr", "true", "percent")
    )
    rows = []
    for key, estimate in value.items():
        cells = [
            rounded(estimate, stderr.get(key)),
            number(stderr.get(key), 2),
            _interval(estimate, stderr.get(key)),
        ]
        if true:
            cells += [number(true.get(key), 6), number(percent.get(key), 2)]
        row = "".join(
            f'<td data-title="{title}"><span>{cell}</span></td>'
            for title, cell in zip(_TITLES, cells, strict=False)
        )
        rows.append(f'<tr><th scope="row">{name(key)}</th>{row}</tr>')
    if not rows:
        return ""
    shown = ("unknown", *(_TITLES if true else _TITLES[:3]))
    head = "".join(f'<th scope="col">{title}</th>' for title in shown)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _estimate(key: str, stderr: Mapping[str, float]) -> str:
    if key not in stderr:
        return f"estimate of {name(key)}"
    return f"estimate of {name(key)}, ± {number(plots.NORMAL_95 * stderr[key], 2)} (95 %)"


def _interval(estimate: float, stderr: float | None) -> str:
    if stderr is None or not math.isfinite(stderr):
        return "not known"
    half = plots.NORMAL_95 * stderr
    return f"{rounded(estimate - half, stderr)} … {rounded(estimate + half, stderr)}"


def _definitions(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"<div><dt>{what}</dt><dd>{value}</dd></div>" for what, value in pairs)


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
