"""Measurements: read from every format, and checked before anything is fitted to them."""

import numpy as np
import pytest
import scipy.io
import xarray as xr

from qres.data import Data
from qres.problems import Problem
from qres.runtime.errors import InputError

T, X = np.array([0.1, 0.2, 0.3]), np.array([-0.5, 0.0, 0.5])
U = np.array([1.0, 2.0, 3.0])
BOUNDS = {"t": (0.0, 1.0), "x": (-1.0, 1.0)}


def as_csv(path, separator=","):
    lines = ["# a comment", separator.join("txu")]
    lines += [separator.join(map(str, row)) for row in zip(T, X, U, strict=True)]
    path.write_text("\n".join(lines) + "\n")


def as_npz(path):
    np.savez(path, t=T, x=X, u=U)


def as_mat(path):
    scipy.io.savemat(path, {"t": T, "x": X, "u": U})


def as_netcdf(path):
    xr.Dataset({"t": ("n", T), "x": ("n", X), "u": ("n", U)}).to_netcdf(path, engine="h5netcdf")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("d.csv", as_csv),
        ("d.tsv", lambda path: as_csv(path, "\t")),
        ("semicolons.csv", lambda path: as_csv(path, ";")),
        ("d.npz", as_npz),
        ("d.mat", as_mat),
        ("d.nc", as_netcdf),
    ],
)
def test_every_format_gives_the_same_columns(tmp_path, name, write):
    write(tmp_path / name)
    data = Data.read(tmp_path / name)
    assert data.count == 3
    np.testing.assert_array_equal(data.points(["t", "x"]), [T, X])
    np.testing.assert_array_equal(data.values(["u"]), [U])


def test_a_grid_in_netcdf_becomes_one_row_a_point(tmp_path):
    grid = xr.Dataset({"u": (("t", "x"), np.arange(6.0).reshape(2, 3))}, coords={"t": [0.0, 1.0], "x": X})
    grid.to_netcdf(tmp_path / "g.nc", engine="h5netcdf")
    data = Data.read(tmp_path / "g.nc")
    np.testing.assert_array_equal(data.columns["t"], [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(data.columns["u"], np.arange(6.0))


def test_other_names_are_mapped(tmp_path):
    (tmp_path / "d.csv").write_text("time,where,speed\n0.1,0.2,3\n")
    data = Data.read(tmp_path / "d.csv", columns={"t": "time", "x": "where", "u": "speed"})
    assert data.measured(["u", "v"]) == ("u",)
    with pytest.raises(InputError, match=r"no column 'tim'.*did you mean 'time'"):
        Data.read(tmp_path / "d.csv", columns={"t": "tim"})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"t": T, "u": U}, r"no column for the coordinate x"),
        ({"t": T, "x": X, "w": U}, r"no column is one of the fields u"),
        (
            {"t": T, "x": X, "u": [1.0, np.nan, 2.0]},
            r"1 of 3 values of u are missing or not finite, the first in row 2",
        ),
        ({"t": T, "x": [0, 0, 7.0], "u": U}, r"1 of 3 points are outside the domain in x, \[-1, 1\].*row 3"),
        ({"t": T * 1000, "x": X, "u": U}, r"outside the domain in t.*is a unit off\?"),
        ({"t": T, "x": X, "u": U[:, None]}, r"u has shape \(3, 1\).*one-dimensional"),
        ({"t": T, "x": X, "u": U[:2]}, r"same length; they have t 3, x 3, u 2"),
        ({"t": [], "x": [], "u": []}, r"no data"),
    ],
)
def test_what_cannot_be_used_is_one_clear_line(columns, message):
    with pytest.raises(InputError, match=message) as caught:
        Data(columns).check(BOUNDS, ("u",))
    assert "\n" not in str(caught.value)


