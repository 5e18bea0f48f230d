"""Figures of a page: inline SVG in the page's own colours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import count

from matplotlib.figure import Figure

from qres import plots

_INCH = 96


class Gallery:
    """Makes figures for one page, in which every id must occur once."""

    _numbers: Iterator[int]

    def __init__(self) -> None:
        self._numbers = count(1)

    def rows(self, rows: plots.Rows, caption: str) -> str:
        """Panels side by side where there is room, below each other where not.

        Args:
            rows: see `plots.Panel`.
            caption: HTML.
        """
        shown = "".join(self._row(row) for row in rows)
        return f"<figure>{shown}<figcaption>{caption}</figcaption></figure>"

    def full_width(self, figure: Figure, caption: str) -> str:
        """A figure as it is, scaled to the width of the page.

        Args:
            figure: any Matplotlib figure.
            caption: plain text.
        """
        width = figure.get_size_inches()[0]
        shown = f'<div class="row full">{self._picture(figure, caption, width)}</div>'
        return f"<figure>{shown}<figcaption>{escape(caption)}</figcaption></figure>"

    def _row(self, row: plots.Row) -> str:
        pictures = (self._picture(plots.compose([[panel]]), panel.description, panel.width) for panel in row)
        return f'<div class="row">{"".join(pictures)}</div>'

    def _picture(self, figure: Figure, description: str, width: float) -> str:
        svg = inline_svg(figure, f"f{next(self._numbers)}", description)
        return f'<div class="panel" style="--width:{width * _INCH:.0f}px">{svg}</div>'


def inline_svg(figure: Figure, prefix: str, description: str) -> str:
    """A figure as an SVG element that may stand in HTML.

    Its ids get a prefix, its neutral colours become variables of the page, its metadata and style go.

    Args:
        figure: any Matplotlib figure.
        prefix: no other figure of the page has it.
        description: for those who do not see it.
    """
    svg = plots.render(figure, "svg").decode()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    identifiers = {old: f"{prefix}-{i}" for i, old in enumerate(re.findall(r'\bid="([^"]+)"', svg))}
    svg = re.sub(r'(\bid="|href="#|url\(#)([^")]+)', lambda m: m[1] + identifiers.get(m[2], m[2]), svg)
    for variable, colour in plots.NEUTRAL.items():
        svg = svg.replace(colour, f"var(--{variable},{colour})")
    head, body = svg.split(">", 1)
    view = re.search(r'viewBox="[^"]+"', head)
    assert view, "Matplotlib writes a viewBox"
    return f'<svg {view[0]} role="img" aria-label="{escape(description)}">{body}'
