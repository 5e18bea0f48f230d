"""A file as the reference: found beside the problem, checked when that is made, compared with at its points."""

import jax
import numpy as np
import pytest
import scipy.io
import xarray as xr

from qres.data import Data
from qres.fields import Time
from qres.geometry import Sampling
from qres.loss._snapshots import discretize
from qres.networks import Architecture
from qres.problems import Problem, reference_of
from qres.reference import Gridded
from qres.residuals import create_model
from qres.runs import Specification
from qres.runs._run_folder import RunFolder
from qres.runtime.errors import InputError
from qres.solution import Solution, load

T, X = np.linspace(0, 1, 4), np.linspace(-1, 1, 6)
DOMAIN = {"t": [0, 1], "x": [-1, 1]}


def solution_of(problem):
    network = Architecture(width=3, depth=1).build(problem, key=jax.random.key(0))
    return Solution(problem, create_model(problem, network))


def of_the_network(t, x, name="u"):
    """What the network above gives, so that a reference twice as large is off by one half."""
    return solution_of(Problem("u_t = u_xx", DOMAIN))(name, t=t, x=x)


def heat(folder, reference, **options):
    tables = {"equations": ["u_t = u_xx"], "domain": DOMAIN, "reference": reference, **options}
    return Problem.from_dict(tables, folder)


def write_mat(path):
    values = 2 * of_the_network(*np.meshgrid(T, X))
    scipy.io.savemat(path, {"x": X, "t": T, "usol": values})


def test_errors_on_the_grid_of_a_file(tmp_path):
    write_mat(tmp_path / "mine.mat")
    problem = heat(tmp_path, {"file": "mine.mat", "columns": {"u": "usol"}})
    solution = solution_of(problem)
    assert solution.errors == {"u": pytest.approx(0.5)}
    assert solution.reference is not None
    assert dict(solution.reference.sizes) == {"t": 4, "x": 6}


def test_a_netcdf_file_needs_no_more_than_its_name(tmp_path):
    values = 2 * of_the_network(*np.meshgrid(T, X, indexing="ij"))
    values[1, 2] = np.nan
    dataset = xr.Dataset({"u": (("t", "x"), values)}, {"t": T, "x": X})
    dataset.to_netcdf(tmp_path / "mine.nc", engine="h5netcdf")
    solution = solution_of(heat(tmp_path, "mine.nc"))
    assert solution.errors == {"u": pytest.approx(0.5)}
    assert solution.reference is not None
    np.testing.assert_array_equal(solution.reference.u, values)


def write_points(path):
    t, x = np.random.default_rng(0).uniform(0, 1, (2, 9))
    u = 2 * of_the_network(t, x)
    lines = [f"{a!r},{b!r},{c!r}" for a, b, c in zip(t.tolist(), x.tolist(), u.tolist(), strict=True)]
    path.write_text("\n".join(["t,x,u", *lines, "0.5,0.5,"]) + "\n")


def test_errors_at_scattered_points(tmp_path):
    write_points(tmp_path / "mine.csv")
    solution = solution_of(heat(tmp_path, "mine.csv"))
    assert solution.errors == {"u": pytest.approx(0.5)}
    assert solution.errors_against(Data.read(tmp_path / "mine.csv")) == solution.errors
    assert solution.reference is None
    with pytest.raises(InputError, match=r"mine\.csv is not on a grid"):
        discretize(solution.problem, Time(2), Sampling(), 0)


def test_scattered_values_up_to_a_constant(tmp_path):
    t, x = np.repeat([0.2, 0.7], 5), np.random.default_rng(1).uniform(-1, 1, 10)
    np.savez(tmp_path / "mine.npz", t=t, x=x, u=of_the_network(t, x) + 3 * t)
    errors = solution_of(heat(tmp_path, "mine.npz", up_to_constant=["u"])).errors
    assert errors["u"] < 1e-12


