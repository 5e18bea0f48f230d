"""Jobs run sequentially in this process: those with objects that no other process knows."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from qres.results import Stop
from qres.training import RunView

from ._job import Job
from ._work import Answer, perform


class InProcess:
    """A thread of this process. A run that is stopped ends at its next record, with a checkpoint."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = {job.folder_name: job for job in jobs}
        self._thread = ThreadPoolExecutor(1)
        self._stopping = threading.Event()

    def submit(self, name: str, task: Mapping[str, Any]) -> Future[Answer]:
        """One more job."""
        own = self._jobs[name].own.options()
        return self._thread.submit(perform, **task, options={**own, "callbacks": [self._check]})

    def _check(self, run: RunView) -> Stop | None:
        return Stop.INTERRUPTED if self._stopping.is_set() else None

    def running(self, pending: Mapping[Future[Answer], str]) -> set[str]:
        """The names of the jobs that have begun."""
        return {name for future, name in pending.items() if future.running()}

    def stop(self) -> None:
        """End the job that is under way at its next record."""
        self._stopping.set()
        self._thread.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Nothing more is to come."""
        self._thread.shutdown(wait=True, cancel_futures=True)
