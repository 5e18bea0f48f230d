"""The end of a run: the estimate of its error, and its last files."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from qres.runs import RunFolder
from qres.solution import Solution
from qres.training.loop import with_verdict

from ._ending import estimate_within
from ._progress import ProgressBar
from ._rescue import rescue


def finish(
    solution: Solution, folder: RunFolder | None, bar: ProgressBar, warnings: Sequence[str], *, estimate: bool
) -> None:
    """Estimate the error of a solution and write solution and report, where there is a run folder.

    Args:
        solution: whose result gets the estimate.
        folder: of the run.
        bar: shows what is at work.
        warnings: of the run.
        estimate: whether there is to be one.
    """
    mine = folder if folder is not None and folder.writes else None  # of several processes, the first writes
    with rescue(solution, mine):
        doubts = _estimated(solution, mine, bar) if mine is not None and estimate else ()
        if mine is not None:
            from qres.report import write_run  # draws: half a second to import, after the training

            write_run(solution, mine, [*doubts, *warnings])


def _estimated(solution: Solution, folder: RunFolder, bar: ProgressBar) -> tuple[str, ...]:
    """Put the estimate of the error into the result, of a solution that is saved already; its warnings."""
    solution.save(folder.solution_file)
    before = solution.result
    if not np.isfinite(before.loss):
        return ()
    found = estimate_within(solution, before.cpu_seconds, bar)
    stopped = with_verdict(before.stopped, found.status)
    solution.result = dataclasses.replace(before, estimate=found, stopped=stopped)
    for warning in found.warnings:
        bar.log(f"warning: {warning}")
    return found.warnings
