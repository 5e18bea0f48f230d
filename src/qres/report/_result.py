"""The result in numbers: what came out, and what solved the problem."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from qres.results import NORMAL_95, Result, unknown_parts
from qres.results.display import duration, name, number, rounded


def tiles(result: Result) -> str:
    """The most important numbers, large."""
    value, stderr = (unknown_parts(result.unknowns, part) for part in ("value", "stderr"))
    shown = [(_estimate(key, stderr), rounded(value[key], stderr.get(key))) for key in value]
    shown += [
        (f"relative L<sup>2</sup> error of {name(field)}", number(value, 2))
        for field, value in result.errors.items()
    ]
    spent = result.cpu_seconds
    shown += [
        ("loss: weighted mean square of the residuals", number(result.loss, 2)),
        (
            f"of time, {duration(spent)} of processor time" if spent else "of time",
            duration(result.seconds),
        ),
    ]
    shown.append(("parameters of the network", f"{result.parameters:,}"))
    return _definitions(shown)


def facts(result: Result) -> str:
    """What solved the problem, and why it stopped."""
    widths = "–".join(map(str, result.widths))
    shown = [
        ("network", escape(f"{result.network} {widths}".strip())),
        ("optimizer", escape(result.optimizer)),
        ("iterations", f"{result.iterations:,}"),
        ("weights of the loss", _weights(result)),
        ("seed", str(result.seed)),
        ("stopped", escape(result.stopped.message)),
        ("run", escape(result.run or "")),
    ]
    return _definitions([(what, fact) for what, fact in shown if fact])


def _weights(result: Result) -> str:
    """Those that are not 1, in the order of the terms; empty where all are."""
    return ", ".join(
        f"{escape(term)} {number(weight, 3)}" for term, weight in result.weights.items() if weight != 1
    )


def _estimate(key: str, stderr: Mapping[str, float]) -> str:
    if key not in stderr:
        return f"estimate of {name(key)}"
    return f"estimate of {name(key)}, ± {number(NORMAL_95 * stderr[key], 2)} (95 %)"


def _definitions(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"<div><dt>{what}</dt><dd>{value}</dd></div>" for what, value in pairs)
