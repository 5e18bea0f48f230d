"""What the commands do when all is well."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import xarray as xr

import qres

from .conftest import DECAY

KEYS = {
    "problem", "network", "widths", "parameters", "seed", "optimizer", "iterations", "seconds", "cpu_seconds",
    "stopped", "loss", "weights", "errors", "unknowns", "run", "estimate",
}  # fmt: skip


@pytest.mark.parametrize("command", [(), ("solve",), ("resume",), ("predict",), ("show",), ("list",)])
def test_help(qres_command, command):
    result = qres_command(*command, "--help")
    assert (result.status, result.err) == (0, "")
    assert "Usage" in result.out


def test_version(qres_process):
    result = qres_process("--version")
    assert result.status == 0
    assert result.out.startswith("qres 0.")


def test_list(qres_command):
    result = qres_command("list")
    assert result.status == 0
    assert "burgers" in result.out


def test_solve_ends_with_one_json_object(finished):
    folder, result = finished
    assert result.status == 0, result.err
    summary = json.loads(result.out.splitlines()[-1])
    assert set(summary) == KEYS
    assert summary["problem"] == "decay"
    assert summary["widths"] == [1, 5, 1]
    assert summary["seed"] == 7
    assert summary["iterations"] == 60
    assert summary["errors"]["u"] < 1e-2
    assert summary["unknowns"] == {}
    assert summary["run"] == "run"
    assert "compiling" in result.err  # progress goes to standard error
    assert "constants" in (folder / "specification.toml").read_text()
    np.testing.assert_allclose(qres.load(folder / "solution.qres")(x=1.0), np.exp(-2), rtol=0.05)


def test_show(qres_command, finished):
    folder, solved = finished
    shown = qres_command("show", folder, "--json")
    assert json.loads(shown.out) == json.loads(solved.out.splitlines()[-1])
    text = qres_command("show", folder / "solution.qres")
    assert text.status == 0
    assert "decay" in text.out and "ssbroyden" in text.out


def test_predict_at_a_point(qres_command, finished):
    result = qres_command("predict", finished[0], "--at", "x=0.5", "--field", "u", "--field", "u_x")
    solution = qres.load(finished[0] / "solution.qres")
    found = dict(line.split(" = ") for line in result.out.splitlines())
    assert set(found) == {"u", "u_x"}
    np.testing.assert_allclose(float(found["u_x"]), solution("u_x", x=0.5), rtol=1e-12)


def test_predict_on_a_grid(qres_command, finished, tmp_path):
    expected = qres.load(finished[0] / "solution.qres").to_xarray((11,))
    for name in ("a.nc", "a.csv", "a.npz"):
        result = qres_command("predict", finished[0], "--grid", "11", "-o", tmp_path / name)
        assert result.status == 0, result.err
    with xr.open_dataset(tmp_path / "a.nc") as dataset:
        np.testing.assert_allclose(dataset["u"], expected["u"], rtol=1e-12)
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    np.testing.assert_allclose([float(row["u"]) for row in rows], expected["u"], rtol=1e-12)
    np.testing.assert_allclose(np.load(tmp_path / "a.npz")["x"], expected["x"])


def test_predict_at_the_points_of_a_file(qres_command, finished, tmp_path):
    (tmp_path / "places.csv").write_text("name,x\n1,0.25\n2,0.5\n3,9\n")
    result = qres_command("predict", finished[0], "--at", "places.csv", "-o", "values.csv", cwd=tmp_path)
    assert result.status == 0 and "x = 9 is outside the domain" in result.err
    with (tmp_path / "values.csv").open() as file:
        rows = list(csv.DictReader(file))
    expected = qres.load(finished[0] / "solution.qres")(x=np.array([0.25, 0.5]))
    np.testing.assert_allclose([float(row["u"]) for row in rows[:2]], expected, rtol=1e-12)
    assert [list(row) for row in rows] == [["x", "u"]] * 3


def test_predict_formulas_along_a_line(qres_command, finished, tmp_path):
    solution = qres.load(finished[0] / "solution.qres")
    places, expected = np.linspace(0, 1, 5), solution("u^2 + x", x=np.linspace(0, 1, 5))
    found = qres_command("predict", finished[0], "--at", "x=0:1:5", "--field", "q = u^2 + x")
    rows = list(csv.DictReader(found.out.splitlines()))
    np.testing.assert_allclose([float(row["x"]) for row in rows], places)
    np.testing.assert_allclose([float(row["q"]) for row in rows], expected, rtol=1e-12)
    options = ("--at", "x=0:1:5", "--field", "q = u^2 + x", "-o", "line.nc")
    assert qres_command("predict", finished[0], *options, cwd=tmp_path).status == 0
    with xr.open_dataset(tmp_path / "line.nc") as dataset:
        np.testing.assert_allclose(dataset["q"], expected, rtol=1e-12)


def test_predict_integrals_and_extrema(qres_command, finished):
    result = qres_command("predict", finished[0], "--field", "u", "--integral", "--maximum")
    lines = result.out.splitlines()
    assert float(lines[0].removeprefix("integral of u = ")) == pytest.approx((1 - np.exp(-4)) / 2, abs=1e-2)
    assert lines[1].startswith("maximum of u = ") and " at x=" in lines[1]


# The command itself, but with a checkpoint after every call of a few iterations.
PROGRAM = """
from qres.training.loop import _budget, _checkpointer
_checkpointer._SECONDS, _checkpointer._SHARE, _budget._CALL_SECONDS = 0.0, 1e9, 0.01
from qres.cli import main
"""
# The same, killed when it is about to write its fifth checkpoint: what was done after the fourth is lost.
KILLED = """
import itertools, os, signal
from qres.runs import RunFolder
save, count = RunFolder.save_checkpoint, itertools.count(1)
def killed(*arguments):
    if next(count) == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    save(*arguments)
