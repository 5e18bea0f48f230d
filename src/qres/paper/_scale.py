"""Scales of the runs: as in the paper, or short ones of the same networks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from qres.optimizers import name_stages, parse_stages
from qres.runs import Specification, overlaid
from qres.sweep import Job

_EPOCHS = 5000  # of a stage that has no number of its own
_START_SECONDS = 5.0  # to start and to compile, on one core


@dataclass(frozen=True)
class Scale:
    """How long runs are.

    Args:
        name: on the command line.
        seeds: how many, unless said otherwise.
        seconds: of training, about, that a run may take by the pace of its variant; None is as long as the paper's.
        points: at most so many, of equations and of measurements.
    """

    name: str
    seeds: int
    seconds: float | None = None
    points: int = 10**9

    def named(self, name: str) -> str:
        """The name of a run at this scale."""
        return name if self.seconds is None else f"{self.name}-{name}"

    def shortened(self, job: Job, milliseconds: float) -> Job:
        """The job with as few points and epochs as this scale allows; snapshots keep their share of the way.

        Args:
            job: as in the paper.
            milliseconds: of an epoch, with the paper's points.
        """
        if self.seconds is None:
            return job
        specification = job.specification()
        fewer = self._fewer_points(specification)
        pace = milliseconds * _share_of_cost(self.points, points_of(specification)) if fewer else milliseconds
        stages: tuple[Any, ...] = parse_stages(specification.stages)
        allowed = max(10, round(1000 * self.seconds / pace / len(stages)))
        counts = [min(stage.iterations or _EPOCHS, allowed) for stage in stages]
        shorter = [replace(stage, iterations=count) for stage, count in zip(stages, counts, strict=True)]
        changed: dict[str, dict[str, Any]] = {"optimizer": {"stages": name_stages(shorter)}, **fewer}
        if specification.snapshots:
            share = counts[0] / (stages[0].iterations or _EPOCHS)
            kept = sorted({max(1, ceil(share * i)) for i in specification.snapshots})
            changed["training"] = {"snapshots": kept}
        return replace(job, overrides=overlaid(job.overrides, changed))

    def _fewer_points(self, specification: Specification) -> dict[str, dict[str, Any]]:
        """Sections that take the number of points down; in discrete time there are few anyway."""
        if specification.time is not None:
            return {}
        fewer: dict[str, dict[str, Any]] = {}
        if specification.sampling.points > self.points:
            fewer["sampling"] = {"points": self.points}
        if (
            any(count > self.points for count in _measurements(specification))
            and specification.problem.equations
        ):
            fewer["measured"] = {"points": self.points}
        return fewer


PAPER = Scale("paper", seeds=5)
SHORT = Scale("short", seeds=1, seconds=6.0, points=1000)
SCALES = {scale.name: scale for scale in (PAPER, SHORT)}


def expected_seconds(paper: Job, job: Job, milliseconds: float) -> float:
    """About how long a job takes on one core.

    Args:
        paper: the job as in the paper.
        job: the same at some scale.
        milliseconds: of an epoch, with the paper's points.
    """
    specification = job.specification()
    counts = [stage.iterations or _EPOCHS for stage in parse_stages(specification.stages)]
    share = _share_of_cost(points_of(specification), points_of(paper.specification()))
    return _START_SECONDS + sum(counts) * milliseconds * share / 1000


def _share_of_cost(fewer: int, points: int) -> float:
    """What an epoch with fewer points costs of one with all: a part does not depend on them."""
    return 0.15 + 0.85 * min(1.0, fewer / points)


def points_of(specification: Specification) -> int:
    """At how many points the equations are asked to hold."""
    measured = specification.sampling.method == "data" or not specification.problem.equations
    return sum(_measurements(specification)) if measured else specification.sampling.points


def _measurements(specification: Specification) -> list[int]:
    return [len(next(iter(data.columns.values()))) for data in specification.problem.data]