def test_what_is_doubtful_is_said():
    columns = {"t": [0.1, 0.1], "x": [0.2, 0.2], "u": [1.0, 1.1], "spare": [0.0, 0.0]}
    data = Data({name: np.array(column) for name, column in columns.items()})
    doubts = " ".join(data.check(BOUNDS, ("u",)))
    assert "1 of 2 points are repeated" in doubts
    assert "spare" in doubts


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("0.1,0.2,3\n", "first line must name the columns"),
        ("t,x,u\n0.1,0.2\n", "data row 1 has 2 values"),
        ("u\nhigh\n", "no numbers in it: u is not a number in data row 1: 'high'"),
        ("t,t,u\n0,0,0\n", "same name"),
    ],
)
def test_broken_tables(tmp_path, content, message):
    (tmp_path / "d.csv").write_text(content)
    with pytest.raises(InputError, match=message):
        Data.read(tmp_path / "d.csv")


def test_files_that_are_not_there_or_not_data(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Data.read(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"\.csv.*not '\.docx'"):
        Data.read(tmp_path / "d.docx")
    (tmp_path / "d.npz").write_bytes(b"not a zip file")
    with pytest.raises(InputError, match="cannot be read"):
        Data.read(tmp_path / "d.npz")


def test_data_of_a_file_are_relative_to_it(tmp_path):
    (tmp_path / "d.csv").write_text("t,u\n0.1,2\n0.2,3\n")
    table = {"equations": "u_t = k*u", "domain": {"t": [0, 1]}, "unknowns": {"k": 1.0}}
    problem = Problem.from_dict({**table, "data": {"file": "d.csv", "noise": {"u": 0.1}}}, tmp_path)
    assert problem.data[0].count == 2
    assert problem.data[0].noise == {"u": 0.1}
    assert "data" not in problem.to_dict()
    with pytest.raises(InputError, match=r"unknown key 'fil'.*did you mean 'file'"):
        Problem.from_dict({**table, "data": {"fil": "d.csv"}}, tmp_path)


def test_a_share_is_held_out():
    data = Data({"t": np.linspace(0, 1, 20), "u": np.arange(20.0)})
    kept, held = data.split(0.25, np.random.default_rng(0))
    assert (kept.count, held.count) == (15, 5)
    assert sorted([*kept.columns["u"], *held.columns["u"]]) == list(range(20))


UNSURE = {
    "t": np.array([0.0, 1.0, 2.0]),
    "u": np.array([1.0, np.nan, 3.0]),
    "sd": np.array([0.1, np.nan, 0.2]),
}


def test_values_count_as_they_are_sure():
    data = Data(UNSURE | {"v": np.array([1.0, 2.0, 3.0])}, noise={"u": "sd", "v": 0.3})
    with_gap, without = data.complete(["u", "v"])
    assert with_gap.measured(["u", "v"]) == ("u",)
    precision_weights = with_gap.precision_weights(["u"])
    assert precision_weights[0] == pytest.approx([1.6, 0.4]), "as 1/σ², and 1 on average"
    assert with_gap.noise_level("u") == pytest.approx((0.5 * (0.1**-2 + 0.2**-2)) ** -0.5)
    assert without.noise_level("v") == 0.3
    assert (without.precision_weights(["v"]) == 1).all()
    assert with_gap.noise_level("t") is None
    assert not [doubt for doubt in with_gap.check({"t": (0, 2)}, ["u"]) if "not used" in doubt]


@pytest.mark.parametrize(
    ("columns", "noise", "message"),
    [
        (UNSURE, {"w": 0.1}, "noise of w, which is no column; there are t, u, sd"),
        (UNSURE, {"u": 0}, "noise of u must be a number above 0, or the name of a column, not 0"),
        (UNSURE, {"u": float("inf")}, "above 0, or the name of a column, not inf"),
        (UNSURE, {"u": True}, "not True"),
        (UNSURE, {"u": "sdd"}, "no column 'sdd' .noise of u.; did you mean 'sd'"),
        (UNSURE | {"sd": np.array([0.1, 0.1, 0.0])}, {"u": "sd"}, "sd, the noise of u, .* in row 3 it is 0"),
        (UNSURE | {"sd": np.array([np.nan, 0.1, 0.1])}, {"u": "sd"}, "in row 1 it is nan"),
    ],
)
def test_noise_that_cannot_be(columns, noise, message):
    with pytest.raises(InputError, match=message):
        Data(columns, noise=noise)
