"""`qres sweep`, as people run it."""

import json
import signal
import subprocess
import sys
import time

import pytest

from .test_wrong_input import assert_refused

OVER = ("--over", "width=2,3", "--over", "optimizer=adam", "--seeds", 1, "--iterations", 20, "--out", "sweep")


def test_a_sweep_and_the_same_again(qres_process, qres_command, decay):
    folder = decay.parent
    first = qres_process("sweep", "decay.toml", *OVER, "--json", cwd=folder)
    assert first.status == 0, first.err
    assert "[2/2]" in first.err  # progress goes to standard error
    summary = json.loads(first.out.splitlines()[-1])
    assert summary["folder"] == "sweep"
    assert [row["settings"] for row in summary["rows"]] == [{"width": 2}, {"width": 3}]
    for row in summary["rows"]:
        assert (row["runs"], row["failed"], row["seeds"]) == (1, 0, [0])
        found = row["quantities"]["error u"]
        assert found["min"] == found["median"] == found["max"] == found["values"][0]
    names = {path.name for path in (folder / "sweep").iterdir() if not path.is_dir()}
    assert names == {"summary.csv", "summary.md", "summary.json", "error-against-parameters.png"}

    again = qres_command("sweep", "decay.toml", *OVER, "--json", cwd=folder)
    assert (again.status, again.out) == (0, first.out)
    assert "2 runs, 2 of them found done" in again.err
    table = qres_command("sweep", "decay.toml", *OVER, cwd=folder)
    assert "error u" in table.out and "summary.md" in table.out


def test_help(qres_command):
    result = qres_command("sweep", "--help")
    assert result.status == 0
    assert "optimizer=adam:100+lbfgs" in result.out.replace("\n", "")


def test_a_failure_is_exit_status_1(decay, qres_command):
    result = qres_command("sweep", decay, "--over", "weights.nothing=1", "--out", decay.parent / "sweep")
    assert result.status == 1
    assert "1 failed" in result.out
    assert "failed: decay-nothing1-seed0" in result.err
    assert "Traceback" not in result.err


def test_ctrl_c_keeps_what_there_is(decay):
    command = [sys.executable, "-m", "qres", "sweep", "decay.toml", "--out", "sweep"]
    options = ["--over", "optimizer=adam", "--iterations", str(10**9), "--seeds", "3", "--workers", "1"]
    process = subprocess.Popen([*command, *options], cwd=decay.parent, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 100
    while not any(file.stat().st_size for file in (decay.parent / "sweep").glob("*/history.jsonl")):
        assert time.monotonic() < end
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=100)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert "the same command goes on from here" in said
    assert len(list((decay.parent / "sweep").glob("*/checkpoint.safetensors"))) == 1
    assert not list((decay.parent / "sweep").glob("*/result.json"))


WRONG = {
    "an unknown name": (["--over", "widht=3"], ["widht", "did you mean 'width'?"]),
    "a wrong value": (["--over", "width=0,3"], ["width", "not 0"]),
    "no value": (["--over", "width"], ["width", "name=value"]),
    "no seeds": (["--seeds", 0], ["seeds", "not 0"]),
    "no iterations": (["--iterations", 0], ["iterations", "0"]),
    "a negative time limit": (["--time-limit", -1], ["time limit", "-1"]),
    "an unknown preset": (["--preset", "paper"], ["paper", "no presets"]),
    "an unknown executor": (["--executor", "cloud"], ["cloud", "dask:ADDRESS"]),
    "no workers": (["--workers", 0], ["workers", "not 0"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_options(qres_command, decay, name):
    options, says = WRONG[name]
    assert_refused(qres_command("sweep", decay, *options, "--out", decay.parent / "sweep"), *says)
    assert not (decay.parent / "sweep").exists()


def test_a_missing_problem(qres_command):
    assert_refused(qres_command("sweep", "burger"), "burger", "did you mean 'burgers'?")
