"""Tables, as text for the terminal and as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A title, a head and rows of text."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """Aligned columns."""
        lines = [self.head, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.head))]
        shown = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
        ]
        return "\n".join([self.title, *shown, ""])

    def markdown(self) -> str:
        """A table with the title above it."""
        lines = [" | ".join(line) for line in (self.head, ["---"] * len(self.head), *self.rows)]
        return "\n".join([f"**{self.title}**", "", *(f"| {line} |" for line in lines), ""])


def milliseconds(value: float) -> str:
    """Three digits."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def seconds(value: float | None) -> str:
    """As many digits as are sure; a dash for what was not reached."""
    return "–" if value is None else f"{value:.1f} s" if value < 100 else f"{value:.0f} s"


def ratio(value: float) -> str:
    """A factor."""
    return f"{value:.2f}"
