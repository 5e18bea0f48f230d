"""Worker processes on this machine, each with its own share of the cores."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from qres.results import dumps, loads
from qres.runtime.cores import cores

from ._work import FAILED, INTERRUPTED, Answer, devices_of

Cores = tuple[int, ...]
_JOBS_A_PROCESS = 8  # then a fresh one, whatever memory the old one has gathered
_DEVICES = "JAX_NUM_CPU_DEVICES"
_LIMITS = (_DEVICES, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# A run of a sweep is a process of its own, whatever its parent has joined.
_JOINING = ("JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "QRES_DISTRIBUTED")
_PATIENCE = 30.0  # seconds for a process to end after it was asked to


def available_cores() -> Cores:
    """The cores that this process may run on; a quota may leave it the time of fewer (`runtime.cores`)."""
    try:
        return tuple(sorted(os.sched_getaffinity(0)))
    except AttributeError:
        return tuple(range(os.cpu_count() or 1))


def shares(cores: Cores, workers: int) -> list[Cores]:
    """The cores in as many shares as there are workers, which differ by one core at most; none is in two."""
    bounds = [len(cores) * i // workers for i in range(workers + 1)]
    return [cores[a:b] for a, b in pairwise(bounds)]


class Process:
    """A worker process, which is given one task after another. It ends by itself when its parent does."""

    def __init__(self, cores: int, devices: int | None) -> None:
        limits = dict.fromkeys(_LIMITS, str(cores))
        own = {name: value for name, value in os.environ.items() if name not in _JOINING}
        needed = {} if devices is None else {_DEVICES: str(devices)}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "qres.sweep._worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            env={**limits, **own, **needed},
            start_new_session=True,  # Ctrl-C is for the parent, which passes it on
        )  # fmt: skip
        self.tasks, self.devices = 0, devices

    def ask(self, task: Mapping[str, Any]) -> Answer | None:
        """The answer to a task; None where the process died over it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self.tasks += 1
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(dumps(task) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        return loads(line) if line.endswith("\n") else None

    def interrupt(self) -> None:
        """Ask it to stop; it then saves a checkpoint and answers."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def why(self) -> str:
        """Why it died: the signal, or what it last_lines last."""
        code = self._process.wait(_PATIENCE)
        if code < 0:
            hint = ": is there enough memory?" if -code == signal.SIGKILL else ""
            return f"the process was ended by {signal.Signals(-code).name}{hint}"
        self._errors.seek(0)
        last_lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"the process ended with status {code}: {last_lines[-1] if last_lines else 'it last_lines nothing'}"

    def close(self) -> None:
        """End it, when it has nothing to do, and everything that belongs to it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()


class Worker:
    """One process after another: a fresh one after some jobs, and once more where one died over a job."""

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._process: Process | None = None
        self._stopping = False

    def answer(self, task: Mapping[str, Any]) -> Answer:
        """Have a job done; the process that follows one that died goes on from the checkpoint."""
        why = ""
        for _ in range(2):
            if self._stopping:
                break
            process = self._ready(devices_of(Path(task["path"])))
            if (answer := process.ask(task)) is not None:
                return answer
            why = process.why()
            self.close()
        return {"status": INTERRUPTED} if self._stopping else {"status": FAILED, "error": why}

    def _ready(self, devices: int | None) -> Process:
        """A process with as many devices as a job was begun with, where it was."""
        if devices == self._cores and _DEVICES not in os.environ:
            devices = None  # as it is anyway
        old = self._process
        if old is not None and (old.tasks >= _JOBS_A_PROCESS or old.devices != devices):
            self.close()
        if self._process is None:
            self._process = Process(self._cores, devices)
        return self._process

    def stop(self) -> None:
        """Ask the process to save what it has and to end its job, without a next one."""
        self._stopping = True
        if self._process is not None:
            self._process.interrupt()

    def kill(self) -> None:
        """End the process at once."""
        self._stopping = True
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process, which has nothing to do."""
        if self._process is not None:
            self._process.close()
            self._process = None


class Processes:
    """Workers on this machine, each a thread that waits for a process: so one that dies takes no other with it.

    A thread is bound to its share of the cores, which its processes inherit: JAX then starts as many devices and
    threads as that share has cores.
    """

    def __init__(self, workers: int) -> None:
        self._most = -(
            -cores() // workers
        )  # devices of a worker, where a quota leaves it fewer than its share
        self._shares: SimpleQueue[Cores] = SimpleQueue()
        for share in shares(available_cores(), workers):
            self._shares.put(share)
        self._own = threading.local()
        self._workers: list[Worker] = []
        self._pool = ThreadPoolExecutor(workers, initializer=self._bind)

    def _bind(self) -> None:
        share = self._shares.get()
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, share)  # of this thread only, and of what it starts
        self._own.worker = Worker(min(len(share), self._most))
        self._workers.append(self._own.worker)

    def submit(self, name: str, task: Mapping[str, Any]) -> Future[Answer]:
        """One more job."""
        return self._pool.submit(self._answer, task)

    def _answer(self, task: Mapping[str, Any]) -> Answer:
        return self._own.worker.answer(task)

    def running(self, pending: Mapping[Future[Answer], str]) -> set[str]:
        """The names of the jobs that have begun."""
        return {name for future, name in pending.items() if future.running()}

    def stop(self) -> None:
        """Ask all processes to stop, and wait until each has saved what it has."""
        for worker in self._workers:
            worker.stop()
        try:
            self._pool.shutdown(cancel_futures=True)
        except KeyboardInterrupt:  # impatience
            for worker in self._workers:
                worker.kill()
            raise

    def close(self) -> None:
        """End all processes."""
        self._pool.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()
