"""The computed tables as Markdown, written between markers of a document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qres.runtime.errors import InputError

from ._check import Check
from ._filling import check_filling_widths, check_width_ratio, survey_paper_networks
from ._propositions import check_degree_doubling, check_depth, check_single_layer

# By the name in the markers, in the order of the paper.
CHECKS: dict[str, Callable[[], Check]] = {
    "proposition-1": check_single_layer,
    "lemma-1": check_degree_doubling,
    "theorem-1": check_depth,
    "proposition-2": check_filling_widths,
    "theorem-2": check_width_ratio,
    "paper-networks": survey_paper_networks,
}


def check(name: str) -> Check:
    """Compute one of the tables.

    Args:
        name: one of `CHECKS`.
    """
    if name not in CHECKS:
        raise InputError(f"check={name!r}: one of {', '.join(CHECKS)}")
    return CHECKS[name]()


def markdown(table: Check) -> str:
    """A table as Markdown, the verdict below it."""
    lines = [table.marked_columns(), ("---",) * len(table.marked_columns()), *table.marked_rows()]
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    return f"{text}\n\nComputed: {table.verdict}."


def replace_table(document: str, name: str, table: str) -> str:
    """The document with the text between `<!-- table: name -->` and `<!-- end: name -->` replaced.

    Args:
        document: Markdown.
        name: one of `CHECKS`.
        table: what to put there.
    """
    begin, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
    if document.count(begin) != 1 or document.count(end) != 1:
        raise InputError(f"document: markers {begin!r} and {end!r} are needed once each")
    head, rest = document.split(begin)
    return f"{head}{begin}\n{table}\n{end}{rest.split(end)[1]}"


def write_tables(path: Path) -> None:
    """Compute every table and write it into a document, between its markers.

    Args:
        path: of a Markdown file that has the markers.
    """
    if not path.is_file():
        raise InputError(f"document={str(path)!r}: no such file")
    document = path.read_text(encoding="utf-8")
    for name in CHECKS:
        document = replace_table(document, name, markdown(check(name)))
    path.write_text(document, encoding="utf-8")
