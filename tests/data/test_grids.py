"""Measurements on a grid, as people have them in MAT and NPZ files; and values that were not measured."""

import numpy as np
import pytest
import scipy.io

from qres.data import Data
from qres.problems import Problem
from qres.residuals._block import place_block
from qres.runtime.errors import InputError

X, T = np.linspace(-1, 1, 5), np.linspace(0, 1, 3)
U = np.sin(X)[:, None] + 10 * T  # (x, t), as in burgers_shock.mat
DOMAIN = {"t": [0, 1], "x": [-1, 1]}


def value_at(data, name="u"):
    return {(t, x): u for t, x, u in zip(*data.points(["t", "x"]), data.columns[name], strict=True)}


EXPECTED = {(t, x): np.sin(x) + 10 * t for t in T for x in X}


def saved(folder, **arrays):
    np.savez(folder / "d.npz", **arrays)
    return folder / "d.npz"


@pytest.mark.parametrize("shape", [(-1, 1), (1, -1), (-1,)])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", ["d.mat", "d.npz"])
def test_the_axes_of_an_array_are_found_by_length(tmp_path, shape, turned, name):
    arrays = {"x": X.reshape(shape), "t": T.reshape(shape), "usol": U.T if turned else U}
    if name == "d.mat":
        scipy.io.savemat(tmp_path / name, arrays)
    else:
        saved(tmp_path, **arrays)
    data = Data.read(tmp_path / name, {"u": "usol"})
    assert data.count == 15
    assert value_at(data) == EXPECTED


def test_fields_may_lie_the_other_way_round(tmp_path):
    data = Data.read(saved(tmp_path, x=X, t=T, u=U, v=2 * U.T))
    assert value_at(data) == EXPECTED
    np.testing.assert_array_equal(data.columns["v"], 2 * data.columns["u"])


def test_three_dimensions(tmp_path):
    y = np.linspace(0, 1, 4)
    values = X[:, None, None] + 10 * y[:, None] + 100 * T
    data = Data.read(saved(tmp_path, t=T, x=X, y=y, u=values[..., None]))
    at = data.columns
    np.testing.assert_allclose(at["u"], at["x"] + 10 * at["y"] + 100 * at["t"])


def test_arrays_of_one_shape_have_a_value_each(tmp_path):
    times, places = np.meshgrid(T, X)
    assert value_at(Data.read(saved(tmp_path, x=places, t=times, u=U))) == EXPECTED


def test_the_time_of_a_snapshot_is_that_of_all_points(tmp_path):
    scipy.io.savemat(tmp_path / "d.mat", {"x": X, "t": 0.5, "u": U[:, 1]})
    assert value_at(Data.read(tmp_path / "d.mat")) == {(0.5, x): np.sin(x) + 5 for x in X}


def test_a_complex_array_is_two(tmp_path):
    scipy.io.savemat(tmp_path / "d.mat", {"x": X, "tt": T, "uu": U + 2j * U})
    data = Data.read(tmp_path / "d.mat", {"t": "tt", "u": "uu.real", "v": "uu.imag"})
    assert value_at(data) == EXPECTED
    np.testing.assert_array_equal(data.columns["v"], 2 * data.columns["u"])


def test_equal_lengths_need_the_order(tmp_path):
    file = saved(tmp_path, t=T, x=X[:3], u=U[:3])
    with pytest.raises(
        InputError, match=r'u has shape \(3, 3\).*t, x have the same length.*axes = \["t", "x"\]'
    ):
        Problem("u_t = u_xx", DOMAIN, data=Data.read(file))
    with pytest.raises(InputError, match=r"u \(for u\) has shape \(3, 3\)"):
        Data.read(file, {"u": "u"})
    assert value_at(Data.read(file, axes=["x", "t"])) == {k: EXPECTED[k] for k in EXPECTED if k[1] in X[:3]}
    assert value_at(Data.read(file, axes=["t", "x"])) != value_at(Data.read(file, axes=["x", "t"]))


def test_the_columns_given_win_over_names_of_the_file(tmp_path):
    data = Data.read(saved(tmp_path, x=X, t=T, u=0 * U, usol=U), {"u": "usol"})
    assert value_at(data) == EXPECTED