RunFolder.save_checkpoint = killed
"""


def start(folder, *arguments, kill=False):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM + (KILLED if kill else "") + "main()", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def wait_for(path):
    for _ in range(3000):
        if path.exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} never came")


def test_after_sigkill_resume_ends_at_the_same_bits(qres_command, decay):
    folder = decay.parent
    options = (
        "decay.toml",
        "--optimizer",
        "adam",
        "--iterations",
        6000,
        "--set",
        "resample_every=1000",
        "--json",
    )
    whole = qres_command("solve", *options, "--out", "whole", cwd=folder)
    process = start(folder, "solve", *options, "--out", "cut", kill=True)
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "cut" / "solution.qres").exists()
    shown = qres_command("predict", "cut", "--at", "x=1", cwd=folder)
    assert shown.status == 2
    assert "qres resume cut" in shown.err
    resumed = qres_command("resume", "cut", "--json", cwd=folder)
    assert resumed.status == 0, resumed.err
    one, two = (json.loads(result.out.splitlines()[-1]) for result in (whole, resumed))
    for key in ("loss", "errors", "iterations", "stopped"):
        assert one[key] == two[key]


def test_ctrl_c_stops_cleanly_with_a_solution(qres_command, decay):
    folder = decay.parent
    process = start(
        folder, "solve", "decay.toml", "--optimizer", "adam", "--iterations", 10**9, "--json", "--out", "run"
    )
    wait_for(folder / "run" / "checkpoint.safetensors")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    summary = json.loads(out.splitlines()[-1])
    assert summary["stopped"]["reason"] == "interrupted"
    assert summary["iterations"] >= 1
    assert (folder / "run" / "solution.qres").exists()
    assert (folder / "run" / "report.html").exists()


def test_a_numerical_failure_is_exit_status_1(qres_command, decay):
    decay.write_text(
        decay.read_text().replace('"u_x = -k*u"', '"u_x = sqrt(-1 - u^2)"').replace("exact", "#")
    )
    result = qres_command("solve", decay, "--iterations", 5, "--out", "run", cwd=decay.parent)
    assert result.status == 1
    assert "not finite" in result.out
    assert "Traceback" not in result.err


def test_json_is_json_where_the_loss_is_not_a_number(qres_command, tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text(DECAY.replace('"u_x = -k*u"', '"u_x = sqrt(-1 - u^2)"').replace("exp(-k*x)", "1"))
    options = ("--iterations", 5, "--no-estimate", "--out", "run", "--json")
    solved = qres_command("solve", file, *options, cwd=tmp_path)
    shown = qres_command("show", "run", "--json", cwd=tmp_path)
    assert (solved.status, shown.status) == (1, 0)

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    lines = [
        solved.out.splitlines()[-1],
        shown.out,
        *(tmp_path / "run" / "history.jsonl").read_text().splitlines(),
    ]
    for line in lines:
        assert json.loads(line, parse_constant=refuse)["loss"] == "NaN"
    assert json.loads(shown.out)["stopped"]["reason"] == "not_finite"
