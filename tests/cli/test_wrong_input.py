"""Wrong input: one line on standard error that names the culprit, exit status 2, nothing on standard output."""

import os

import pytest

from qres.runs import RunFolder


def assert_refused(result, *says):
    assert result.status == 2, (result.out, result.err)
    assert result.out == ""
    assert "Traceback" not in result.err
    lines = result.err.strip().splitlines()
    assert len(lines) == 1, result.err
    for text in says:
        assert text in lines[0]


EDITS = {
    "an unknown name": ("u_x = -k*u", "u_x = -kk*u", ["kk", "did you mean 'k'?"]),
    "no such coordinate": ("u_x = -k*u", "u_y = -k*u", ["u_y"]),
    "a condition outside": ("u(0) = 1", "u(3) = 1", ["x = 3 is outside the domain, [0, 2]"]),
    "an empty interval": ("x = [0, 2]", "x = [1, 1]", ["x", "1"]),
    "a reversed interval": ("x = [0, 2]", "x = [2, 0]", ["x", "2"]),
    "code": ("u_x = -k*u", "__import__('os').system('true')", ["__import__"]),
    "broken TOML": ("[problem.domain]", "[problem.domain", ["decay.toml", "not valid TOML"]),
    "an unknown key": ("width = 5", "widht = 5", ["widht", "did you mean 'width'?"]),
    "an unknown section": ("[network]", "[netwrok]", ["netwrok", "did you mean 'network'?"]),
    "zero width": ("width = 5", "width = 0", ["width must be a whole number of 1 or more, not 0"]),
    "a width that is text": ("width = 5", 'width = "five"', ["width", "five"]),
    "no points": ("points = 60", "points = 0", ["points", "not 0"]),
}


@pytest.mark.parametrize("name", EDITS)
def test_wrong_files(qres_command, decay, name):
    before, after, says = EDITS[name]
    assert before in decay.read_text()
    decay.write_text(decay.read_text().replace(before, after))
    assert_refused(qres_command("solve", decay, "--out", decay.parent / "run"), *says)
    assert not (decay.parent / "run").exists()


def test_a_wrong_file_in_a_process_of_its_own(qres_process, decay):
    decay.write_text(decay.read_text().replace("u_x = -k*u", "u_x = -kk*u"))
    assert_refused(qres_process("solve", decay, "--out", decay.parent / "run"), "kk", "did you mean 'k'?")


def test_an_equation_of_ten_megabytes(qres_command, decay):
    decay.write_text(decay.read_text().replace("u_x = -k*u", "u_x = " + "u+" * 5_000_000 + "u"))
    assert_refused(qres_command("solve", decay), "decay.toml", "bytes")


