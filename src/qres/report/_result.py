"""The result in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

from qres import plots
from qres.results import Result, Verdict

from ._numbers import duration, name, number, rounded

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


def sentence(result: Result) -> str:
    """What came out, how good it is, and why it stopped, in a few sentences of HTML."""
    took, errors = f"in {duration(result.seconds)}", result.errors
    reason = escape(result.stopped.message.strip().rstrip("."))
    said = [f"Training stopped: {reason}."]
    if not math.isfinite(result.loss):
        return " ".join([f"The run gave no finite solution {took}.", *said])
    value, stderr = (unknown_parts(result, part) for part in ("value", "stderr"))
    found = [f"{name(key)} = {rounded(value[key], stderr.get(key))}" for key in value]
    parts = [f"{number(error, 2)} in {name(field)}" for field, error in errors.items()]
    guesses = [f"{number(e, 2)} in {name(field)}" for field, e in estimated(result).items()]
    unknown = _ESTIMATED.format(_listed(guesses)) if guesses else _NO_REFERENCE
    error = f"The relative L<sup>2</sup> error is {_listed(parts)}." if parts else unknown
    if not all(error < _SOLVED for error in (errors or estimated(result)).values()):
        return " ".join([f"Not solved {took}.", error, *said])
    estimate = result.estimate
    if not errors and estimate is not None and estimate.status is Verdict.CANNOT_TELL:
        reason = escape(estimate.verdict)
        return " ".join([f"Trained {took}, but whether the answer holds is not known: {reason}.", *said])
    verdict = f"Estimated {_listed(found)}" if found else "Solved" if errors else "Trained"
    return " ".join([f"{verdict} {took}.", error, *said])


def estimated(result: Result) -> Mapping[str, float]:
    """The estimated error of each field; empty where there is none."""
    return {} if result.estimate is None else result.estimate.errors


def residuals_table(result: Result) -> str:
    """Every residual on fresh points and at the training points; empty without an estimate."""
    found = {} if result.estimate is None else result.estimate.residuals
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


def tiles(result: Result) -> str:
    """The most important numbers, large."""
    value, stderr = (unknown_parts(result, part) for part in ("value", "stderr"))
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


def unknown_parts(result: Result, part: str) -> dict[str, float]:
    """One of "value", "stderr", "true" and "percent" of each unknown for which it is known."""
    return plots.scalars({key: getattr(found, part) for key, found in result.unknowns.items()})


def unknowns_table(result: Result) -> str:
    """Each unknown with its 95 % interval and, where known, its true value; empty without unknowns."""
    value, stderr, true, percent = (
        unknown_parts(result, part) for part in ("value", "stderr", "true", "percent")
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
