"""Recorded runs: one small JSON file each, from which every table and figure is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from qres import results
from qres.results import Result, dumps, loads
from qres.runtime.errors import InputError
from qres.runtime.files import replace_file
from qres.sweep import Outcome

_KEPT = (
    "problem", "network", "widths", "parameters", "optimizer", "iterations", "seconds", "cpu_seconds", "stopped",
    "loss", "errors", "unknowns",
)  # fmt: skip


@dataclass(frozen=True)
class Record:
    """What is kept of a run of the paper: all that determined it, what came out, and a thinned history, by columns."""

    name: str
    variant: str
    scale: str
    seed: int
    date: str
    versions: Mapping[str, str]
    specification: Mapping[str, Any]
    result: Result
    measured: Mapping[str, Any]
    history: Mapping[str, Sequence[Any]]

    @staticmethod
    def of(outcome: Outcome, variant: str, scale: str, measured: Mapping[str, Any], points: int) -> Record:
        """The record of a finished run, with so many points of its history."""
        job, result = outcome.job, outcome.result
        assert result is not None, "a run that failed has no record"
        return Record(
            job.name,
            variant,
            scale,
            job.seed,
            outcome.date,
            result.versions,
            job.to_dict(),
            result,
            measured,
            _thinned(outcome.history(), points),
        )

    def save(self, folder: Path) -> Path:
        """One file in the folder, named after the run."""
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "result"}
        kept = {name: value for name, value in self.result.to_dict().items() if name in _KEPT}
        text = dumps({**plain, "summary": kept}, compact=True, sort_keys=True)
        return replace_file(folder / f"{self.name}.json", (text + "\n").encode())

    @staticmethod
    def load(path: Path) -> Record:
        """What `save` wrote."""
        try:
            stored = loads(path.read_text())
            return Record(result=Result.from_dict(stored.pop("summary")), **stored)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{path}: not a recorded run: {error}") from None


class Records:
    """Runs of one scale, by variant and in the order of their seeds."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_variant: dict[str, list[Record]] = {}
        for record in sorted(records, key=lambda record: record.seed):
            self._by_variant.setdefault(record.variant, []).append(record)

    def __getitem__(self, variant: str) -> list[Record]:
        """The runs of a variant; none where it was not run."""
        return self._by_variant.get(variant, [])

    def __len__(self) -> int:
        return sum(map(len, self._by_variant.values()))

    def __add__(self, other: Records) -> Records:
        """These and others; where both have a run, the other's."""
        return Records({r.name: r for part in (self, other) for r in part.all()}.values())

    def all(self) -> list[Record]:
        """Every run."""
        return [record for records in self._by_variant.values() for record in records]

    @staticmethod
    def read(folder: Path, scale: str) -> Records:
        """The runs of one scale that a folder holds."""
        files = sorted(folder.glob("*.json")) if folder.is_dir() else []
        return Records(record for file in files if (record := Record.load(file)).scale == scale)


def rounded(values: Any, digits: int = 5) -> Any:
    """Numbers and arrays as plain lists with a few digits, which keeps a record small."""
    if np.ndim(values):
        return [rounded(value, digits) for value in values]
    return float(f"{float(values):.{digits - 1}e}")


def _thinned(history: Sequence[results.Record], points: int) -> dict[str, list[Any]]:
    """Evenly many records of it, and the last of each stage."""
    if not history:
        return {}
    last = len(history) - 1
    chosen = {round(i) for i in np.linspace(0, last, min(points, last + 1)).tolist()} | {last}
    chosen |= {i for i in range(last) if history[i].stage != history[i + 1].stage}
    kept = [history[i] for i in sorted(chosen)]
    return {
        "total": [record.total for record in kept],
        "stage": [record.stage for record in kept],
        "optimizer": [record.optimizer for record in kept],
        "loss": [rounded(record.loss) for record in kept],
    }
