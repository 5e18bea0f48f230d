"""`run`: executes jobs, each once, on the available workers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any, Protocol

from qres.runs import RunFolder
from qres.runtime.cores import cores
from qres.runtime.errors import InputError, shorten, whole_number
from qres.runtime.files import replace_file

from ._display import Display
from ._in_process import InProcess
from ._job import Job
from ._outcome import Outcome, describe, find_outcome
from ._process import Processes
from ._work import BUSY, DONE, Answer, perform

IN_PROCESS = "in-process"
_LOOK_SECONDS = 0.5  # between two looks at what the runs have done
_BUSY_SECONDS = 1.0  # until a job at which another sweep is at work is tried again


class Workers(Protocol):
    """Whoever does the jobs."""

    def submit(self, name: str, task: Mapping[str, Any]) -> Future[Answer]:
        """One more job."""
        ...

    def running(self, pending: Mapping[Future[Answer], str]) -> set[str]:
        """The names of the jobs that have begun."""
        ...

    def stop(self) -> None:
        """End the jobs that are under way, keeping what they have."""
        ...

    def close(self) -> None:
        """Nothing more is to come."""
        ...


class Borrowed:
    """Any executor of `concurrent.futures`, whose workers see the same files; it stays open."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, name: str, task: Mapping[str, Any]) -> Future[Answer]:
        """One more job."""
        return self._executor.submit(perform, **task)

    def running(self, pending: Mapping[Future[Answer], str]) -> set[str]:
        """The names of the jobs that have begun."""
        return {name for future, name in pending.items() if future.running()}

    def stop(self) -> None:
        """What runs in somebody else's executor cannot be stopped from here."""

    def close(self) -> None:
        """Not ours to close."""


def run(
    jobs: Sequence[Job],
    folder: str | Path,
    *,
    executor: str | Executor | None = None,
    workers: int | None = None,
    progress: bool = True,
) -> list[Outcome]:
    """Run jobs, each in a run folder of its own, and return their outcomes in the same order.

    A job that was finished before is found again; one that was cut off goes on from its checkpoint. One that fails does
    not stop the others: its outcome has an `error`. Ctrl-C stops all, with a checkpoint each, and raises
    KeyboardInterrupt. Several sweeps may work in one folder at once.

    Args:
        jobs: with different names.
        folder: holds `<name>-<key[:8]>/` for each job.
        executor: `"processes"` on this machine, `"in-process"` for one run after the other in this process,
            `"dask:ADDRESS"` for a running Dask scheduler, or an executor of `concurrent.futures` whose workers see the
            same files. By default processes, or this one where jobs have objects that no other process knows.
        workers: how many processes, each with its share of the cores; by default, and at most, one a core.
        progress: whether to show any, on standard error.
    """
    path = Path(folder).absolute()
    executor = _executor(jobs, executor)
    _check(jobs, executor, workers)
    found = {job.name: find_outcome(job, path) for job in jobs}
    left = [job for job in jobs if found[job.name] is None]
    for job in left:
        _prepare(job, path)
    with Display(path, jobs, left, visible=progress) as display:
        if left:
            crew = _workers(executor, workers, left, path)
            try:
                found |= _drive(crew, left, path, display)
            except KeyboardInterrupt:
                display.log("stopping: every run keeps a checkpoint; Ctrl-C again ends them at once")
                crew.stop()
                raise
            finally:
                crew.close()
    outcomes = [found[job.name] for job in jobs]
    assert all(outcome is not None for outcome in outcomes)
    return outcomes  # pyright: ignore[reportReturnType]


def _check(jobs: Sequence[Job], executor: str | Executor, workers: int | None) -> None:
    names = [job.name for job in jobs]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"jobs: {names.count(name)} have the name {name!r}; names must differ")
    known = executor in ("processes", IN_PROCESS)
    if isinstance(executor, str) and not known and not executor.startswith("dask:"):
        raise InputError(
            f"executor {shorten(repr(executor))} is not known; allowed: processes, in-process, dask:ADDRESS such as "
            "dask:tcp://127.0.0.1:8786"
        )
    if workers is not None:
        whole_number(workers, 1, "workers")
        if executor != "processes":
            raise InputError(f"workers={workers}: only of processes; other executors have their own")


def _prepare(job: Job, folder: Path) -> None:
    """The run folder with its specification and measurements: from then on the job is to resume it."""
    run = RunFolder(folder / job.folder_name)
    specification = job.specification().measured()
    if run.specification_file.exists():
        return
    with run.locked(wait=True):
        if not run.specification_file.exists():
            own = job.own
            run.create(specification, own.network_file(job.seed), own.term_values(specification.problem))


def _executor(jobs: Sequence[Job], executor: str | Executor | None) -> str | Executor:
    """The one that was chosen, if it can do all jobs; else the one that can."""
    here = {job.name: why for job in jobs if (why := job.own.only_here(job.specification()))}
    if executor is None:
        return IN_PROCESS if here else "processes"
    if here and executor != IN_PROCESS:
        name, why = next(iter(here.items()))
        raise InputError(
            f"{name}: {why}, which no other process knows: leave executor out, or register it (qres.extend)"
        )
    return executor


def _workers(executor: str | Executor, workers: int | None, jobs: Sequence[Job], folder: Path) -> Workers:
    if isinstance(executor, Executor):
        return Borrowed(executor)
    if executor == IN_PROCESS:
        return InProcess(jobs)
    if executor == "processes":
        return Processes(min(workers or cores(), cores(), len(jobs)))
    from ._cluster import Cluster

    return Cluster(executor.removeprefix("dask:"), folder)


def _drive(crew: Workers, jobs: Sequence[Job], folder: Path, display: Display) -> dict[str, Outcome]:
    """Hand out all jobs, and take in what comes back; those that another sweep is busy with are tried again."""
    found: dict[str, Outcome] = {}
    waiting: list[tuple[float, Job]] = [(0.0, job) for job in jobs]
    pending: dict[Future[Answer], Job] = {}
    while waiting or pending:
        for due, job in [entry for entry in waiting if entry[0] <= time.monotonic()]:
            waiting.remove((due, job))
            task = {"path": str(folder / job.folder_name), "job": describe(job)}
            pending[crew.submit(job.folder_name, task)] = job
        done, _ = wait(pending, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        if not pending:
            time.sleep(_LOOK_SECONDS)
        for future in done:
            job = pending.pop(future)
            if (outcome := _outcome(job, future, folder)) is None:
                waiting.append((time.monotonic() + _BUSY_SECONDS, job))
            else:
                found[job.name] = outcome
                display.finished(outcome)
        display.show(crew.running({future: job.name for future, job in pending.items()}))
    return found


def _outcome(job: Job, future: Future[Answer], folder: Path) -> Outcome | None:
    """What became of a job; None where another sweep is at work on it."""
    answer: Answer
    try:
        answer = future.result()
    except Exception as error:  # whatever an executor lost, one job is not all of them
        answer = {"status": "failed", "error": f"{type(error).__name__}: {error}"}
    if answer["status"] == BUSY:
        return None
    for name, content in answer.get("files", {}).items():  # from a machine that does not see our folder
        file = folder / job.folder_name / name
        file.parent.mkdir(exist_ok=True)
        replace_file(file, content)
    if answer["status"] == DONE and (outcome := find_outcome(job, folder)) is not None:
        return outcome
    error = answer.get("error") or f"{answer['status']}: no result was written"
    return Outcome(job, None, folder / job.folder_name, error)
