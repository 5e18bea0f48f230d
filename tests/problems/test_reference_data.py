"""Measurements from a reference: seeded, as many and as noisy as asked; and fields known up to a constant."""

import numpy as np
import pytest

from qres import reference
from qres.data import Data
from qres.problems import Problem
from qres.runtime.errors import InputError

DOMAIN = {"t": [0, 1], "x": [-1, 1]}


def burgers(**data):
    tables = {"equations": ["u_t + a*u*u_x = 0.01*u_xx"], "domain": DOMAIN, "unknowns": {"a": 0.0}}
    return Problem.from_dict({**tables, "data": {"reference": "burgers", **data}})


def test_measurements_are_points_of_the_reference():
    (data,) = burgers(points=50).data
    truth = reference.solve("burgers")
    assert data.count == 50
    for t, x, u in zip(data.columns["t"], data.columns["x"], data.columns["u"], strict=True):
        assert truth.u.sel(t=t, x=x, method="nearest").item() == u


def test_the_seed_decides_which():
    problem = burgers(points=50)
    first, again, other = (problem.measured(seed).data[0].columns["x"] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_noise_is_a_share_of_the_spread():
    clean, noisy = (
        burgers(points=2000).measured(3, noise=noise).data[0].columns["u"] for noise in (0.0, 0.1)
    )
    assert np.std(noisy - clean) == pytest.approx(0.1 * np.std(clean), rel=0.1)


def test_without_a_number_all_points_are_taken():
    assert burgers(at={"t": 0.5}).data[0].count == 256


def test_a_snapshot_has_one_time_and_is_no_cause_for_doubt():
    problem = burgers(at={"t": 0.5}, points=20)
    assert np.all(np.abs(problem.data[0].columns["t"] - 0.5) < 1e-12)
    assert problem.warnings == ()


def test_measurements_of_a_file_can_be_thinned_and_blurred():
    table = {"t": np.linspace(0, 1, 30), "x": np.zeros(30), "u": np.arange(30.0)}
    problem = Problem("u_t = u_xx", DOMAIN, data=Data(table))
    assert problem.measured(0) is problem
    (data,) = problem.measured(0, points=10, noise=0.5).data
    assert data.count == 10
    assert not set(data.columns["u"]) & set(table["u"])
    assert set(data.columns["t"]) <= set(table["t"])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"reference": "burger"}, "reference 'burger' is not known; did you mean 'burgers'"),
        ({"reference": "burgers", "points": 0}, "data points must be a whole number of 1 or more, not 0"),
        ({"reference": "burgers", "noise": -1}, "noise must be a number of 0 or more, not -1"),
        (
            {"reference": "burgers", "fields": ["w"]},
            "field of the reference burgers: 'w' is not known; allowed: u",
        ),
        ({"reference": "burgers", "at": {"t": 0.555}}, "has no such t; near are 0.54, 0.55, 0.56"),
        ({"reference": "burgers", "at": {"y": 0.5}}, "unknown key 'y'"),
        ({"reference": "burgers", "file": "a.csv"}, "unknown key 'file'"),
        ({}, "needs file"),
    ],
)
def test_what_is_wrong_is_said(data, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        Problem.from_dict({"equations": ["u_t = u_xx"], "domain": DOMAIN, "data": data})


def test_up_to_constant_must_be_a_field():
    with pytest.raises(InputError, match="up_to_constant: 'q' is not a field; those are u"):
        Problem("u_t = u_xx", DOMAIN, up_to_constant=["q"])


EXACT = {"fields": ["y"], "equations": [], "domain": {"x": [0, 2]}, "exact": {"y": "sin(x)"}}


def test_measurements_of_the_exact_solution_are_on_a_grid():
    problem = Problem.from_dict({**EXACT, "data": {"reference": "exact", "grid": 21}})
    (data,) = problem.data
    np.testing.assert_allclose(data.columns["x"], np.linspace(0, 2, 21))
    np.testing.assert_allclose(data.columns["y"], np.sin(data.columns["x"]), rtol=1e-15)
    assert problem.measured(5, points=7).data[0].count == 7
    assert problem.warnings == ()


def test_a_problem_without_equations_is_kept_as_text():
    problem = Problem.from_dict({**EXACT, "data": {"reference": "exact"}})
    assert Problem.from_dict(problem.to_dict()).equations == ()


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"data": {"reference": "exact", "grid": 1}}, r"grid must be a whole number of 2 or more, not 1"),
        ({"data": {"reference": "exact", "at": 1}}, r"at"),
        ({"data": {"reference": "exact"}, "exact": {}}, r"states no exact solution"),
        ({"fields": None}, r"equations is empty"),
    ],
)
def test_wrong_data_of_an_exact_solution(tables, said):
    with pytest.raises(InputError, match=said):
        Problem.from_dict({**EXACT, **tables})


def test_neither_equations_nor_data():
    (warning,) = Problem.from_dict(EXACT).warnings
    assert "neither equations nor data" in warning
