"""Formulas on results: values, integrals and extrema, of fields that are known."""

import jax
import numpy as np
import pytest

from qres.networks import Architecture
from qres.posed import Positive
from qres.problems import Problem
from qres.residuals import create_model
from qres.runtime.errors import InputError
from qres.solution import Solution


def known(transform, domain, **options):
    """A solution whose fields are what the transform says."""
    equations = [f"{name}_xx = 0" for name in transform]
    problem = Problem(
        equations, domain, transform={n: f"{f} + 0*{n}" for n, f in transform.items()}, **options
    )
    network = Architecture(width=2, depth=1).build(problem, key=jax.random.key(0))
    return Solution(problem, create_model(problem, network))


@pytest.fixture(scope="module")
def disk():
    box = {"x": (-1, 1), "y": (-1, 1)}
    defined = {"slope": "sqrt(u_x^2 + u_y^2)"}
    return known({"u": "1 - x^2 - y^2"}, box, inside="x^2 + y^2 < 1", definitions=defined)


@pytest.fixture(scope="module")
def wave():
    return known(
        {"u": "sin(x)*cos(t)", "v": "x^2*t"},
        {"t": (0, 2), "x": (0, "pi")},
        constants={"c": 3},
        unknowns={"k": Positive(0.5)},
    )


def test_formulas_of_fields_derivatives_coordinates_constants_and_unknowns(wave):
    t, x = np.random.default_rng(0).uniform(0, 1, (2, 5))
    found = wave("c*u_x*v + k*x - diff(u*v, t)", t=t, x=x)
    product = -np.sin(x) * np.sin(t) * x**2 * t + np.sin(x) * np.cos(t) * x**2
    np.testing.assert_allclose(
        found, 3 * np.cos(x) * np.cos(t) * x**2 * t + 0.5 * x - product, rtol=1e-12, atol=1e-12
    )
    both = wave("energy = u^2 + u_t^2", "v", t=t, x=x)
    assert list(both) == ["energy", "v"]
    np.testing.assert_allclose(both["energy"], np.sin(x) ** 2, rtol=1e-12)
    grid = wave.to_xarray({"t": [1.0], "x": [0.5, 1.0]}, "q = u/2", "where(x < 0.7, 0, v)")
    np.testing.assert_allclose(grid["q"][0], np.sin([0.5, 1.0]) * np.cos(1) / 2, rtol=1e-12)
    np.testing.assert_allclose(grid["where(x < 0.7, 0, v)"][0], [0, 1], rtol=1e-12)


def test_integrals_over_a_box(wave):
    assert wave.integral("u^2") == pytest.approx(np.pi / 2 * (1 + np.sin(4) / 4), rel=1e-10)
    np.testing.assert_allclose(wave.integral("v", t=[0.5, 2]), np.pi**3 / 3 * np.array([0.5, 2]), rtol=1e-10)
    assert wave.integral("u", over={"x": (0, 1)}, t=0) == pytest.approx(1 - np.cos(1), rel=1e-10)
    assert wave.integral("abs(x - 1)", "x", t=0) == pytest.approx(0.5 + (np.pi - 1) ** 2 / 2, rel=1e-8)


def test_integrals_leave_out_what_is_not_inside(disk):
    for formula, expected in {"1": np.pi, "u^2": np.pi / 3, "slope": np.pi * 4 / 3}.items():
        assert disk.integral(formula) == pytest.approx(expected, rel=2e-8)
    assert disk.integral("u", x=0.6) == pytest.approx(4 / 3 * 0.8**3, rel=1e-8)


def test_extrema_inside_and_on_the_boundary(disk, wave):
    top = disk.maximum("u")
    assert top.value == pytest.approx(1, abs=1e-12)
    assert max(map(abs, top.at.values())) < 1e-5
    steepest = disk.maximum("slope + x")
    assert steepest.value == pytest.approx(3, abs=1e-6)
    assert steepest.at["x"] == pytest.approx(1, abs=1e-6)
    low = wave.minimum("v - x", t=1)  # at x = 1/2
    assert (low.value, low.at["t"]) == (pytest.approx(-0.25, abs=1e-12), 1)
    assert wave.maximum("v").value == pytest.approx(2 * np.pi**2, rel=1e-12)  # in a corner


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("u +", "cannot read 'u +'"),
        ("w^2", "unknown name 'w'"),
        ("u(0, x)", "here write 'u'"),
        ("", "'' is not a field"),
        ("1/0", "division by zero"),
        ("u^2 = 3", "without an equals sign"),
        (3, "must be text"),
    ],
)
def test_wrong_formulas_are_one_line(wave, formula, says):
    with pytest.raises(
        InputError, match="(?s)" + says.replace("^", r"\^").replace("(", r"\(").replace("+", r"\+")
    ):
        wave(formula, t=0, x=0)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"t": [0, 1]}, "not for an array"),
        ({"y": 1}, "not a coordinate: y; the coordinates are t, x"),
        ({"over": "x"}, "no value for t"),
        ({"over": {"x": (0, 9)}, "t": 0}, "over x: .0, 9. is not within"),
        ({"over": {"x": (1, 0)}, "t": 0}, "the lower bound comes first"),
        ({"over": {"x": 1}, "t": 0}, "two bounds are wanted"),
        ({"over": "x", "x": 1, "t": 0}, "x is fixed"),
        ({"x": 1, "t": 0}, "all are fixed"),
    ],
)
def test_wrong_places_are_one_line(wave, given, says):
    with pytest.raises(InputError, match=says):
        wave.maximum("u", **given)


def test_what_cannot_be_integrated_is_said(wave):
    with pytest.raises(InputError, match="no value somewhere"):
        wave.integral("log(x - 1)", t=0)
