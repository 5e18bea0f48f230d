"""A solution: values, derivatives, grids, errors."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

import qres
from qres.fields._grid import _thinned
from qres.networks import Architecture
from qres.problems import Problem
from qres.reference import Gridded
from qres.residuals import create_model
from qres.results import Result
from qres.solution import Solution


@pytest.fixture(scope="module")
def solution():
    problem = Problem(
        "psi_t = psi_xx + v", {"t": (0, 1), "x": (-1, 2)}, ["psi(0, x) = 0"],
        definitions={"v": "2*psi_x"}, exact={"psi": "sin(x)*t"}, name="test",
    )  # fmt: skip
    network = Architecture(width=4, depth=1).build(problem, key=jax.random.key(0))
    return Solution(problem, create_model(problem, network), Result(loss=1.0))


def test_values_are_those_of_the_network(solution):
    t, x = np.random.default_rng(0).uniform(0, 1, (2, 5))
    expected = np.asarray(solution.model.network(jnp.stack([t, x])))[0]
    np.testing.assert_allclose(solution("psi", t=t, x=x), expected, rtol=1e-13)
    both = solution(t=t, x=x)
    assert list(both) == ["psi", "v"]
    np.testing.assert_allclose(both["v"], 2 * solution("psi_x", t=t, x=x), rtol=1e-12)


def test_derivatives_are_those_of_finite_differences(solution):
    h, t, x = 1e-4, 0.4, np.linspace(-0.9, 1.9, 4)

    def psi(t, x):
        return solution("psi", t=t, x=x)

    np.testing.assert_allclose(
        solution("psi_t", t=t, x=x), (psi(t + h, x) - psi(t - h, x)) / (2 * h), rtol=1e-6
    )
    second = (psi(t, x + h) - 2 * psi(t, x) + psi(t, x - h)) / h**2
    np.testing.assert_allclose(solution("psi_xx", t=t, x=x), second, rtol=1e-4, atol=1e-6)
    mixed = psi(t + h, x + h) - psi(t + h, x - h) - psi(t - h, x + h) + psi(t - h, x - h)
    np.testing.assert_allclose(solution("psi_tx", t=t, x=x), mixed / (4 * h * h), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(solution("v_x", t=t, x=x), 2 * solution("psi_xx", t=t, x=x), rtol=1e-12)


def test_shapes_broadcast(solution):
    assert np.shape(solution("psi", t=0.5, x=0.1)) == ()
    assert isinstance(solution("psi", t=0.5, x=0.1), float)
    assert solution("psi", t=np.zeros((3, 1)), x=np.zeros(4)).shape == (3, 4)
    assert solution("psi", t=0.0, x=np.zeros((2, 0))).shape == (2, 0)


def test_more_points_than_a_chunk(solution):
    x = np.linspace(-1, 2, 4501)
    many = solution("psi", t=0.3, x=x)
    np.testing.assert_allclose(
        many[[0, 1999, 2000, 4500]], solution("psi", t=0.3, x=x[[0, 1999, 2000, 4500]])
    )


@pytest.mark.parametrize(
    ("names", "at", "says"),
    [
        (("psi",), {"t": 0.5}, "missing: x; the coordinates are t, x"),
        (("psi",), {"t": 0.5, "x": 0.0, "y": 1.0}, "not a coordinate: y"),
        (("psi",), {"t": np.zeros(3), "x": np.zeros(4)}, "shapes do not fit together: t (3,), x (4,)"),
        (("psy",), {"t": 0.5, "x": 0.0}, "'psy' is not a field; did you mean 'psi'?"),
        (("psi_q",), {"t": 0.5, "x": 0.0}, "'q' is not a derivative; the coordinates are t, x"),
        (("psi_",), {"t": 0.5, "x": 0.0}, "'psi_'"),
    ],
)
def test_a_mistake_is_named(solution, names, at, says):
    with pytest.raises(ValueError) as caught:
        solution(*names, **at)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_truth_of_other_fields_is_refused(solution):
    with pytest.raises(ValueError, match="none of psi, v is in what the solution is to be compared with"):
        solution.errors_against(xr.Dataset({"w": ("x", [1.0, 2.0])}, {"x": [0.0, 1.0]}))


def test_points_outside_the_domain_are_told(solution):
    low, high = solution.problem.bounds["x"]
    with pytest.warns(UserWarning, match=r"x = .* is outside the domain"):
        solution("psi", t=0.5, x=np.array([low, high + 1]))


def test_points_in_a_hole_are_told():
    ring = qres.Problem("u_xx + u_yy = 0", {"x": (-1, 1), "y": (-1, 1)}, inside="0.25 < x^2 + y^2 < 1")
    found = qres.solve(ring, iterations=1, progress=False)
    with pytest.warns(UserWarning, match=r"x = 0, y = 0.1 is not inside, 0.25 < x\^2 \+ y\^2 < 1"):
        found("u", x=[0.6, 0.0], y=0.1)


def test_grids(solution):
    dataset = solution.to_xarray((3, 4), "psi", "psi_x")
    assert dict(dataset.sizes) == {"t": 3, "x": 4}
    np.testing.assert_allclose(dataset.t, [0, 0.5, 1])
    np.testing.assert_allclose(dataset.x, [-1, 0, 1, 2])
    np.testing.assert_allclose(dataset["psi_x"][1, 2], solution("psi_x", t=0.5, x=1.0), rtol=1e-12)
    chosen = solution.to_xarray({"x": [0.5, 0.7], "t": 0.2}, "psi")
    assert chosen["psi"].dims == ("t", "x")
    assert chosen["psi"].shape == (1, 2)
    assert set(solution.to_xarray().data_vars) == {"psi", "v"}


@pytest.mark.parametrize("grid", [(3,), (3, 0), {"t": [0.0]}, {"t": [0.0], "y": [1.0]}])
def test_grids_that_do_not_fit_are_refused(solution, grid):
    with pytest.raises(ValueError, match="grid"):
        solution.to_xarray(grid)


def test_errors_are_relative_norms(solution):
    t, x = np.linspace(0, 1, 7), np.linspace(-1, 2, 9)
    truth = np.sin(x)[None, :] * t[:, None]
    found = solution("psi", t=t[:, None], x=x[None, :])
    expected = np.linalg.norm(found - truth) / np.linalg.norm(truth)
    coords = {"t": t, "x": x}
    dataset = xr.Dataset({"psi": (("t", "x"), truth), "other": (("t",), t)}, coords)
    assert list(solution.errors_against(dataset)) == ["psi"]
    np.testing.assert_allclose(solution.errors_against(dataset)["psi"], expected, rtol=1e-12)
    turned = dataset.transpose("x", "t")
    np.testing.assert_allclose(solution.errors_against(turned)["psi"], expected, rtol=1e-12)
    assert set(solution.errors) == {"psi"}
    assert 0.1 < solution.errors["psi"] < 100


def test_a_long_reference_is_compared_at_its_end_too():
    t, x, y = np.arange(6.0), np.linspace(0, 1, 300), np.linspace(0, 1, 310)
    known = _thinned(Gridded({"t": t, "x": x, "y": y}, {"u": np.zeros((6, 300, 310))}))
    assert known.axes["t"].tolist() == t.tolist()
    assert 200_000 < math.prod(known.shape) < 300_000
    assert (known.axes["x"][0], known.axes["x"][-1]) == (0, 1)
    many = _thinned(Gridded({"t": np.arange(1000.0), "x": x}, {"u": np.zeros((1000, 300))}))
    assert many.axes["t"][-1] == 999
    assert many.shape == (833, 300)


def test_a_grid_in_slabs_is_the_same(solution, monkeypatch):
    whole = solution.to_xarray((7, 9), "psi", "psi_x")
    monkeypatch.setattr("qres.solution._solution._SLAB", 10)
    assert solution.to_xarray((7, 9), "psi", "psi_x").equals(whole)
