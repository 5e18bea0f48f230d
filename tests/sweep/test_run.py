"""Sweeps on this machine, in real processes: done once, found again, cut off, killed, together."""

import contextlib
import json
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psutil
import pytest
from filelock import FileLock

from qres.results import Record
from qres.runtime.errors import InputError
from qres.sweep import Job, run
from qres.sweep._outcome import describe
from qres.sweep._process import Process, Processes, available_cores, shares
from qres.sweep._run import _prepare

from .conftest import ENDLESS, KILLED, is_alive, jobs_of, wait_for, write_decay

KEYS = {
    "problem", "network", "widths", "parameters", "seed", "optimizer", "iterations", "seconds", "cpu_seconds",
    "stopped", "loss", "errors", "unknowns", "run", "versions",
}  # fmt: skip


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Two runs that are well and one that cannot be."""
    folder = tmp_path_factory.mktemp("swept")
    problem = write_decay(folder)
    good = jobs_of(problem, (0, 1))
    bad = Job("bad", problem, overrides={"weights": {"nothing": 1.0}})
    jobs = [good[0], bad, good[1]]
    affinity: dict[int, set[int]] = {}
    over = threading.Event()

    def watch():
        while not over.wait(0.1):
            for pid in _children():
                with contextlib.suppress(ProcessLookupError):
                    affinity[pid] = os.sched_getaffinity(pid)

    watcher = threading.Thread(target=watch)
    watcher.start()
    outcomes = run(jobs, folder / "sweep", progress=False)
    over.set()
    watcher.join()
    return jobs, outcomes, folder / "sweep", affinity


def test_every_run_has_its_folder(swept):
    jobs, outcomes, folder, _ = swept
    assert [outcome.job for outcome in outcomes] == jobs
    for job, outcome in ((jobs[0], outcomes[0]), (jobs[2], outcomes[2])):
        assert outcome.error is None
        assert outcome.folder == folder / f"{job.name}-{job.key[:8]}"
        assert set(outcome.result.to_dict()) >= KEYS and outcome.date
        assert outcome.result is not None and outcome.result.iterations == 20
        assert outcome.result.run == str(outcome.folder)
        assert outcome.history()[-1].total == 20
        assert outcome.solution().result.seed == job.seed
        assert (outcome.folder / "report.html").exists()
        result = json.loads((outcome.folder / "result.json").read_text())
        assert (result["key"], result["seed"]) == (job.key, job.seed)
        assert result["duration"] > 0
        assert result["specification"]["network"].items() >= {"width": 2, "depth": 1}.items()
    first, third = outcomes[0].result, outcomes[2].result
    assert first is not None and third is not None and first.errors != third.errors


def test_a_failure_is_told_and_stops_no_other(swept):
    outcomes = swept[1]
    failed = outcomes[1]
    assert "nothing" in failed.error
    assert failed.result is None
    assert not (failed.folder / "result.json").exists()
    assert "Traceback" in (failed.folder / "error.txt").read_text()
    with pytest.raises(InputError, match=r"no solution in it: .*nothing"):
        failed.solution()


def test_what_is_done_is_found_again(swept, capfd):
    jobs, outcomes, folder, _ = swept
    with ThreadPoolExecutor(1) as pool:
        pool.shutdown()  # whoever gives it a job gets an error
        again = run([jobs[2], jobs[0]], folder, executor=pool)
    assert [one.result for one in again] == [outcomes[2].result, outcomes[0].result]
    assert "2 of them found done" in capfd.readouterr().err
    (renamed,) = run([replace(jobs[0], name="other")], folder, progress=False)
    assert (renamed.folder, renamed.result) == (outcomes[0].folder, outcomes[0].result)


def test_a_result_of_something_else_does_not_count(swept, tmp_path):
    jobs = swept[0]
    folder = tmp_path / jobs[0].folder_name
    folder.mkdir()
    for content in ("", "[]", '{"key": "other"}', json.dumps({"key": jobs[0].key})):
        (folder / "result.json").write_text(content)
        with ThreadPoolExecutor(1) as pool:
            outcome = run(jobs[:1], tmp_path, executor=_Refusing(pool), progress=False)[0]
        assert outcome.error == "RuntimeError: was asked"


class _Refusing(ThreadPoolExecutor):
    """Says that it was asked to work, which is all that is to be known."""

    def __init__(self, pool):
        super().__init__(1)

    def submit(self, *arguments, **named):  # pyright: ignore[reportIncompatibleMethodOverride]
        def refuse():
            raise RuntimeError("was asked")

        return super().submit(refuse)


def test_shares_of_the_cores():
    assert shares((0, 1, 2, 3), 4) == [(0,), (1,), (2,), (3,)]
    assert shares((0, 1, 4, 5, 7), 2) == [(0, 1), (4, 5, 7)]
    assert shares((3, 6), 1) == [(3, 6)]


@pytest.mark.parametrize(("quota", "devices"), [(2, {1}), (3, {2}), (8, {4})])
def test_a_quota_leaves_each_process_fewer_devices_than_its_share_has_cores(monkeypatch, quota, devices):
    """Which cores they run on is up to the system: others in the container's place have the same ones."""
    given = []
    monkeypatch.setattr("qres.sweep._process.available_cores", lambda: tuple(range(8)))
    monkeypatch.setattr("qres.sweep._process.cores", lambda: quota)
    monkeypatch.setattr("qres.sweep._process.Worker", given.append)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)
    processes = Processes(2)
    for _ in range(2):
        processes._bind()
    assert set(given) == devices


