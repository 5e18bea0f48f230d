"""Progress of many runs, read from their histories."""

import pytest

from qres.results import Record, dumps
from qres.sweep import Outcome
from qres.sweep._display import Display, last_record, remaining

from .conftest import jobs_of


def record(total, seconds):
    return Record(total, total, 0, "adam", seconds, loss=0.25, errors={"u": 0.5})


@pytest.fixture
def jobs(decay):
    return jobs_of(decay, range(4), 100)


def begin(job, folder):
    path = folder / job.folder_name
    path.mkdir()
    with (path / "history.jsonl").open("w") as file:
        for each in (record(1, 10.0), record(20, 12.0)):
            file.write(dumps(each.to_dict()) + "\n")
        file.write('{"total": 21, "iter')  # being written
    return path


def test_the_last_whole_record(jobs, tmp_path):
    assert last_record(tmp_path / "nowhere") is None
    assert last_record(begin(jobs[0], tmp_path)) == record(20, 12.0)


def test_the_time_that_is_left(jobs, decay):
    specification = jobs[0].specification()
    assert remaining(specification, record(1, 10.0), record(1, 10.0)) is None
    assert remaining(specification, record(1, 10.0), record(21, 12.0)) == pytest.approx(79 * 0.1)
    limited = jobs_of(decay, [0], 100, optimizer={"iterations": 100, "time_limit": 15.0})[0].specification()
    assert remaining(limited, record(1, 10.0), record(21, 12.0)) == pytest.approx(3.0)
    staged = jobs_of(decay, [0], optimizer={"stages": "adam:50,lbfgsb", "iterations": 60})[0].specification()
    assert remaining(staged, record(1, 10.0), record(21, 12.0)) == pytest.approx(89 * 0.1)


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_shown(jobs, tmp_path, monkeypatch, capfd, terminal):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.setattr("qres.sweep._display._LINE_SECONDS", 0)
    begin(jobs[0], tmp_path)
    with Display(tmp_path, jobs, jobs[:3], visible=True) as display:
        display.finished(Outcome(jobs[1], None, tmp_path, "it broke"))
        display.show({jobs[0].name})
    shown = capfd.readouterr().err
    assert "4 runs, 1 of them found done" in shown
    assert "decay-seed0" in shown and "adam 20  loss 2.50e-01  error u 5.00e-01" in shown
    assert "failed: decay-seed1: it broke" in shown
    assert ("1 done · 1 running · 1 failed · 1 left" in shown) == terminal
    assert ("[2/4] decay-seed1: failed: it broke" in shown) == (not terminal)


def test_nothing_is_shown_where_nobody_looks(jobs, tmp_path, capfd):
    with Display(tmp_path, jobs, jobs, visible=False) as display:
        display.finished(Outcome(jobs[1], None, tmp_path, "it broke"))
        display.show({jobs[0].name})
    assert capfd.readouterr() == ("", "")
