"""The result in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any

from qres import plots

from ._numbers import duration, name, number, rounded

Summary = Mapping[str, Any]
_NO_REFERENCE = (
    "No reference is known, so the error is not known. The loss says how well the equations and conditions "
    "are met, not how far the solution is from the true one."
)


_TITLES = ("estimate", "standard error", "95 % interval", "true value", "off by, %")


def sentence(summary: Summary) -> str:
    """What came out, in one or two sentences of HTML."""
    loss, errors = summary.get("loss"), summary.get("errors") or {}
    took = f"in {duration(summary.get('seconds'))}"
    if loss is None or not math.isfinite(loss):
        return f"The run gave no finite solution {took}."
    if not errors:
        return f"Solved {took}, to a loss of {number(loss)}. {_NO_REFERENCE}"
    parts = [f"{number(value)} in {name(field)}" for field, value in errors.items()]
    return f"Solved {took}, with a relative L<sup>2</sup> error of {_listed(parts)}."


def tiles(summary: Summary) -> str:
    """The most important numbers, large."""
    errors = (summary.get("errors") or {}).items()
    shown = [(f"relative L<sup>2</sup> error of {name(field)}", number(value)) for field, value in errors]
    spent = summary.get("cpu_seconds")
    shown += [
        ("loss: mean square of the residuals", number(summary.get("loss"))),
        (
            f"of time, {duration(spent)} of processor time" if spent else "of time",
            duration(summary.get("seconds")),
        ),
    ]
    for key, what in (("iterations", "iterations"), ("parameters", "parameters")):
        if (amount := summary.get(key)) is not None:
            shown.append((what, f"{amount:,}"))
    return _definitions(shown)


def facts(summary: Summary) -> str:
    """What solved the problem, and why it stopped."""
    widths = "–".join(map(str, summary.get("widths") or ()))
    shown = [
        ("network", f"{summary.get('network', '')} {widths}".strip()),
        ("optimizer", summary.get("optimizer")),
        ("seed", summary.get("seed")),
        ("stopped", summary.get("stopped")),
        ("run", summary.get("run")),
    ]
    return _definitions([(what, escape(str(fact))) for what, fact in shown if fact not in (None, "")])


def unknowns_table(summary: Summary) -> str:
    """Each unknown with its 95 % interval and, where known, its true value; empty without unknowns."""
    found: Mapping[str, Mapping[str, Any]] = summary.get("unknowns") or {}
    value, stderr, true, percent = (
        plots.scalars({key: entry.get(part) for key, entry in found.items()})
        for part in ("value", "stderr", "true", "percent")
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
            f'<td data-title="{title}">{cell}</td>' for title, cell in zip(_TITLES, cells, strict=False)
        )
        rows.append(f'<tr><th scope="row">{name(key)}</th>{row}</tr>')
    if not rows:
        return ""
    shown = ("unknown", *(_TITLES if true else _TITLES[:3]))
    head = "".join(f'<th scope="col">{title}</th>' for title in shown)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _interval(estimate: float, stderr: float | None) -> str:
    if stderr is None or not math.isfinite(stderr):
        return "not known"
    half = plots.NORMAL_95 * stderr
    return f"{rounded(estimate - half, stderr)} … {rounded(estimate + half, stderr)}"


def _definitions(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"<div><dt>{what}</dt><dd>{value}</dd></div>" for what, value in pairs)


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
