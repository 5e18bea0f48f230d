"""The plan of a reproduction: runs of some experiments, those already recorded, and the expected duration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from qres.runtime.errors import InputError, listed, whole_number
from qres.sweep import Job, Outcome, find_outcome

from ._experiment import Experiment, Variant
from ._scale import Scale


@dataclass(frozen=True)
class Plan:
    """Runs, each once, whichever experiments share it."""

    runs: tuple[tuple[Variant, Job], ...]
    found: dict[str, Outcome]  # by the job's name
    seconds: float  # of one core, for what is left

    @property
    def jobs(self) -> list[Job]:
        """All of them."""
        return [job for _, job in self.runs]

    def describe(self, workers: int) -> str:
        """How many runs there are, and how long they may take, in words."""
        left = len(self.runs) - len(self.found)
        text = f"{len(self.runs)} runs, {len(self.found)} recorded already"
        if not left:
            return f"{text}: nothing is left to run"
        time = duration(self.seconds / min(workers, left))
        return f"{text}, {left} to go: about {time} with {workers} at a time, a core each"


def make_plan(
    experiments: Sequence[Experiment], scale: Scale, seeds: int, folder: Path, only: Sequence[str] = ()
) -> Plan:
    """All runs of experiments with a number of seeds, 0, 1, …, all variants with one seed before those with the next.

    Args:
        experiments: what they share is run once.
        scale: how long the runs are.
        seeds: how many.
        folder: where the runs are, or will be.
        only: parts of names; runs that have none of them are left out.
    """
    whole_number(seeds, 1, "seeds")
    variants = {variant.name: variant for experiment in experiments for variant in experiment.variants}
    if only:
        names = listed(variants)
        variants = {name: v for name, v in variants.items() if any(part in name for part in only)}
        if not variants:
            raise InputError(f"only {listed(only)}: no run has that in its name; there are {names}")
    runs = tuple(
        (variant, variant.job(seed, scale)) for seed in range(seeds) for variant in variants.values()
    )
    found = {job.name: outcome for _, job in runs if (outcome := find_outcome(job, folder)) is not None}
    seconds = 0.0
    for variant in variants.values():
        jobs = [job for other, job in runs if other is variant]
        taken = [result.seconds for job in jobs if job.name in found and (result := found[job.name].result)]
        expected = fmean(taken) if taken else variant.expected_seconds(scale)
        seconds += expected * (len(jobs) - len(taken))
    return Plan(runs, found, seconds)


def duration(seconds: float) -> str:
    """Minutes, hours or days."""
    if seconds < 90 * 60:
        return f"{max(1, round(seconds / 60))} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"
