"""An experiment of the paper: its runs, the paper's figures, and their presentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from matplotlib.figure import Figure

from qres.sweep import Job, Outcome

from ._record import Record, Records
from ._scale import Scale, expected_seconds
from ._table import Line, Table

Sections = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class Variant:
    """One kind of run, to be made with several seeds: a preset of a built-in problem, and what differs from it.

    Args:
        name: of its runs.
        label: what the paper calls it.
        problem: of the library.
        preset: of that problem.
        overrides: sections laid over the preset's.
        milliseconds: what an epoch took on one core; for estimates, and for how long a short run is.
        measure: what a record keeps beyond the summary, as plain data; by default nothing.
        history: how many points of the history a record keeps.
    """

    name: str
    label: str
    problem: str
    preset: str
    overrides: Sections = field(default_factory=dict)
    milliseconds: float = 10.0
    measure: Callable[[Outcome], dict[str, Any]] | None = None
    history: int = 2

    def job(self, seed: int, scale: Scale) -> Job:
        """The run with a seed, as the paper has it or shorter."""
        return scale.shortened(self._paper_job(seed, scale), self.milliseconds)

    def expected_seconds(self, scale: Scale) -> float:
        """About how long a run takes on one core."""
        return expected_seconds(self._paper_job(0, scale), self.job(0, scale), self.milliseconds)

    def _paper_job(self, seed: int, scale: Scale) -> Job:
        return Job(scale.named(f"{self.name}-{seed}"), self.problem, seed, self.preset, self.overrides)

    def record(self, outcome: Outcome, scale: Scale) -> Record:
        """What is kept of a finished run."""
        measured = {} if self.measure is None else self.measure(outcome)
        return Record.of(outcome, self.name, scale.name, measured, self.history)


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper.

    Args:
        name: on the command line.
        title: on a page.
        about: what is compared, and where the paper leaves something open.
        variants: what is run.
        table: the numbers.
        figure: the picture, None where nothing is recorded yet.
    """

    name: str
    title: str
    about: str
    variants: tuple[Variant, ...]
    table: Callable[[Records], Table]
    figure: Callable[[Records], Figure | None] | None = None

    def is_begun(self, records: Records) -> bool:
        """Whether there is something to show: some runs of a large experiment may only be those that others share."""
        return len(self.not_run(records)) < 0.9 * len(self.variants)

    def not_run(self, records: Records) -> list[Variant]:
        """The variants of which there is no run."""
        return [variant for variant in self.variants if not records[variant.name]]


def line(
    records: Records,
    variant: Variant,
    labels: tuple[str, ...],
    pick: Callable[[Record], float | None],
    *,
    paper: float | None = None,
    unit: str = "error",
) -> Line:
    """A number of each recorded run of a variant, beside the paper's."""
    found = [pick(record) for record in records[variant.name]]
    return Line(labels, tuple(value for value in found if value is not None), paper, unit)
