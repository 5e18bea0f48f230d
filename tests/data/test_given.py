"""Measurements as people have them: tables of pandas and xarray, arrays by name, files with columns of text."""

import numpy as np
import pandas as pd
import pytest

from qres.data import Data, as_data
from qres.problems import Problem
from qres.runtime.errors import InputError

X, U = np.array([0.0, 0.5, 1.0]), np.array([1.0, 2.0, 3.0])
FRAME = pd.DataFrame({"x": X, "u": U})


@pytest.mark.parametrize(
    "given",
    [
        Data({"x": X, "u": U}),
        FRAME,
        FRAME.set_index("x").to_xarray(),
        {"x": X, "u": U.tolist()},
        [FRAME],
        FRAME.assign(u=["1", "2", "3"]),
    ],
)
def test_every_form_gives_the_same_columns(given):
    (data,) = Problem("u_x = u", {"x": [0, 1]}, data=given).data
    np.testing.assert_array_equal(data.columns["x"], X)
    np.testing.assert_array_equal(data.columns["u"], U)


def test_a_file_is_read(tmp_path):
    FRAME.to_csv(tmp_path / "d.csv", index=False)
    for given in (tmp_path / "d.csv", [str(tmp_path / "d.csv")]):
        (data,) = as_data(given)
        np.testing.assert_array_equal(data.columns["u"], U)


@pytest.mark.parametrize("given", [5, None, [5], [FRAME, "x"], {"x": X, "u": ["high", 1, 2]}])
def test_other_forms_are_named(given):
    with pytest.raises(InputError, match=r"^(data(\[\d\])?(: u)? must be|data must be|.*: data must be in)"):
        as_data(given)


TEXT = "x,u,station,sd\n0,1,north,0.1\n0.5,NA,south,0.1\n1,,,0.1\n"


def test_a_column_of_text_is_left_out_and_said(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(TEXT)
    problem = Problem("u_x = u", {"x": [0, 1]}, data=path)
    assert problem.data[0].count == 1  # of three values, two are missing
    assert any("not used" in said and "station" in said for said in problem.warnings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": {"u": "station"}}, r"station \(for u\) is not a number in data row 1: 'north'"),
        ({"noise": {"u": "station"}}, r"station, which has the noise, is not a number"),
    ],
)
def test_a_column_of_text_that_is_asked_for_is_named(tmp_path, options, message):
    path = tmp_path / "d.csv"
    path.write_text(TEXT)
    with pytest.raises(InputError, match=message):
        Data.read(path, **options)


def test_a_needed_column_with_one_word_in_it_is_named(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,u\n0,1\n0.5,high\n")
    with pytest.raises(InputError, match=r"d\.csv: u is not a number in data row 2: 'high'"):
        Problem("u_x = u", {"x": [0, 1]}, data=path)


def test_dates_and_text_in_other_formats_are_left_out(tmp_path):
    frame = FRAME.assign(day=pd.to_datetime(["2024-01-01"] * 3), place=["a", "b", "c"])
    (data,) = as_data(frame)
    assert data.left_out["day"] == "is dates, not numbers"
    assert "is not a number" in data.left_out["place"]
    np.savez(tmp_path / "d.npz", x=X, u=U, place=np.array(["a", "b", "c"]))
    assert Data.read(tmp_path / "d.npz").left_out == {"place": "is text, not numbers"}
    frame.to_xarray().to_netcdf(tmp_path / "d.nc", engine="h5netcdf")
    assert set(Data.read(tmp_path / "d.nc").left_out) == {"day", "place"}