OPTIONS = {
    "zero width": (["--width", 0], ["width must be a whole number of 1 or more, not 0"]),
    "a negative time limit": (["--time-limit", -1], ["time limit", "-1"]),
    "no iterations": (["--iterations", 0], ["iterations", "0"]),
    "an unknown optimizer": (["--optimizer", "adamm"], ["adamm", "did you mean 'adam'?"]),
    "an unknown network": (["--network", "qress"], ["qress", "did you mean 'qres'?"]),
    "an unknown setting": (["--set", "widht=3"], ["widht", "did you mean 'width'?"]),
    "a stage that never ends": (
        ["--optimizer", "ssbroyden,lm", "--time-limit", 5],
        ["ssbroyden comes before another", "ssbroyden:2000"],
    ),
    "robust, and never judged": (["--set", "robust=true", "--set", "resample_every=0"], ["resample_every"]),
    "a setting without a value": (["--set", "width"], ["--set", "width"]),
    "a negative seed": (["--seed", -1], ["seed", "-1"]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_wrong_options(qres_command, decay, name):
    options, says = OPTIONS[name]
    assert_refused(qres_command("solve", decay, *options, "--out", decay.parent / "run"), *says)


def test_missing_things(qres_command, tmp_path):
    assert_refused(qres_command("solve", tmp_path / "missing.toml"), "missing.toml")
    assert_refused(qres_command("solve", "burger"), "burger", "did you mean 'burgers'?")
    assert_refused(qres_command("resume", tmp_path / "nowhere"), "nowhere", "no such folder")
    (tmp_path / "empty").mkdir()
    assert_refused(qres_command("show", tmp_path / "empty"), "empty", "not a run folder")
    assert_refused(qres_command("predict", tmp_path / "none.qres", "--at", "x=1"), "none.qres")


def test_an_unwritable_folder(qres_command, decay):
    (decay.parent / "file").write_text("")
    assert_refused(
        qres_command("solve", decay, "--out", decay.parent / "file" / "run"), "file/run", "cannot be written"
    )


def test_a_damaged_solution(qres_command, finished, tmp_path):
    content = (finished[0] / "solution.qres").read_bytes()
    for name, damaged in {
        "half": content[: len(content) // 2],
        "none": b"",
        "noise": os.urandom(500),
    }.items():
        path = tmp_path / f"{name}.qres"
        path.write_bytes(damaged)
        assert_refused(qres_command("predict", path, "--at", "x=1"), f"{name}.qres")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--at", "x"], ["'x' is not a coordinate and a number"]),
        (["--at", "y=1"], ["missing: x"]),
        (["--at", "x=0:1"], ["'x=0:1' is not a range"]),
        (["--at", "y=0:1:3"], ["not a coordinate: y"]),
        (["--at", "x=1", "--field", "u^"], ["cannot read 'u^'"]),
        (["--at", "x=1", "--integral"], ["all are fixed"]),
        (["--grid", "3", "-o", "a.nc", "--field", "u/2"], ["NetCDF", "q = u/2"]),
        (["--at", "x=1", "--field", "v"], ["'v' is not a field"]),
        (["--grid", "axb", "-o", "a.nc"], ["axb"]),
        (["--grid", "0", "-o", "a.nc"], ["1 or more"]),
        (["--grid", "3x3", "-o", "a.nc"], ["3x3"]),
        (["--grid", "3"], ["-o"]),
        (["--at", "places.csv"], ["-o"]),
        (["--at", "x=1", "-o", "a.csv"], ["a.csv", "printed"]),
        (["--at", "places.csv", "-o", "a.csv"], ["places.csv"]),
        (["--grid", "3", "-o", "a.xlsx"], ["a.xlsx", ".nc"]),
        (["--grid", "3", "-o", "no/such/a.csv"], ["no/such/a.csv"]),
        (["--grid", "3", "-o", f"{__file__}/a.csv"], ["test_wrong_input.py/a.csv"]),
        ([], ["--at"]),
    ],
)
def test_wrong_predictions(qres_command, finished, tmp_path, options, says):
    assert_refused(qres_command("predict", finished[0], *options, cwd=tmp_path), *says)


def test_too_few_conditions_are_a_warning(qres_command, decay):
    decay.write_text(decay.read_text().replace('["u(0) = 1"]', "[]"))
    result = qres_command("solve", decay, "--iterations", 2, "--out", decay.parent / "run")
    assert result.status == 0
    assert "warning" in result.err


def test_files_that_are_no_runs_are_not_overwritten(qres_command, decay):
    for name in ("data-1.npz", "history.jsonl", "reference.csv"):
        (decay.parent / name).write_text("mine")
        assert_refused(qres_command("solve", decay, "--out", decay.parent), name, "might overwrite")
        assert (decay.parent / name).read_text() == "mine"
        (decay.parent / name).unlink()


def test_one_process_at_a_time(qres_process, finished):
    with RunFolder.open(finished[0]).locked():
        refused = qres_process("resume", finished[0], "--iterations", 1000)
    assert_refused(refused, "another process is at work on this run")