def test_processes_share_the_cores_and_take_no_other(swept):
    cores = set(available_cores())
    used = list(swept[3].values())
    assert len(used) == min(len(cores), 3)
    assert set.union(*used) == cores
    assert sum(map(len, used)) == len(cores)
    assert not any(map(is_alive, swept[3]))
    assert os.sched_getaffinity(0) == cores


def _children():
    """The worker processes that this process has started."""
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            found += [child.pid] * ("qres.sweep._worker" in child.cmdline())
    return found


def test_a_process_that_is_killed_is_followed_by_one_that_goes_on(decay, tmp_path):
    (job,) = jobs_of(decay, [0], KILLED)
    folder = tmp_path / job.folder_name
    before = {}

    def kill():
        wait_for((folder / "checkpoint.safetensors").exists)
        before["history"] = (folder / "history.jsonl").read_text().splitlines()
        os.kill(_children()[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    (outcome,) = run([job], tmp_path, progress=False)
    killer.join()
    assert outcome.error is None
    assert outcome.result is not None and outcome.result.iterations == KILLED
    history = outcome.history()
    assert (
        Record.from_dict(json.loads(before["history"][0])) == history[0]
    )  # the clock of the first process: it did not begin anew
    totals = [record.total for record in history]
    assert totals == sorted(set(totals))


def test_a_process_ends_with_its_parent(decay, tmp_path):
    (job,) = jobs_of(decay, [0], ENDLESS)
    _prepare(job, tmp_path)
    folder = tmp_path / job.folder_name
    process = Process(1, None)
    asking = threading.Thread(target=process.ask, args=({"path": str(folder), "job": describe(job)},))
    asking.start()
    wait_for((folder / "history.jsonl").exists)
    # As the system does when a parent dies, however it dies:
    process._process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
    assert process._process.wait(30) == 0
    asking.join()
    process.close()
    with FileLock(folder / ".lock", timeout=0):
        assert not (folder / "result.json").exists()


def test_two_sweeps_in_one_folder(decay, tmp_path):
    jobs = jobs_of(decay, (0, 1))
    with ThreadPoolExecutor(2) as pool:
        sweeps = [
            pool.submit(run, order, tmp_path / "sweep", workers=1, progress=False)
            for order in (jobs, jobs[::-1])
        ]
        one, two = (sweep.result(200) for sweep in sweeps)
    assert [outcome.error for outcome in (*one, *two)] == [None] * 4
    assert [outcome.result for outcome in one] == [outcome.result for outcome in two[::-1]]
    for outcome in one:  # each was done once
        assert [r.total for r in outcome.history()] == sorted({r.total for r in outcome.history()})


def test_a_damaged_checkpoint_is_as_good_as_none(decay, tmp_path):
    (job,) = jobs_of(decay, [0], 3)
    folder = tmp_path / job.folder_name
    folder.mkdir()
    (folder / "checkpoint.safetensors").write_bytes(b"nonsense")
    with ThreadPoolExecutor(1) as pool:
        (outcome,) = run([job], tmp_path, executor=pool, progress=False)
        assert pool.submit(int).result() == 0  # an executor of the user stays open
    assert outcome.error is None
    assert outcome.result is not None and outcome.result.iterations == 3


def test_a_full_disk_costs_no_checkpoint(decay, tmp_path, monkeypatch):
    (job,) = jobs_of(decay, [0], 3)
    folder = tmp_path / job.folder_name
    folder.mkdir()
    (folder / "checkpoint.safetensors").write_bytes(b"precious")

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr("qres.sweep._work.resume", full)
    with ThreadPoolExecutor(1) as pool:
        (outcome,) = run([job], tmp_path, executor=pool, progress=False)
    assert "no space left" in (outcome.error or "")
    assert (folder / "checkpoint.safetensors").read_bytes() == b"precious"


WRONG = {
    "an unknown executor": (
        {"executor": "threads"},
        "'threads' is not known; allowed: processes, in-process, dask:ADDRESS",
    ),
    "no workers": ({"workers": 0}, "workers must be a whole number of 1 or more, not 0"),
    "workers of a cluster": (
        {"workers": 2, "executor": "dask:tcp://127.0.0.1:1"},
        "workers=2: only of processes",
    ),
    "a cluster that is not there": (
        {"executor": "dask:tcp://127.0.0.1:1"},
        "no Dask scheduler answers there",
    ),
    "an address that is none": ({"executor": "dask:nowhere at all"}, "no Dask scheduler answers there"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(decay, tmp_path, monkeypatch, name):
    options, says = WRONG[name]
    monkeypatch.setattr("qres.sweep._cluster._CONNECT_SECONDS", 1)
    with pytest.raises(InputError) as raised:
        run(jobs_of(decay, [0], ENDLESS), tmp_path / "sweep", progress=False, **options)
    assert says in str(raised.value)


def test_names_must_differ(decay, tmp_path):
    with pytest.raises(InputError, match="2 have the name 'a'"):
        run([Job("a", decay), Job("a", decay, 1)], tmp_path)


def test_a_folder_that_cannot_be(decay, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        run(jobs_of(decay, [0]), tmp_path / "file", progress=False)


def test_nothing_to_do(tmp_path):
    assert run([], tmp_path, progress=False) == []
