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


def sentence(summary: Summary) -> str:
    """What came out, in one or two sentences of HTML."""
    loss, errors = summary.get("loss"), summary.get("errors") or {}
    took = f"in {duration(summary.get('seconds'))}"
    if loss is None or not math.isfinite(loss):
        return f"The run gave no finite solution {took}. {_stopped(summary)}"
    if not errors:
        return f"Solved {took}, to a loss of {number(loss)}. {_NO_REFERENCE} {_stopped(summary)}"
    parts = [f"{number(value)} in {name(field)}" for field, value in errors.items()]
    return f"Solved {took}, with a relative L² error of {_listed(parts)}. {_stopped(summary)}"


def tiles(summary: Summary) -> str:
    """The most important numbers, large."""
    shown = [(number(value), f"relative L² error of {name(field)}") for field, value in _errors(summary)]
    shown.append((number(summary.get("loss")), "loss, a weighted mean square of the residuals"))
    spent = summary.get("cpu_seconds")
    shown.append((duration(summary.get("seconds")), f"time; {duration(spent)} of processor time" if spent else "time"))
    if (iterations := summary.get("iterations")) is not None:
        shown.append((f"{iterations:,}", f"iterations of {escape(str(summary.get('optimizer', '')))}"))
    if (parameters := summary.get("parameters")) is not None:
        shown.append((f"{parameters:,}", f"parameters, {_network(summary)}"))
    return "".join(f"<div><dd>{value}</dd><dt>{what}</dt></div>" for value, what in shown)


def unknowns_table(summary: Summary) -> str:
    """Each unknown with its 95 % interval and, where known, its true value; empty without unknowns."""
    found: Mapping[str, Mapping[str, Any]] = summary.get("unknowns") or {}
    value, stderr, true, percent = (
        plots.scalars({key: entry.get(part) for key, entry in found.items()})
        for part in ("value", "stderr", "true", "percent")
    )
    rows = []
    for key, estimate in value.items():
        cells = [rounded(estimate, stderr.get(key)), number(stderr.get(key), 2), _interval(estimate, stderr.get(key))]
        if true:
            cells += [number(true.get(key), 6), number(percent.get(key), 2)]
        rows.append(f"<tr><th scope=row>{name(key)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    if not rows:
        return ""
    titles = ["unknown", "estimate", "standard error", "95 % interval"] + ["true value", "off by, %"] * bool(true)
    head = "".join(f"<th scope=col>{title}</th>" for title in titles)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _errors(summary: Summary) -> list[tuple[str, float]]:
    return list((summary.get("errors") or {}).items())


def _interval(estimate: float, stderr: float | None) -> str:
    if stderr is None or not math.isfinite(stderr):
        return "not known"
    half = plots.NORMAL_95 * stderr
    return f"{rounded(estimate - half, stderr)} … {rounded(estimate + half, stderr)}"


def _network(summary: Summary) -> str:
    widths = summary.get("widths") or ()
    return escape(f"{summary.get('network', 'network')} {'–'.join(map(str, widths))}".strip())


def _stopped(summary: Summary) -> str:
    reason = str(summary.get("stopped") or "").strip().rstrip(".")
    return f"It stopped because: {escape(reason)}." if reason else ""


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
