"""Progress of a sweep: a live table in a terminal, lines elsewhere, read from the histories of the runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from qres.optimizers import parse_stages
from qres.results import Record, loads
from qres.runs import RunFolder, Specification
from qres.training import clock_time

from ._job import Job
from ._outcome import Outcome

_LINE_SECONDS = 30.0  # between lines about what is running, where there is no terminal
_MOST_ROWS = 20
_TAIL = 20_000  # bytes of a history, in which its last record is looked for


def last_record(path: Path) -> Record | None:
    """The newest whole record of a run's history."""
    file = RunFolder(path).history_file
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, file.stat().st_size - _TAIL))
            lines = stream.read().splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        try:
            return Record.from_dict(loads(line))
        except (ValueError, TypeError, KeyError):
            continue
    return None


def remaining(specification: Specification, first: Record, record: Record) -> float | None:
    """The seconds that a run may still take, at its pace since an earlier record; None where that is not known."""
    most = specification.time_limit
    limits = specification.limits(parse_stages(specification.stages))
    by_clock = None if most is None else max(0.0, most - record.seconds)
    made = record.total - first.total
    if None in limits or made <= 0:
        return by_clock
    left = sum(limit or 0 for limit in limits) - record.total
    by_count = max(0.0, (record.seconds - first.seconds) / made * left)
    return by_count if by_clock is None else min(by_clock, by_count)


class Display:
    """Shows how far a sweep is: jobs done, running, failed and left, and a line for each that is running."""

    def __init__(self, folder: Path, jobs: Sequence[Job], left: Sequence[Job], *, visible: bool) -> None:
        self._folder, self._jobs = folder, {job.name: job for job in jobs}
        self._found, self._total = len(jobs) - len(left), len(jobs)
        self._done, self._failed = 0, list[Outcome]()
        self._console = Console(stderr=True)
        self._visible = visible
        self._live = (
            Live(console=self._console, transient=True) if self._console.is_terminal and visible else None
        )
        self._first: dict[str, Record] = {}  # the earliest record that was seen of each run
        self._begun = self._last_line = time.monotonic()

    def __enter__(self) -> Display:
        found = f", {self._found} of them found done" if self._found else ""
        runs = "1 run" if self._total == 1 else f"{self._total} runs"
        self.log(f"sweep: {runs}{found}, in {self._folder}")
        warnings = {text for job in self._jobs.values() for text in job.specification().problem.warnings}
        for text in sorted(warnings):
            self.log(f"warning: {text}")
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(self, *reason: object) -> None:
        if self._live is not None:
            self._live.__exit__(None, None, None)
        for outcome in self._failed:
            self.log(f"failed: {outcome.job.name}: {outcome.error}")

    def log(self, text: str) -> None:
        """A line that stays."""
        if self._live is not None:
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)
        elif self._visible:
            print(text, file=sys.stderr, flush=True)

    def finished(self, outcome: Outcome) -> None:
        """One job more is over."""
        self._done += 1
        if outcome.error is not None:
            self._failed.append(outcome)
        if self._live is None:
            self.log(f"[{self._found + self._done}/{self._total}] {outcome.job.name}: {_result(outcome)}")

    def show(self, running: Collection[str]) -> None:
        """What is going on now."""
        if self._live is not None:
            self._live.update(self._table(running), refresh=True)
        elif self._visible and running and time.monotonic() - self._last_line > _LINE_SECONDS:
            self._last_line = time.monotonic()
            for name in sorted(running):
                self.log("  ".join(("  running", *self._row(name))))

    def _table(self, running: Collection[str]) -> Group:
        left = self._total - self._found - self._done - len(running)
        counts = {"done": self._found + self._done - len(self._failed), "running": len(running)}
        counts |= {"failed": len(self._failed), "left": left}
        passed = time.monotonic() - self._begun
        text = " · ".join(f"{count} {name}" for name, count in counts.items()) + f"   {clock_time(passed)}"
        if self._done and (still := left + len(running)):
            text += f"   ETA about {clock_time(passed / self._done * still)}"
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        for name in sorted(running)[:_MOST_ROWS]:
            table.add_row(*(Text(cell) for cell in self._row(name)))
        if len(running) > _MOST_ROWS:
            table.add_row(f"and {len(running) - _MOST_ROWS} more")
        return Group(Text(text, style="bold"), table)

    def _row(self, name: str) -> tuple[str, str, str]:
        """Name, newest record and time left of a run."""
        job = self._jobs[name]
        record = last_record(self._folder / job.folder_name)
        if record is None:
            return name, "starting …", ""
        left = remaining(job.specification(), self._first.setdefault(name, record), record)
        return name, str(record), "" if left is None else f"ETA {clock_time(left)}"


def _result(outcome: Outcome) -> str:
    if outcome.result is None:
        return f"failed: {outcome.error}"
    errors = [f"error {name} {value:.2e}" for name, value in outcome.result.errors.items()]
    return "  ".join([*errors, f"loss {outcome.result.loss:.2e}", f"{outcome.result.seconds:.1f} s"])
