"""HTML tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells name their column, so that a narrow page can stack them; empty without rows.

    Args:
        headings: plain text, that of the row headers first.
        rows: cells as HTML, each row with its header first.
    """
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(map(_cell, headings[1:], rest))}</tr>'
        for first, *rest in rows
    )
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if body else ""


def _cell(heading: str, content: str) -> str:
    return f'<td data-title="{escape(heading)}"><span>{content}</span></td>'
