"""`qres identify`, for real: a file, other data, held-out points, and what is wrong with input."""

import json

import numpy as np
import pytest

PROBLEM = """
[problem]
name = "decay"
equations = ["u_t = -k*u"]
conditions = ["u(0) = 1"]
[problem.unknowns]
k = { start = 0.2, positive = true, true = 0.7 }
[problem.data]
file = "missing.csv"
[problem.data.columns]
u = "amount"
[problem.domain]
t = [0, 3]
[network]
width = 5
depth = 1
[sampling]
points = 50
resample_every = 50
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "decay.toml").write_text(PROBLEM)
    t = np.linspace(0, 3, 30)
    u = np.exp(-0.7 * t) + 0.01 * np.random.default_rng(0).standard_normal(30)
    np.savetxt(tmp_path / "points.csv", np.c_[t, u], delimiter=",", header="t,amount", comments="")
    return tmp_path / "decay.toml"


def test_unknowns_come_with_intervals(file, qres_process):
    run = file.parent / "run"
    fit = [
        "identify",
        file,
        "--data",
        file.parent / "points.csv",
        "--iterations",
        "300",
        "--json",
        "--out",
        run,
    ]
    result = qres_process(*fit, "--holdout", "0.1", "--robust")
    assert result.status == 0, result.err
    k = json.loads(result.out.splitlines()[-1])["unknowns"]["k"]
    assert k["percent"] < 10
    assert 0 < k["stderr"] < 0.1
    assert (run / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("old", "new", "data", "message"),
    [
        ("decay", "decay", None, "no such file"),
        ('u = "amount"', 'u = "volume"', "points.csv", "no column 'volume'"),
        ("[problem.unknowns]", "[problem.constants]", "points.csv", "k"),
        ("missing.csv", "missing.docx", None, ".csv"),
    ],
)
def test_wrong_input_is_one_line(file, qres_command, old, new, data, message):
    file.write_text(PROBLEM.replace(old, new))
    result = qres_command("identify", file, *(["--data", file.parent / data] if data else []))
    assert result.status == 2
    assert message in result.err
    assert len(result.err.strip().splitlines()) == 1


def test_a_problem_without_unknowns_has_nothing_to_identify(file, qres_command):
    known = PROBLEM.replace(
        "[problem.unknowns]\nk = { start = 0.2, positive = true, true = 0.7 }", "constants.k = 1"
    )
    file.write_text(known)
    result = qres_command("identify", file, "--data", file.parent / "points.csv")
    assert (result.status, "nothing to identify" in result.err) == (2, True)


def test_standard_deviations_from_a_column(file, qres_command):
    t, u = np.loadtxt(file.parent / "points.csv", delimiter=",", skiprows=1, unpack=True)
    table = np.c_[t, u, np.full(30, 0.01)]
    table[::3, 1:] += 0.5  # as far off, and as unsure
    np.savetxt(file.parent / "unsure.csv", table, delimiter=",", header="t,amount,sd", comments="")
    file.write_text(PROBLEM.replace('file = "missing.csv"', 'file = "unsure.csv"\nnoise = { u = "sd" }'))
    run = file.parent / "run"
    result = qres_command("identify", file, "--iterations", 300, "--json", "--out", run)
    found = json.loads(result.out.splitlines()[-1])
    assert found["unknowns"]["k"]["percent"] < 5
    assert "not used" not in result.err
    again = qres_command("resume", run, "--iterations", 310, "--json")
    assert json.loads(again.out.splitlines()[-1])["noise"] == found["noise"]
