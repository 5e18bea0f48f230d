"""A summary as files: CSV, Markdown, JSON and a picture."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from qres.plots import parameters_figure, save
from qres.results import dumps
from qres.runtime.files import replace_file

from ._summary import Row, Summary

FIGURE = "error-against-parameters.png"


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
    found = row.spread(quantity)
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
        numbers = [value for name in summary.quantities for value in row.spread(name) or ("", "", "")]
        settings = ["" if (v := row.settings.get(n)) is None else _text(v) for n in summary.settings]
        writer.writerow([*settings, row.network, row.parameters, len(row.seeds), row.failed, *numbers])
    return stream.getvalue()


def write_summary(summary: Summary, folder: str | Path) -> list[Path]:
    """`summary.csv`, `summary.md`, `summary.json` and, where errors are known, the picture of them.

    Args:
        summary: of a sweep.
        folder: an existing one; files of an earlier summary are replaced.
    """
    folder = Path(folder)
    texts = {
        "csv": to_csv(summary),
        "md": to_markdown(summary),
        "json": dumps(summary.to_dict(), indent=1) + "\n",
    }
    files = [replace_file(folder / f"summary.{kind}", text.encode()) for kind, text in texts.items()]
    drawn = {quantity: _series(summary, quantity) for quantity in summary.accuracies}
    if drawn := {quantity: series for quantity, series in drawn.items() if series}:
        files.append(save(parameters_figure(drawn), folder / FIGURE))
    return files


def _series(summary: Summary, quantity: str) -> dict[str, list[tuple[int, tuple[float, ...]]]]:
    found: dict[str, list[tuple[int, tuple[float, ...]]]] = {}
    for row in summary.rows:
        if row.parameters is not None and quantity in row.values:
            found.setdefault(row.series, []).append((row.parameters, row.values[quantity]))
    return found
