"""Built-in problems, presets, discrete time and references on the command line."""

import json

import pytest
import xarray as xr

import qres

TINY = ("--width", 4, "--depth", 1, "--json")
HEAT = """
[problem]
name       = "heat"
equations  = ["u_t = 0.1*u_xx"]
conditions = ["u(0, x) = cos(pi*x)"]
periodic   = ["x"]
reference  = "spectral"
[problem.domain]
t = [0, 1]
x = [-1, 1]
[time]
stages = 4
to     = 0.5
[network]
width = 6
depth = 1
[sampling]
points         = 40
resample_every = 0
"""


def summary(result):
    assert result.status == 0, result.err
    return json.loads(result.out.splitlines()[-1])


def test_discrete_time_from_a_file_and_on_after_a_break(qres_process, qres_command, tmp_path):
    (tmp_path / "heat.toml").write_text(HEAT)
    first = summary(
        qres_process("solve", "heat.toml", "--iterations", 30, "--out", "run", "--json", cwd=tmp_path)
    )
    assert first["widths"] == [1, 6, 5]
    on = summary(qres_process("resume", "run", "--iterations", 80, "--json", cwd=tmp_path))
    once = summary(
        qres_command("solve", "heat.toml", "--iterations", 80, "--out", "once", "--json", cwd=tmp_path)
    )
    assert on["loss"] == once["loss"] < first["loss"]
    assert on["errors"]["u"] < 0.05
    found = qres_command("predict", "run", "--at", "t=0.5,x=0", cwd=tmp_path)
    assert float(found.out.split("=")[1]) == pytest.approx(0.61, abs=0.05)
    assert (
        "outside the time that was solved"
        in qres_command("predict", "run", "--at", "t=0.9,x=0", cwd=tmp_path).err
    )
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000


def test_an_inverse_problem_of_the_library_with_noise(qres_command, tmp_path):
    options = ("--noise", 0.01, "--data-points", 60, "--iterations", 5, "--out", "run")
    found = summary(qres_command("solve", "kdv-inverse", *options, *TINY, cwd=tmp_path))
    assert set(found["unknowns"]) == {"lambda_1", "lambda_2"}
    assert found["widths"] == [1, 4, 50]
    specification = (tmp_path / "run" / "specification.toml").read_text()
    assert "[time]" in specification
    scheme = qres.load(tmp_path / "run" / "solution.qres").scheme
    assert scheme is not None
    assert scheme.edges == pytest.approx((0.2, 0.8))


def test_a_preset(qres_command, tmp_path):
    options = ("--preset", "paper", "--optimizer", "adam:3", "--set", "condition_points=5", "--points", 50)
    found = summary(
        qres_command("solve", "burgers", *options, "--no-estimate", "--out", "run", "--json", cwd=tmp_path)
    )
    assert (found["parameters"], found["iterations"]) == (1541, 3)
    assert "bias_inside = true" in (tmp_path / "run" / "specification.toml").read_text()


def test_wrong_presets_and_noise_are_refused(qres_command, tmp_path):
    result = qres_command("solve", "burgers", "--preset", "papers", cwd=tmp_path)
    assert result.status == 2
    assert "preset 'papers' is not known; did you mean 'paper'?" in result.err
    result = qres_command("solve", "burgers", "--noise", 0.1, cwd=tmp_path)
    assert result.status == 2
    assert "problem 'burgers' has no measurements to add noise to" in result.err


def test_references_as_files(qres_command, tmp_path):
    result = qres_command("reference", "burgers", "-o", "b.nc", cwd=tmp_path)
    assert result.status == 0
    assert "b.nc: u on a grid of t 100 × x 256" in result.out
    with xr.open_dataset(tmp_path / "b.nc", engine="h5netcdf") as dataset:
        assert dict(dataset.sizes) == {"t": 100, "x": 256}
    (tmp_path / "heat.toml").write_text(HEAT)
    assert qres_command("reference", "heat.toml", "-o", "h.nc", cwd=tmp_path).status == 0
    for wrong, message in (
        (("burger", "-o", "b.nc"), "did you mean 'burgers'"),
        (("burgers", "-o", "b.csv"), "must end in .nc"),
        (("burgers", "--resolution", "fine", "-o", "b.nc"), "resolution 'fine' is not known"),
        (("burgers", "-o", "no/b.nc"), "cannot be written"),
    ):
        result = qres_command("reference", *wrong, cwd=tmp_path)
        assert (result.status, message in result.err) == (2, True), result.err
