"""A summary as files: CSV, Markdown, JSON and a picture."""

from __future__ import annotations

from pathlib import Path

from qres.plots import parameters_figure, save
from qres.results import dumps
from qres.runtime.files import replace_file

from ._summary import Summary, to_csv, to_markdown

FIGURE = "error-against-parameters.png"


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
