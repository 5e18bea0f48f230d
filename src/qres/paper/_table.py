"""Tables of results beside the paper's: as text, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table as RichTable

from qres.runtime.files import replace_file

_FORMATS: dict[str, Callable[[float], str]] = {
    "error": "{:.2e}".format,
    "percent": lambda value: f"{value:.3g} %" if value >= 1e-3 else f"{value:.1e} %",
    "count": lambda value: f"{round(value):,}" if math.isfinite(value) else "never",
}
_SPARE = ("lowest … highest", "seeds", "parameters")  # the first to go from a narrow terminal first
FAR = 3.0  # a ratio of this, or its inverse, is far from the paper


@dataclass(frozen=True)
class Line:
    """A number: what it is, its value for each seed, and the paper's."""

    labels: tuple[str, ...]
    values: tuple[float, ...] = ()
    paper: float | None = None
    unit: str = "error"

    @property
    def median(self) -> float | None:
        """Over the seeds; None where nothing was run."""
        return median(self.values) if self.values else None

    @property
    def ratio(self) -> float | None:
        """Ours to the paper's."""
        return None if self.median is None or not self.paper else self.median / self.paper

    @property
    def is_far(self) -> bool:
        """Whether it differs from the paper's by more than three times."""
        return self.ratio is not None and not 1 / FAR <= self.ratio <= FAR

    def cells(self, *, against_paper: bool) -> tuple[str, ...]:
        """Labels, median, range, number of seeds; and the paper's, with the ratio."""
        show = _FORMATS[self.unit]
        found = ("not run", "", "0")
        if self.values:
            value_range = (
                f"{show(min(self.values))} … {show(max(self.values))}" if len(self.values) > 1 else ""
            )
            found = (show(median(self.values)), value_range, str(len(self.values)))
        if not against_paper:
            return (*self.labels, *found)
        paper = "" if self.paper is None else show(self.paper)
        ratio = "" if self.ratio is None else f"{self.ratio:.2g}" if self.ratio < 10 else f"{self.ratio:.0f}"
        return (*self.labels, *found, paper, ratio)


@dataclass(frozen=True)
class Table:
    """Lines under headings; `headings` are those of the labels."""

    headings: tuple[str, ...]
    lines: Sequence[Line]

    @property
    def columns(self) -> tuple[str, ...]:
        """All headings."""
        compared = ("paper", "ours / paper") if self._against_paper else ()
        return (*self.headings, "median", "lowest … highest", "seeds", *compared)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """All cells."""
        return [line.cells(against_paper=self._against_paper) for line in self.lines]

    @property
    def _against_paper(self) -> bool:
        return any(line.paper is not None for line in self.lines)

    def rich(self, width: int) -> RichTable:
        """For a terminal; where it is too narrow, without the columns that one can best do without."""
        cells = [self.columns, *self.rows]
        needed = {column: max(map(len, each)) for column, *each in zip(self.columns, *cells, strict=True)}
        for spare in _SPARE:
            if sum(needed.values()) + 2 * (len(needed) - 1) > width:
                needed.pop(spare, None)
        left_out = [column for column in self.columns if column not in needed]
        caption = f"too narrow for: {', '.join(left_out)}; the files have them" if left_out else None
        table = RichTable(
            box=None, pad_edge=False, header_style="bold", caption=caption, caption_justify="left"
        )
        for column in needed:
            is_label = column in self.headings
            table.add_column(column, justify="left" if is_label else "right", no_wrap=not is_label)
        for row in self.rows:
            table.add_row(*(cell for column, cell in zip(self.columns, row, strict=True) if column in needed))
        return table

    def text(self) -> str:
        """Plain text, columns aligned."""
        console = Console(file=io.StringIO(), width=400, highlight=False, color_system=None)
        console.print(self.rich(console.width))
        assert isinstance(console.file, io.StringIO)
        return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"

    def markdown(self) -> str:
        """A Markdown table; what is far from the paper is bold."""
        rule = ["---" if column in self.headings else "---:" for column in self.columns]
        rows = [
            (*row[:-1], f"**{row[-1]}**") if line.is_far else row
            for row, line in zip(self.rows, self.lines, strict=True)
        ]
        cells = [self.columns, rule, *rows]
        return "".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |\n" for row in cells)

    def latex(self) -> str:
        """A LaTeX tabular, for the package booktabs."""
        kinds = "".join("l" if column in self.headings else "r" for column in self.columns)
        body = [" & ".join(map(_latex, row)) + r" \\" for row in self.rows]
        head = " & ".join(map(_latex, self.columns)) + r" \\"
        lines = [
            rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}",
        ]  # fmt: skip
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """One line a number, in full precision, with the values of all seeds."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(
            [*self.headings, "unit", "median", "lowest", "highest", "seeds", "paper", "ratio", "values"]
        )
        for line in self.lines:
            ends = (min(line.values), max(line.values)) if line.values else (None, None)
            values = " ".join(repr(value) for value in line.values)
            writer.writerow(
                [
                    *line.labels,
                    line.unit,
                    line.median,
                    *ends,
                    len(line.values),
                    line.paper,
                    line.ratio,
                    values,
                ]
            )
        return buffer.getvalue()

    def save(self, folder: Path, name: str) -> list[Path]:
        """All four files."""
        contents = {"txt": self.text(), "md": self.markdown(), "tex": self.latex(), "csv": self.csv()}
        return [replace_file(folder / f"{name}.{suffix}", text.encode()) for suffix, text in contents.items()]


_LATEX = {
    "…": r"\dots{}", "λ": r"$\lambda$", "₁": "$_1$", "₂": "$_2$", "²": "$^2$", "×": r"$\times$", "%": r"\%", "_": r"\_",
    "&": r"\&", "#": r"\#", "|": "$|$", "ö": r'\"o', "–": "--", "θ": r"$\theta$",
}  # fmt: skip


def _latex(cell: str) -> str:
    """A cell in which numbers have powers of ten and nothing else is taken for a command."""
    escaped = "".join(_LATEX.get(letter, letter) for letter in cell)
    return re.sub(r"(\d(?:\.\d+)?)e([+-]\d+)", lambda m: rf"${m[1]}\times 10^{{{int(m[2])}}}$", escaped)
