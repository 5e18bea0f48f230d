"""Progress: a live bar in a terminal or a notebook, periodic lines on standard error elsewhere."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from qres.results import Record
from qres.runtime.errors import printable

from ._notebook import NotebookDisplay, in_notebook


def clock_time(seconds: float) -> str:
    """Seconds as minutes and seconds, 1:05, or with hours, 1:00:05."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class ProgressBar:
    """Shows how far a run is. `share` is the done part of its budget, or None where none is known."""

    def __init__(self, title: str, *, visible: bool = True) -> None:
        self._console = Console(stderr=True)
        self._visible = visible
        self._notebook = NotebookDisplay() if visible and in_notebook() else None
        self._live = visible and self._notebook is None and self._console.is_terminal
        self._last_line = 0.0
        self._bar: Progress | None = None
        self._title = title
        self._newest: Record | None = None

    def __enter__(self) -> ProgressBar:
        if self._notebook is not None:
            self._notebook.show(f"{self._title}: compiling …")
        elif self._live:
            columns = (
                TextColumn("[bold]{task.description}"),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[text]}"),
                TimeElapsedColumn(),
                TextColumn("{task.fields[eta]}"),
            )
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.__enter__()
            self._task = self._bar.add_task(self._title, total=None, text="compiling …", eta="")
        elif self._visible:
            self._say(f"{self._title}: compiling …")
        return self

    def begin(self, what: str) -> None:
        """Show the step after the training, which takes some seconds."""
        if self._notebook is not None:
            self._notebook.show(f"{self._title}: {what} …")
        elif self._bar is not None:
            self._bar.update(self._task, total=None, text=f"{what} …", eta="")
        elif self._visible:
            self._say(f"{self._title}: {what} …")

    def __exit__(self, *reason: object) -> None:
        if self._notebook is not None:
            newest = self._newest
            last = (
                ""
                if newest is None
                else f": {newest.total} iterations in {clock_time(newest.seconds)}  {newest}"
            )
            self._notebook.close(self._title + last)
        if self._bar is not None:
            self._bar.__exit__(None, None, None)

    def log(self, text: str) -> None:
        """Print a line above the bar."""
        text = printable(text)  # it may name columns of a file
        if self._notebook is not None:
            self._notebook.log(text)
        elif self._live:
            self._console.print(text, highlight=False, markup=False)
        elif self._visible:
            self._say(text)

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def show(self, record: Record, share: float | None, remaining: float | None) -> None:
        """The newest record, and how long it may still take."""
        self._newest = record
        eta = "" if remaining is None else f"ETA {clock_time(max(0.0, remaining))}"
        if self._notebook is not None:
            self._notebook.show(f"{self._title}: {record}  {eta}", share)
        elif self._bar is not None:
            completed = None if share is None else 100 * min(1.0, share)
            self._bar.update(
                self._task,
                total=None if share is None else 100,
                completed=completed,
                text=str(record),
                eta=eta,
            )
        elif self._visible and time.monotonic() - self._last_line > 5:
            self._last_line = time.monotonic()
            self._say(f"{clock_time(record.seconds):>6}  {record}  {eta}")