def test_only_what_is_inside_counts(tmp_path):
    values = 2 * of_the_network(*np.meshgrid(T, X, indexing="ij"))
    np.savez(tmp_path / "mine.npz", t=T, x=X, u=np.where(X > 0.5, 1e6, values))
    assert solution_of(heat(tmp_path, "mine.npz", inside="x < 0.5")).errors == {"u": pytest.approx(0.5)}
    np.savez(tmp_path / "half.npz", t=T, x=X / 2, u=values)
    with pytest.raises(InputError, match="none of its points is inside"):
        heat(tmp_path, "half.npz", inside="x < -0.6")


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("burger", r"reference 'burger' is not known; did you mean 'burgers'.*spectral, or a file that ends in \.csv"),
        ("mine.docx", r"reference 'mine\.docx' is not known.*or a file that ends in"),
        ("none.nc", r"no such file: .*none\.nc"),
        ("mine.mat", r"no column is one of the fields u; there are x, t, usol"),
        ({"file": "mine.mat", "columns": {"u": "us"}}, r"no column 'us' \(for u\)"),
        ({"file": "mine.mat", "columns": {"u": "usol"}, "axes": ["t", "x"]}, r"axes t, x have lengths"),
        ({"file": "mine.mat", "columns": "usol"}, r"reference columns must be a table"),
        ({"file": "mine.mat", "axes": "x"}, r"reference: axes must be a list"),
        ({"file": 3}, r"reference: file must be a name"),
        ({"name": "mine.mat"}, r"unknown key 'name' in reference"),
        (3, r"reference must be a name or a file, not 3"),
        (["burgers"], r"reference must be a name or a file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_when_the_problem_is_made(tmp_path, reference, message):
    write_mat(tmp_path / "mine.mat")
    with pytest.raises(InputError, match=message):
        heat(tmp_path, reference)


def test_points_outside_the_domain_are_refused(tmp_path):
    np.savez(tmp_path / "mine.npz", t=1000 * T, x=X, u=np.zeros((4, 6)))
    with pytest.raises(InputError, match=r"outside the domain in t.*is a unit off"):
        heat(tmp_path, "mine.npz")


def test_a_solution_is_read_without_its_reference(tmp_path):
    write_points(tmp_path / "mine.csv")
    solution_of(heat(tmp_path, "mine.csv")).save(tmp_path / "a.qres")
    assert load(tmp_path / "a.qres").errors == {"u": pytest.approx(0.5)}
    (tmp_path / "mine.csv").unlink()
    assert load(tmp_path / "a.qres").errors == {}


def test_a_run_folder_keeps_a_copy(tmp_path):
    write_mat(tmp_path / "mine.mat")
    problem = heat(tmp_path, {"file": "mine.mat", "columns": {"u": "usol"}})
    RunFolder.new(tmp_path / "run").create(Specification(problem))
    (tmp_path / "mine.mat").unlink()
    (tmp_path / "run").rename(tmp_path / "moved")
    again = RunFolder.open(tmp_path / "moved").specification().problem
    assert solution_of(again).errors == {"u": pytest.approx(0.5)}


def test_a_stored_reference_is_of_certain_coordinates():
    with pytest.raises(InputError, match="'burgers' has the coordinates t, x, and the problem t, x, y"):
        Problem("u_t = u_xx + u_yy", {"t": (0, 1), "x": (-1, 1), "y": (0, 1)}, reference="burgers")


def test_a_stored_reference_is_compared_where_the_problem_is_asked():
    problem = Problem("u_t = u_xx", {"x": (-1, 1), "t": (0, 0.5)}, reference="burgers")
    known = reference_of(problem)
    assert isinstance(known, Gridded)
    assert known.axes["t"].max() == pytest.approx(0.5)
    with pytest.raises(InputError, match=r"has no t in \[3, 4\]"):
        reference_of(Problem("u_t = u_xx", {"t": (3, 4), "x": (-1, 1)}, reference="burgers"))


def test_one_value_is_a_reference_at_a_point(tmp_path):
    (tmp_path / "one.csv").write_text("t,x,u\n1,0.5,0.37\n")
    solution = solution_of(heat(tmp_path, "one.csv"))
    assert solution.errors["u"] == pytest.approx(abs(solution("u", t=1, x=0.5) / 0.37 - 1))
    assert solution.plot(tmp_path / "one.png").exists()
