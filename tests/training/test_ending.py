"""After the training: limits of time, Ctrl-C as a wish to skip, and what of the machine is told."""

import os
import signal
import time

import pytest

import qres
from qres.results import Estimate
from qres.runtime.limited import GivenUp, limited
from qres.solution import Solution
from qres.training import _ending, _machine

DECAY = qres.Problem("u_x = -u", {"x": (0, 1)}, "u(0) = 1")
SMALL = qres.Architecture(width=4, depth=1)
FEW = qres.Sampling(points=50)


def work(seconds: float) -> str:
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        sum(range(1000))
    return "done"


def test_work_within_its_limit_is_done_and_other_work_is_given_up():
    before = signal.getsignal(signal.SIGINT)
    assert limited(lambda: work(0.01), 60.0) == "done"
    with pytest.raises(GivenUp, match="given up after 0 s of processor time"):
        limited(lambda: work(60.0), 0.05)
    assert work(0.1) == "done", "the timer is off"
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_skips_the_work(number):
    with pytest.raises(GivenUp, match="skipped"):
        limited(lambda: os.kill(os.getpid(), number) or work(60.0), 60.0)


def run(path, **options):
    return qres.solve(DECAY, SMALL, sampling=FEW, iterations=20, run=path, **options)


def test_ctrl_c_during_the_estimate_skips_it_and_keeps_the_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Solution, "estimate", lambda *_: os.kill(os.getpid(), signal.SIGINT) or work(60))
    solution = run(tmp_path / "run")
    assert solution.result.estimate is not None
    assert solution.result.estimate.verdict.startswith("not known: the estimate was skipped by Ctrl-C")
    assert (tmp_path / "run" / "report.html").exists()
    assert "Ctrl-C skips it" in capsys.readouterr().err
    assert qres.load(tmp_path / "run" / "solution.qres").result.stopped == solution.result.stopped


def test_an_estimate_that_takes_too_long_is_a_coarse_one(tmp_path, monkeypatch, capsys):
    coarse = Estimate({"u": 0.01}, verdict="rough")
    monkeypatch.setattr(_ending, "_QUICK_UP_TO", 0)
    monkeypatch.setattr(_ending, "_LEAST", 0.1)
    monkeypatch.setattr(_ending, "END_SHARE", 1e-9)
    monkeypatch.setattr(Solution, "estimate", lambda _, effort=1.0: coarse if effort < 1 else work(60))
    assert run(tmp_path / "run").result.estimate == coarse
    assert "the estimate is a coarse one: a closer look was given up after" in capsys.readouterr().err


def test_intervals_can_be_skipped(tmp_path, monkeypatch):
    problem = qres.Problem(
        "u_x = -k*u", {"x": (0, 1)}, "u(0) = 1", unknowns={"k": 0.5}, data={"x": [0.5, 1], "u": [0.6, 0.37]}
    )
    monkeypatch.setattr(_ending, "find_intervals", lambda *_: os.kill(os.getpid(), signal.SIGINT) or work(60))
    path = tmp_path / "run"
    found = qres.solve(problem, SMALL, sampling=FEW, iterations=20, run=path, estimate=False, progress=False)
    assert found.unknowns["k"].stderr is None
    assert "no intervals of the unknowns: skipped by Ctrl-C" in (path / "report.html").read_text()


def test_a_busy_machine_is_told():
    assert not _machine.busy_note(1.9, 2)
    assert not _machine.busy_note(None, 2)
    assert "about 12.5 programs at work on 2 cores" in _machine.busy_note(12.5, 2)[0]


def test_a_missing_compiler_is_told_and_one_that_is_not_wanted_is_not(tmp_path, monkeypatch):
    model = run(None, progress=False).model
    monkeypatch.setattr(_machine, "_load", lambda: None)
    monkeypatch.delenv("QRES_NATIVE", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _machine.machine_notes(model)[0].startswith("no C++ compiler is found (CXX, c++, g++, clang++)")
    monkeypatch.setenv("QRES_NATIVE", "0")
    assert not _machine.machine_notes(model)
