"""`solve` and `resume` of problems whose time is cut into windows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from qres.fields import Windows
from qres.runs import RunFolder, Specification, Start
from qres.runtime.blas import one_thread
from qres.runtime.processes import is_first
from qres.solution import Solution
from qres.windows import Evolution, Kind, choose_kind, evolution

from .._finish import finish
from .._progress import ProgressBar
from ..loop import Callback
from ._run import WindowRun

_SMALL = 200  # features of all fields: threads would wait for each other
_TRIED = 10  # the part of the interval that features are tried on where lengths are to be found


def solve_windows(
    specification: Specification,
    run: str | Path | None,
    *,
    estimate: bool,
    progress: bool,
    callbacks: Sequence[Callback],
) -> Solution:
    """Solve a problem window by window; arguments as of `solve`."""
    found = evolution(specification.problem)
    specification = replace(specification, problem=found.problem)
    folder = None
    if run is not None:
        specification.to_dict(functions=True)  # an error where it cannot be written
        folder = RunFolder.new(Path(run))
    with _bar(specification, progress=progress) as bar:
        if folder is None:
            return _run(specification, found, None, None, bar, callbacks, estimate=estimate)
        with folder.locked():
            folder.create(specification)
            return _run(specification, found, None, folder, bar, callbacks, estimate=estimate)


def resume_windows(
    specification: Specification,
    folder: RunFolder,
    *,
    estimate: bool,
    progress: bool,
    callbacks: Sequence[Callback],
) -> Solution:
    """Go on with a run of windows, whose folder is locked; arguments as of `resume`."""
    found, start = evolution(specification.problem), folder.load_start()
    kind = None if start is None or start.features is None else Kind.from_dict(start.features)
    with _bar(specification, progress=progress) as bar:
        return _run(specification, found, kind, folder, bar, callbacks, estimate=estimate, go_on=True)


def _bar(specification: Specification, *, progress: bool) -> ProgressBar:
    return ProgressBar(specification.problem.name, visible=progress and is_first())


def _run(
    specification: Specification,
    found: Evolution,
    kind: Kind | None,
    folder: RunFolder | None,
    bar: ProgressBar,
    callbacks: Sequence[Callback],
    *,
    estimate: bool,
    go_on: bool = False,
) -> Solution:
    windows = specification.windows
    assert isinstance(windows, Windows)
    for warning in specification.problem.warnings:
        bar.log(f"warning: {warning}")
    if kind is None:
        kind = _chosen(found, windows, specification.seed)
        if folder is not None:
            folder.save_start(Start((), (), {}, None, kind.to_dict()))
    bar.log(f"windows: {windows.windows}, each by least squares with {kind}")
    run = WindowRun(specification, found, kind, folder=folder, bar=bar, callbacks=callbacks)
    if folder is not None and go_on and not run.checkpointer.restore():
        folder.rewrite_history([])
    with one_thread() if kind.count * len(found.problem.fields) <= _SMALL else nullcontext():
        run.run()
    solution = run.solution()
    finish(solution, folder, bar, list(specification.problem.warnings), estimate=estimate)
    return solution


def _chosen(found: Evolution, windows: Windows, seed: int) -> Kind:
    low, high = found.problem.bounds[found.axis]
    count = _TRIED if windows.is_adaptive else int(windows.windows)
    return choose_kind(found, windows.features, (high - low) / count, seed)
