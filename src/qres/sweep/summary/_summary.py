"""Summaries of sweeps: median and range over the seeds of every setting."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from qres.results import Result, dumps, scalars
from qres.results.display import table

from .._job import Job
from .._names import shown_name
from .._outcome import Outcome

_SIZES = ("width", "depth", "hidden")


@dataclass(frozen=True)
class Row:
    """All runs of one setting.

    `settings` is what differs between the rows of a summary; `values` has, by quantity, a number for each run:
    "error u", "lambda_1 off %" where the true value is known, else "lambda_1", "loss", "seconds".
    """

    settings: dict[str, Any]
    network: str
    parameters: int | None
    seeds: tuple[int, ...]
    failed: int
    values: dict[str, tuple[float, ...]]

    def median_and_range(self, quantity: str) -> tuple[float, float, float] | None:
        """Median, least and largest value of a quantity; None where no run has it."""
        found = [math.inf if math.isnan(value) else value for value in self.values.get(quantity, ())]
        return (statistics.median(found), min(found), max(found)) if found else None

    @property
    def series(self) -> str:
        """The kind of network, and what else differs besides its size."""
        others = {n: v for n, v in self.settings.items() if n not in (*_SIZES, "network", "parameters")}
        return ", ".join([self.network, *(f"{name} {value}" for name, value in others.items())])


@dataclass(frozen=True)
class Summary:
    """The rows of a sweep, in the order of its jobs, and the quantities that there are."""

    rows: tuple[Row, ...]

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of what differs between rows."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.settings))

    @property
    def quantities(self) -> tuple[str, ...]:
        """Errors first, then unknowns, loss and time."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.values))

    @property
    def accuracies(self) -> tuple[str, ...]:
        """The quantities that say how far off a run is."""
        return tuple(name for name in self.quantities if name.startswith("error ") or name.endswith(" off %"))

    def _repr_html_(self) -> str:
        headings, rows = cells(self)
        return table(headings, ([escape(cell) for cell in row] for row in rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain data: for each row its settings, and the range and the values of each quantity."""
        return {"rows": [_plain(row) for row in self.rows]}


def summarize(outcomes: Sequence[Outcome]) -> Summary:
    """Median and range over seeds: runs that differ in nothing else are one row."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        job = outcome.job
        text = dumps([job.problem_name, job.preset, job.overrides], sort_keys=True)
        groups.setdefault(text, []).append(outcome)
    settings = _differing([_settings(group[0].job) for group in groups.values()])
    return Summary(tuple(_row(s, group) for s, group in zip(settings, groups.values(), strict=True)))


def _row(settings: dict[str, Any], outcomes: Sequence[Outcome]) -> Row:
    done = [(outcome.job.seed, outcome.result) for outcome in outcomes if outcome.result is not None]
    values: dict[str, list[float]] = {}
    for _, result in done:
        for name, value in _quantities(result).items():
            values.setdefault(name, []).append(value)
    return Row(
        settings,
        done[0][1].network if done else str(outcomes[0].job.specification().architecture.kind),
        done[0][1].parameters if done else None,
        tuple(seed for seed, _ in done),
        len(outcomes) - len(done),
        {name: tuple(found) for name, found in values.items()},
    )


def _quantities(result: Result) -> dict[str, float]:
    found = {f"error {name}": float(error) for name, error in result.errors.items()}
    for name, unknown in result.unknowns.items():
        known = unknown.percent is not None
        numbers = scalars({name: unknown.percent if known else unknown.value})
        found |= {f"{each} off %" if known else each: value for each, value in numbers.items()}
    return found | {"loss": result.loss, "seconds": result.seconds}


def _settings(job: Job) -> dict[str, Any]:
    """All that a job says about itself, but for its seed, by the names that people use."""
    found: dict[str, Any] = {"problem": job.problem_name, "preset": job.preset}
    for section, values in job.overrides.items():
        for where, value in _leaves((section,), values):
            found[shown_name(where)] = value
    return found


def _leaves(where: tuple[str, ...], value: Any) -> list[tuple[tuple[str, ...], Any]]:
    if not isinstance(value, Mapping):
        return [(where, value)]
    return [leaf for key, inner in value.items() for leaf in _leaves((*where, str(key)), inner)]


def _differing(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The settings without those that are the same everywhere; if all are, the problem's name is left."""
    names = list(dict.fromkeys(name for each in settings for name in each))
    varied = [name for name in names if any(each.get(name) != settings[0].get(name) for each in settings)]
    return [{name: each.get(name) for name in varied or ["problem"]} for each in settings]


def _plain(row: Row) -> dict[str, Any]:
    ranges = {name: row.median_and_range(name) for name in row.values}
    return {
        "settings": row.settings, "network": row.network, "parameters": row.parameters,
        "runs": len(row.seeds), "failed": row.failed, "seeds": list(row.seeds),
        "quantities": {
            name: {"median": s[0], "min": s[1], "max": s[2], "values": list(row.values[name])}
            for name, s in ranges.items() if s is not None
        },
    }  # fmt: skip


def cells(summary: Summary) -> tuple[list[str], list[list[str]]]:
    """Headings and rows for people: a quantity is its median, with least and largest where there are several runs."""
    shown = [name for name in summary.quantities if name != "loss" or not summary.accuracies]
    headings = [*summary.settings, "parameters", "runs", *shown]
    return headings, [
        [*_setting_cells(row, summary), *(_spread(row, name) for name in shown)] for row in summary.rows
    ]


def _setting_cells(row: Row, summary: Summary) -> list[str]:
    runs = f"{len(row.seeds)}" + (f" ({row.failed} failed)" if row.failed else "")
    settings = [_text(row.settings.get(name)) for name in summary.settings]
    return [*settings, "-" if row.parameters is None else str(row.parameters), runs]


def _text(value: Any) -> str:
    return "-" if value is None else ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _spread(row: Row, quantity: str) -> str:
    found = row.median_and_range(quantity)
    if found is None:
        return "-"
    style = (
        "{:.1f}"
        if quantity == "seconds"
        else "{:.1e}"
        if quantity.startswith(("error ", "loss"))
        else "{:.4g}"
    )
    median, low, high = (style.format(value) for value in found)
    return median if len(row.values[quantity]) == 1 else f"{median} ({low}–{high})"


def to_markdown(summary: Summary) -> str:
    """A table; below it, what the numbers are."""
    headings, rows = cells(summary)
    lines = [headings, ["---"] * len(headings), *rows]
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return f"{table}\n\nMedian over the seeds, and in brackets the least and the largest value.\n"


def to_csv(summary: Summary) -> str:
    """A row a setting; each quantity has three columns: median, min, max."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    columns = [f"{name} {part}" for name in summary.quantities for part in ("median", "min", "max")]
    writer.writerow([*summary.settings, "network kind", "parameters", "runs", "failed", *columns])
    for row in summary.rows:
        numbers = [
            value for name in summary.quantities for value in row.median_and_range(name) or ("", "", "")
        ]
        settings = ["" if (v := row.settings.get(n)) is None else _text(v) for n in summary.settings]
        writer.writerow([*settings, row.network, row.parameters, len(row.seeds), row.failed, *numbers])
    return stream.getvalue()
