"""Jobs on a running Dask cluster, which receives functions and plain data only."""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

from qres.runs import CHECKPOINT, RunFolder
from qres.runtime.cores import cores
from qres.runtime.errors import InputError, shorten
from qres.runtime.files import replace_file

from ._outcome import RESULT
from ._process import Worker
from ._work import DONE, Answer

_CONNECT_SECONDS = 10
_LOOK_SECONDS = 2.0  # between two questions to the scheduler about what is running
_WATCH_SECONDS = 1.0  # between two looks of a worker at whether its job is still wanted


class Cluster:
    """Workers of a Dask cluster.

    A worker that sees the sweep's folder works in it: when the worker dies, Dask gives the job to another one, which
    goes on from the checkpoint. A worker that does not, because the machines share no files, gets specification and
    measurements as data, works in its own scratch folder and sends the result's files back; when it dies, the job
    restarts, except on the same machine. A mark in the folder tells which it is.
    """

    def __init__(self, address: str, folder: Path) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError(f"executor 'dask:{address}' needs Dask: pip install 'qres-pde[dask]'") from None
        try:
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"executor {shorten(f'dask:{address}')!r}: no Dask scheduler answers there "
                f"({shorten(str(error) or type(error).__name__)}); start one with: dask scheduler"
            ) from None
        self._executor = self._client.get_executor(pure=False)
        self._mark = folder / f".sweep-{uuid.uuid4().hex}"
        self._mark.touch()
        self._futures: dict[Future[Answer], str] = {}
        self._seen: tuple[float, set[str]] = (0.0, set())

    def submit(self, name: str, task: Mapping[str, Any]) -> Future[Answer]:
        """One more job."""
        threads = Counter[str]()
        for worker in self._client.scheduler_info(n_workers=-1)["workers"].values():
            threads[worker["host"]] += worker["nthreads"]
        key = f"{name}-{uuid.uuid4().hex}"
        future = self._executor.submit(
            perform_remotely,
            dict(task),
            _to_send(Path(task["path"])),
            str(self._mark),
            dict(threads),
            key=key,
        )
        self._futures[future] = key
        return future

    def running(self, pending: Mapping[Future[Answer], str]) -> set[str]:
        """The names of the jobs that the scheduler has given to a worker."""
        asked, processing = self._seen
        if time.monotonic() - asked > _LOOK_SECONDS:
            processing: Any = self._client.processing()
            processing = {str(key) for keys in processing.values() for key in keys}
            self._seen = time.monotonic(), processing
        return {name for future, name in pending.items() if self._futures[future] in processing}

    def stop(self) -> None:
        """Cancel what is under way; each worker sees that, and has its process save what it has."""
        for future in self._futures:
            future.cancel()

    def close(self) -> None:
        """Leave the cluster as it is, without us."""
        self._mark.unlink(missing_ok=True)
        with contextlib.suppress(CancelledError):
            self._client.close()


def _to_send(path: Path) -> dict[str, bytes]:
    """What a machine needs that does not see the run folder."""
    run = RunFolder(path)
    kept = [file.name for file in (run.specification_file, run.ansatz_file, run.start_file)]
    return {
        file.name: file.read_bytes()
        for pattern in (*kept, "data-*.npz", "reference.*")
        for file in path.glob(pattern)
    }


def perform_remotely(
    task: dict[str, Any], files: dict[str, bytes], mark: str, threads: dict[str, int]
) -> Answer:
    """A job on a worker of the cluster, in a process of its own.

    Args:
        task: as for `perform`.
        files: of the run folder, by name.
        mark: a file that exists where this machine sees the sweep's folder.
        threads: of all workers of the cluster on each host, who share its cores.
    """
    from distributed import get_worker

    here = get_worker()
    shared = Path(mark).exists()
    path = Path(task["path"])
    if not shared:
        path = Path(here.local_directory).parent / "qres-sweep" / path.name
        path.mkdir(parents=True, exist_ok=True)
        for name, content in sorted(files.items()):  # the specification last: it makes the folder a run's
            if not (path / name).exists():
                replace_file(path / name, content)
    host = here.address.rpartition("//")[2].rpartition(":")[0]
    worker = Worker(max(1, cores() // max(1, threads.get(host, here.state.nthreads))))
    with _watch(here, worker):
        answer = worker.answer({**task, "path": str(path)})
    worker.close()
    if not shared and answer["status"] == DONE:
        answer["files"] = _to_return(path)
        shutil.rmtree(path)
    return answer


def _to_return(path: Path) -> dict[str, bytes]:
    """What a run has made, the checkpoint aside, by its place in the run folder; the result last."""
    files = [file for file in path.rglob("[!.]*") if file.is_file() and file.name not in (CHECKPOINT, RESULT)]
    return {str(file.relative_to(path)): file.read_bytes() for file in (*files, path / RESULT)}


@contextlib.contextmanager
def _watch(here: Any, worker: Worker) -> Iterator[None]:
    """Stop the process when nobody wants its job any more: the client cancelled it, or is gone."""
    key, over = here.get_current_task(), threading.Event()

    def look() -> None:
        while not over.wait(_WATCH_SECONDS):
            task = here.state.tasks.get(key)
            if task is None or task.state == "cancelled":
                worker.stop()

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