def test_what_fits_no_axis_is_left_out_and_said(tmp_path):
    file = saved(tmp_path, x=X, t=T, u=U, nu=0.01, bounds=[0.0, 1.0], title="mine", w=np.zeros((7, 2)))
    data = Data.read(file)
    assert value_at(data) == EXPECTED
    (warning,) = (w for w in Problem("u_t = u_xx", DOMAIN, data=data).warnings if "not used" in w)
    assert all(name in warning for name in ("nu", "bounds", "w"))
    with pytest.raises(InputError, match=r"w has shape \(7, 2\), and no vector in the file has length 7"):
        data.check({"t": (0, 1), "x": (-1, 1)}, ("w",))


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        ({"x": X, "t": T, "u": U[:4]}, {}, r"u has shape \(4, 3\), and no vector in the file has length 4"),
        ({"x": X, "t": T, "u": U[:, :, None] * T}, {}, r"u has shape \(5, 3, 3\), and only t has length 3"),
        ({"x": X, "t": T, "u": U}, {"axes": ["t", "x"]}, r"and axes t, x have lengths \(3, 5\)"),
        ({"x": X, "t": T, "u": U}, {"axes": ["x", "y"]}, r"axes must name vectors of the file.*those are x, t"),
        ({"x": X, "t": T, "u": U}, {"axes": ["x", "x"]}, r"axes must name vectors of the file, each once"),
        ({"x": X, "t": T, "u": U}, {"axes": "xt"}, r"axes must be a list"),
        ({"x": X, "t": T, "u": U}, {"axes": []}, r"axes must be a list"),
        ({"x": X, "t": T, "usol": U}, {"columns": {"u": "uso"}}, r"no column 'uso' \(for u\); did you mean 'usol'"),
        ({"u": U}, {}, r"u has shape \(5, 3\), and no vector"),
        ({"u": "text"}, {}, r"there are no numbers in it"),
        ({"x": X, "u": U.ravel()}, {}, r"same length; they have x 5, u 15"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_clear_line(tmp_path, arrays, options, message):
    with pytest.raises(InputError, match=message) as caught:
        Data.read(saved(tmp_path, **arrays), **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": X, "t": T, "y": [0.0, 1.0], "u": U}, r"y has length 2, and lies along no axis of u"),
        ({"x": X, "t": T, "y": X[:4], "v": U[:, None] * np.ones((4, 1)), "u": U}, r"u lies along x, t only"),
    ],
)
def test_what_the_problem_needs_must_be_on_the_grid(tmp_path, arrays, message):
    data = Data.read(saved(tmp_path, **arrays))
    with pytest.raises(InputError, match=message):
        Problem("u_t = u_xx + u_yy", {**DOMAIN, "y": [0, 1]}, data=data)


def test_files_of_matlab_7_3_are_refused_in_words(tmp_path):
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    (tmp_path / "d.mat").write_bytes(header + bytes(400))
    with pytest.raises(InputError, match=r"MATLAB 7\.3.*-v7"):
        Data.read(tmp_path / "d.mat")


def test_a_table_of_a_file_says_columns_axes_and_points(tmp_path):
    saved(tmp_path, t=T, x=X[:3], usol=U[:3])
    table = {"file": "d.npz", "columns": {"u": "usol"}, "axes": ["x", "t"], "points": 4}
    stated = {"equations": "u_t = u_xx", "domain": DOMAIN, "data": table}
    problem = Problem.from_dict(stated, tmp_path)
    (data,) = problem.data
    assert data.count == 4
    assert value_at(data).items() <= EXPECTED.items()
    assert value_at(problem.measured(1).data[0]) != value_at(data)
    with pytest.raises(InputError, match="data points must be a whole number"):
        Problem.from_dict({**stated, "data": {**table, "points": 0}}, tmp_path)
    with pytest.raises(InputError, match=r"unknown key 'axis'.*did you mean 'axes'"):
        Problem.from_dict({**stated, "data": {"file": "d.npz", "axis": ["x", "t"]}}, tmp_path)


def test_what_was_not_measured_on_a_grid_is_left_out_and_said(tmp_path):
    holes = np.where(U > 10, np.nan, U)
    problem = Problem("u_t = u_xx", DOMAIN, data=Data.read(saved(tmp_path, x=X, t=T, u=holes)))
    (data,) = problem.data
    assert value_at(data) == {place: u for place, u in EXPECTED.items() if u <= 10}
    said = f"u: {np.isnan(holes).sum()} of 15 values are missing, and left out"
    for again in (problem, problem.with_data(problem.data)):
        assert any(said in warning for warning in again.warnings)


TWO = {"equations": ["u_t = v_x", "v_t = u_x"], "domain": DOMAIN}


def test_rows_that_lack_a_field_count_for_the_others(tmp_path):
    (tmp_path / "d.csv").write_text("t,x,u,v\n0,0,1,2\n0.1,0,,3\n0.2,0,4,5\n0.3,0,6,\n0.4,0,7,8\n")
    table = {"file": "d.csv", "noise": {"u": 0.1, "v": 0.2}}
    problem = Problem.from_dict({**TWO, "data": table}, tmp_path)
    u, v = problem.data
    np.testing.assert_array_equal(u.values(["u"]), [[1, 4, 6, 7]])
    np.testing.assert_array_equal(u.columns["t"], [0, 0.2, 0.3, 0.4])
    np.testing.assert_array_equal(v.values(["v"]), [[2, 3, 5, 8]])
    assert (u.noise, v.noise) == ({"u": 0.1}, {"v": 0.2})
    assert sum("1 of 5 values are missing" in warning for warning in problem.warnings) == 2
    assert place_block(problem, (), problem.data).names == ("data_u", "data_v")


def test_fields_that_lack_the_same_values_stay_together():
    columns = {"t": [0, 0.1, 0.2], "x": [0, 0, 0], "u": [1, np.nan, 2], "v": [3, np.nan, 4]}
    (data,) = Problem(**TWO, data=Data({n: np.array(c, float) for n, c in columns.items()})).data
    assert data.count == 2
    assert data.measured(("u", "v")) == ("u", "v")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"u": [np.nan, np.nan]}, r"no value of u is there: all 2 are missing"),
        ({"u": [np.inf, 1]}, r"1 of 2 values of u are missing or not finite, the first in row 1"),
        ({"t": [np.nan, 0.5]}, r"1 of 2 values of t are missing or not finite, the first in row 1"),
    ],
)
def test_values_that_cannot_be_left_out(changed, message):
    columns = {"t": [0, 1], "x": [0, 0], "u": [1, 2], "v": [3, np.nan], **changed}
    with pytest.raises(InputError, match=message):
        Problem(**TWO, data=Data({name: np.array(column, float) for name, column in columns.items()}))
