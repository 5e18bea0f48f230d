"""The outcome of a job: its result and run folder, or its error; and the file that stores it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qres.results import Record, Result, dumps, loads
from qres.runs import RunFolder
from qres.runtime.errors import InputError
from qres.runtime.files import replace_file
from qres.solution import Solution, load

from ._job import Job

RESULT = "result.json"
_LEFT_OUT = ("run",)  # where it stood when it was run: it may stand elsewhere now


@dataclass(frozen=True)
class Outcome:
    """What became of a job.

    `result` has errors, unknowns, seconds, iterations, parameters, loss, versions, …; where the job failed there is
    none, and `error` says why. `date` is when it was done.
    """

    job: Job
    result: Result | None
    folder: Path
    error: str | None = None
    date: str = ""

    def history(self) -> list[Record]:
        """The records of the run's history.jsonl."""
        return RunFolder(self.folder).history()

    def solution(self) -> Solution:
        """What was found, from the run's folder."""
        file = RunFolder(self.folder).solution_file
        if not file.is_file():
            raise InputError(
                f"{self.folder}: there is no solution in it{f': {self.error}' if self.error else ''}"
            )
        return load(file, **self.job.own.options(training=False))


def describe(job: Job) -> dict[str, Any]:
    """A job as plain data, as its result file keeps it."""
    return {
        "name": job.name, "key": job.key, "problem": job.problem_name, "preset": job.preset, "seed": job.seed,
        "overrides": {section: dict(table) for section, table in job.overrides.items()},
        "specification": job.to_dict(),
    }  # fmt: skip


def write_result(path: Path, job: Mapping[str, Any], result: Result, date: str, duration: float) -> None:
    """The result file of a finished run: what it was, what came out, when, with which versions, how long it took."""
    plain = result.to_dict()
    content = {
        **job,
        "summary": {name: value for name, value in plain.items() if name not in (*_LEFT_OUT, "versions")},
        "versions": plain["versions"],
        "date": date,
        "duration": round(duration, 2),
    }
    replace_file(path / RESULT, (dumps(content, indent=1) + "\n").encode())


def find_outcome(job: Job, folder: Path) -> Outcome | None:
    """The outcome of a job that was finished before, perhaps under another name, or None.

    A result file that cannot be read, or is of something else, does not count.
    """
    own = folder / job.folder_name
    paths = [own] if is_finished(own, job.key) else sorted(folder.glob(f"*-{job.key[:8]}"))
    path = next((path for path in paths if is_finished(path, job.key)), None)
    if path is None:
        return None
    result = loads((path / RESULT).read_text())
    found = Result.from_dict({**result["summary"], "run": str(path), "versions": result["versions"]})
    return Outcome(job, found, path, date=result["date"])


def is_finished(path: Path, key: str) -> bool:
    """Whether a folder holds the result of the run with this key."""
    try:
        result = loads((path / RESULT).read_text())
        return result["key"] == key and {"summary", "versions", "date"} <= result.keys()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
