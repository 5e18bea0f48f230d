"""Sweeps on a Dask cluster: a real scheduler and real workers, one of which is killed."""

import os
import re
import signal
import subprocess
import sys
import threading

import pytest
from filelock import FileLock

from qres.sweep import run
from qres.sweep._cluster import Cluster, _to_send
from qres.sweep._display import Display
from qres.sweep._outcome import describe
from qres.sweep._run import _drive, _prepare

from .conftest import ENDLESS, KILLED, jobs_of, wait_for, write_decay


def start(folder, *arguments):
    """A Dask program, and the file with what it says."""
    log = folder / f"{arguments[0]}-{len(list(folder.iterdir()))}.log"
    with log.open("w") as stream:
        command = [sys.executable, "-m", "dask", *arguments]
        return subprocess.Popen(command, stderr=stream, stdout=stream, cwd=folder), log


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a scheduler, and two workers, which may be killed."""
    folder = tmp_path_factory.mktemp("dask")
    scheduler, log = start(folder, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    found = wait_for(lambda: re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text()))
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder))
    workers = [start(folder, "worker", found[1], *options) for _ in range(2)]
    yield found[1], workers
    for process, _ in (*workers, (scheduler, log)):
        process.terminate()
        process.wait(60)


def test_a_worker_that_is_killed_loses_nothing(cluster, tmp_path):
    address, workers = cluster
    jobs = jobs_of(write_decay(tmp_path), (0, 1), KILLED)
    folder = tmp_path / "sweep"
    seen = {}

    def kill():
        wait_for(lambda: len(list(folder.glob("*/checkpoint.safetensors"))) == 2)
        seen["history"] = {file.parent: file.read_text() for file in folder.glob("*/history.jsonl")}
        os.kill(workers[0][0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    outcomes = run(jobs, folder, executor=f"dask:{address}", progress=False)
    killer.join()
    assert [outcome.error for outcome in outcomes] == [None] * 2
    assert [outcome.result and outcome.result.iterations for outcome in outcomes] == [KILLED] * 2
    for outcome in outcomes:  # neither began anew: the first record is still the one of before
        assert (outcome.folder / "history.jsonl").read_text().splitlines()[0] in seen["history"][
            outcome.folder
        ]
    assert workers[0][0].wait(60) == -signal.SIGKILL
    assert not list(folder.glob(".sweep-*"))


def test_machines_that_share_no_files(cluster, tmp_path):
    jobs = jobs_of(write_decay(tmp_path), [7], optimizer={"iterations": 20}, training={"snapshots": [10]})
    folder = tmp_path / "sweep"
    _prepare(jobs[0], folder)
    staff = Cluster(cluster[0], folder)
    staff._mark.unlink()  # what tells a worker that it sees the folder
    try:
        with Display(folder, jobs, jobs, visible=False) as display:
            outcome = _drive(staff, jobs, folder, display)[jobs[0].name]
    finally:
        staff.close()
    assert outcome.error is None
    assert outcome.result is not None and outcome.result.iterations == 20
    assert outcome.solution().result.seed == 7
    assert outcome.history()[-1].total == 20
    assert (outcome.folder / "snapshots" / "10.qres").exists()
    assert not (outcome.folder / "checkpoint.safetensors").exists()  # made elsewhere, and not needed here


def test_a_job_that_nobody_wants_any_more_stops(cluster, tmp_path):
    (job,) = jobs_of(write_decay(tmp_path), [0], ENDLESS)
    folder = tmp_path / "sweep"
    _prepare(job, folder)
    path = folder / job.folder_name
    staff = Cluster(cluster[0], folder)
    try:
        future = staff.submit(job.name, {"path": str(path), "job": describe(job)})
        wait_for(lambda: (path / "history.jsonl").exists() and (path / "history.jsonl").read_text())
        assert staff.running({future: job.name}) == {job.name}
        staff.stop()
        with FileLock(path / ".lock", timeout=100):  # the process has let go of it
            assert (path / "checkpoint.safetensors").exists()
            assert not (path / "result.json").exists()
    finally:
        staff.close()


def test_what_a_machine_needs_that_sees_no_files(tmp_path):
    for name in ("specification.toml", "data-1.npz", "reference.nc", "history.jsonl"):
        (tmp_path / name).write_bytes(name.encode())
    assert sorted(_to_send(tmp_path)) == ["data-1.npz", "reference.nc", "specification.toml"]
