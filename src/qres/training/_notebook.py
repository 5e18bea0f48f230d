"""Progress as one cell output of a notebook, replaced as the run goes on."""

from __future__ import annotations

import sys
from html import escape
from typing import Any


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook; IPython is never imported to find out."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class NotebookDisplay:
    """Lines that stay, and one line with a bar that changes and is a plain line in the end."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._handle: Any = None

    def log(self, line: str) -> None:
        """Print a line above the bar."""
        self._lines.append(line)

    def show(self, text: str, share: float | None = None) -> None:
        """What goes on now, with the done share of it where that is known."""
        value = "" if share is None else f' value="{share:.4f}"'
        self._update(f"<progress{value}></progress> {escape(text)}")

    def close(self, text: str) -> None:
        """The last line."""
        self._update(escape(text))

    def _update(self, last: str) -> None:
        from IPython.display import HTML, display  # of the notebook that this runs in

        lines = "<br>".join([*map(escape, self._lines), last])
        page = HTML(f'<div style="font-family: monospace">{lines}</div>')
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)
