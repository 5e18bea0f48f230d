"""Shapes: where they are, their surfaces and normals, conditions on them, and what is refused."""

import re

import jax
import numpy as np
import pytest

import qres
from qres.geometry import Sampling, surface_points
from qres.loss import Objective
from qres.problems import Problem
from qres.residuals import create_model
from qres.runs import read_specification
from qres.runtime.errors import InputError

SQUARE = {"x": (-1, 1), "y": (-1, 1)}
LAPLACE = "u_xx + u_yy = 0"


def problem(inside=(), conditions=(), domain=SQUARE, equations=LAPLACE, **more):
    return Problem(equations, domain, conditions, inside=inside, **more)


def on_surface(found, place, count, seed=0):
    surface = found.conditions[place].surface
    assert surface is not None
    return surface_points(found, surface, count, jax.random.key(seed))


def names(found):
    return [condition.name for condition in found.conditions]


@pytest.mark.parametrize(
    ("inside", "points", "expected"),
    [
        ("x^2 + y^2 < 1", [(0, 0), (0.9, 0.9), (0, -0.99)], [True, False, True]),
        ("0.25 < x^2 + y^2 <= 1", [(0, 0), (0.6, 0), (0.9, 0.9)], [False, True, False]),
        ("x < 0 or y < 0", [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5)], [False, True, True]),
        (["x > 0", "y > x"], [(0.2, 0.5), (0.5, 0.2), (-0.2, 0.5)], [True, False, False]),
        ("x < 0 and y < 0", [(0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)], [False, False, True]),
        ("x < 0 and (y < 0 or y > 0.5)", [(-0.5, 0.6), (0.5, 0.6), (-0.5, 0.2)], [True, False, False]),
        ("max(abs(x), abs(y)) < 0.5", [(0.4, -0.4), (0.6, 0), (0, -0.6)], [True, False, False]),
        ("1 > x > 0 or y > 0.5", [(0.5, 0), (-0.5, 0), (-0.5, 0.6)], [True, False, True]),
        ("sqrt(x) < 0.5 or y > 0.5", [(-0.5, 0), (-0.5, 0.6), (0.1, 0)], [False, True, True]),
        ("y < x^a", [(0.5, 0.2), (0.5, 0.3)], [True, False]),
    ],
)
def test_a_region_is_where_all_statements_hold(inside, points, expected):
    region = problem(inside, constants={"a": 2}).region
    assert region is not None
    np.testing.assert_array_equal(region.contains(np.array(points, dtype=float).T), expected)


def test_points_on_a_surface_are_on_it_and_spread_evenly():
    disk = problem("x^2 + y^2 < 0.64", "u = 0 on boundary")
    points = on_surface(disk, 0, 400)
    assert points.shape == (2, 400)
    np.testing.assert_allclose(np.hypot(*points), 0.8, rtol=1e-8)
    counts, _ = np.histogram(np.arctan2(*points), bins=8, range=(-np.pi, np.pi))
    assert counts.min() > 35  # of 50
    assert counts.max() < 65


def test_only_what_bounds_the_region_is_its_boundary():
    ell = problem("x < 0 or y < 0", "u = 0 on boundary")
    assert names(ell) == [f"boundary_{k}" for k in range(1, 7)]  # four faces, two edges of the corner
    for place in (4, 5):
        x, y = on_surface(ell, place, 200)
        assert np.all(np.minimum(np.abs(x), np.abs(y)) < 1e-9)
        assert np.all((x > -1e-9) & (y > -1e-9))
    assert ell.conditions[0].text == "u = 0 on boundary"


def test_the_boundary_of_a_box_is_its_faces_in_space():
    heat = Problem("u_t = u_xx", {"t": (0, 1), "x": (0, 1)}, ["u(0, x) = sin(pi*x)", "u = 0 on boundary"])
    assert names(heat) == ["initial", "boundary_1", "boundary_2"]
    assert [condition.fixed for condition in heat.conditions[1:]] == [{"x": 0.0}, {"x": 1.0}]
    hard = Problem(
        "u_xx + u_yy = -1", SQUARE, "u = 0 on boundary", hard=True, exact={"u": "(1 - x^2)*(1 - y^2)"}
    )
    assert not hard.soft_conditions
    assert len(hard.warnings) == 1  # the exact solution is none of the equation, but satisfies the conditions
    tube = Problem(
        "u_t = u_xx + u_yy", {"t": (0, 1), **SQUARE}, ["u_n = 0 on boundary"], periodic=["x"], fields=["u"]
    )
    assert [condition.fixed for condition in tube.conditions] == [{"y": -1.0}, {"y": 1.0}]


@pytest.mark.parametrize(
    ("conditions", "exact", "holds"),
    [
        (["u_n = 2 on x^2 + y^2 = 0.25"], "-log(x^2 + y^2)/2", True),
        (["u_n = -1 on x^2 + y^2 = 1"], "-log(x^2 + y^2)/2", True),
        (["u_n = -1 on 1 = x^2 + y^2"], "-log(x^2 + y^2)/2", True),
        (["u_n(x, y) = 1 on x^2 + y^2 = 1"], "-log(x^2 + y^2)/2", False),
        (["u_n = x*y*(2*u_x + u_n)/(2*u_x + u_n) on x^2 + y^2 = 1"], "x*y/2", True),
        (["u = x on boundary"], "x", True),
        (["u = x on boundary"], "y", False),
    ],
)
def test_the_normal_points_outwards(conditions, exact, holds):
    ring = problem("0.25 < x^2 + y^2 < 1", conditions, exact={"u": exact})
    wrong = [warning for warning in ring.warnings if "boundary" in warning]
    assert (not wrong) == holds


@pytest.mark.filterwarnings("ignore:.*is not inside")
@pytest.mark.parametrize(
    ("options", "soft"),
    [
        ({"conditions": "u = 0 on boundary", "inside": "x^2 + y^2 < 1"}, {}),
        ({"conditions": "u = exp(x)*y on boundary", "inside": ["x + y < 0.5", "x^2 + y^2 < 1.5"]}, {}),
        ({"conditions": ["u = y on x^2 + y^2 = 1", "u = 1 on x^2 + y^2 = 0.2"],
          "inside": "0.2 < x^2 + y^2 < 1"}, {}),
        ({"conditions": ["u = y on x^2 + y^2 = 1", "u_n = 1 on x^2 + y^2 = 0.2"],
          "inside": "0.2 < x^2 + y^2 < 1"}, {"boundary_2": "is not a field's value"}),
        ({"conditions": "u = 0 on boundary", "inside": "x < 0 or y < 0"},
         {"boundary_5": "goes through the inside", "boundary_6": "goes through the inside"}),
        ({"conditions": ["u(-1, y) = 0", "u = x on x = 0.5", "u = 1 on y = 0.2"], "inside": ["x < 0.5", "y < 0.2"]},
         {"boundary_2": "meets a surface", "boundary_3": "meets a surface"}),
        ({"conditions": ["u = 2 on boundary", "u(0, x) = x"], "inside": "x < 0.5 + t/4",
          "domain": {"t": (0, 1), "x": (0, 1)}, "equations": "u_t = u_xx"},
         {"initial": "does not agree", "boundary_2": "does not agree"}),
        ({"conditions": ["u = 2*t on boundary", "u(0, x) = x*(1 - 2*x)"], "inside": "x < 0.5 + t/4",
          "domain": {"t": (0, 1), "x": (0, 1)}, "equations": "u_t = u_xx"}, {"boundary_2": "does not agree"}),
    ],
)  # fmt: skip
def test_values_on_surfaces_can_be_hard(options, soft):
    """Problem itself checks, by trying two networks, that what is not soft holds."""
    found = problem(**options, hard=True)
    left = {condition.name for condition in found.soft_conditions}
    assert left == set(soft)
    for name, reason in soft.items():
        assert reason in found.soft_reasons[name]
    if not soft:  # and here once more, at many points
        network = qres.Architecture(width=4, depth=1).build(found, key=jax.random.key(0))
        solution = qres.Solution(found, create_model(found, network))
        for place in range(len(found.conditions)):
            if found.conditions[place].surface is not None:
                x, y = on_surface(found, place, 50)
                expected = {"u = 0 on": 0 * x, "u = exp": np.exp(x) * y, "u = y on": y, "u = 1 on": 1 + 0 * x}
                wanted = next(v for k, v in expected.items() if found.conditions[place].text.startswith(k))
                np.testing.assert_allclose(solution("u", x=x, y=y), wanted, atol=1e-7)


def test_a_boundary_may_move():
    ball = Problem(
        "u_t = u_xx", {"t": (0, 1), "x": (0, 3)}, ["u = 0 on x = 1 + t", "u(0, x) = 1 - x"],
        inside="x < 1 + t", exact={"u": "exp(1 + t - x) - 1"},
    )  # fmt: skip
    assert not [w for w in ball.warnings if "boundary" in w]
    points = on_surface(ball, 0, 100)
    np.testing.assert_allclose(points[1], 1 + points[0], rtol=1e-8)
    assert np.ptp(points[0]) > 0.9


def test_points_are_inside_before_and_after_they_are_drawn_anew():
    cut = problem("x + y < 0.5", ["u = 0 on x + y = 0.5", "u(-1, y) = 1", "u(x, 1) = 0"])
    network = qres.Architecture(width=4, depth=1).build(cut, key=jax.random.key(0))
    objective = Objective(cut, create_model(cut, network), Sampling(points=300))
    points = objective.draw(jax.random.key(0))
    x, y = points[0][0]
    assert x.shape == (300,)
    assert np.all(x + y < 0.5)
    line, left, top = points[1]
    np.testing.assert_allclose(line.sum(axis=0), 0.5, atol=1e-8)
    assert left.shape[1] >= 100
    assert np.all(top[0] + 1 <= 0.5)  # of the upper face only that part
    pool = objective.pool(objective.start, points, 300, jax.random.key(1))
    assert pool is not None
    assert pool.points.shape == (2, 3000)
    assert np.all(pool.points.sum(axis=0) < 0.5)


def test_a_region_survives_being_written_and_read(tmp_path):
    ring = problem("0.25 < x^2 + y^2 < 1", ["u = 0 on boundary"])
    again = Problem.from_dict(ring.to_dict())
    assert again.region is not None
    assert again.region.texts == ("0.25 < x^2 + y^2 < 1",)
    assert names(again) == names(ring) == ["boundary_1", "boundary_2"]
    shown = ring.mathml()
    assert shown.count("the boundary") == 1
    assert "<mo>&lt;</mo>" in shown


def test_a_ring_is_solved_and_its_error_estimated(tmp_path):
    ring = problem(
        "0.25 < x^2 + y^2 < 1", ["u = 0 on x^2 + y^2 = 1", "u_n = 2 on x^2 + y^2 = 0.25"],
        exact={"u": "-log(x^2 + y^2)/2"},
    )  # fmt: skip
    solution = qres.solve(
        ring, qres.Architecture(width=10, depth=2), sampling=Sampling(points=800), iterations=150,
        progress=False, run=tmp_path / "run",
    )  # fmt: skip
    error = solution.errors["u"]
    assert error < 0.03
    assert error / 3 < solution.estimate().errors["u"] < 3 * error
    grid = solution.to_xarray((41, 41))["u"]
    outside = np.isnan(grid.values)
    radius = np.hypot(*np.meshgrid(grid.x, grid.y, indexing="ij"))
    np.testing.assert_array_equal(outside, ~((radius**2 > 0.25 - 1e-9) & (radius**2 < 1 + 1e-9)))
    loaded = qres.load(tmp_path / "run" / "solution.qres")
    assert loaded.errors["u"] == error
    page = (tmp_path / "run" / "report.html").read_text()
    assert "NaN" not in re.sub('base64,[^"]*', "", page)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inside": "x"}, "a comparison is wanted"),
        ({"inside": 3}, "inside must be a list"),
        ({"inside": ["x < 0", 3]}, "inside must be text"),
        ({"inside": "x < z"}, "unknown name 'z'"),
        ({"inside": "x < u"}, "unknown name 'u'"),
        ({"inside": "x < < 1"}, "cannot read 'x < < 1'"),
        ({"inside": "x = 1"}, "a comparison is wanted"),
        ({"inside": "x < 1 or y"}, "each part must be a comparison, such as 'x < 0.5', not 'y'"),
        ({"inside": "x > 2"}, "none is inside"),
        ({"conditions": "u = 0 on"}, "say once what the condition is on"),
        ({"conditions": "u = 0 on x = 0 on y = 0"}, "say once what the condition is on"),
        ({"conditions": "u = 0 on x^2 + y^2 = 9"}, "no point of the box is on"),
        ({"conditions": "u = 0 on x = 0.5", "inside": "x < 0"}, "no point inside is on"),
        ({"conditions": "u(0, y) = 0 on boundary"}, "with nothing fixed"),
        ({"conditions": "x = 0 on boundary"}, "with nothing fixed"),
        ({"conditions": "u = 0 on boundary", "periodic": ["x", "y"]}, "there is no boundary"),
        ({"conditions": "u_n(0, y) = 0"}, "derivative in 'n'"),
        ({"inside": "x < 0", "reference": "spectral", "periodic": ["x", "y"]}, "not for a part of it"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        problem(**options)


def test_discrete_time_is_for_boxes(tmp_path):
    file = tmp_path / "part.toml"
    file.write_text("""
[problem]
equations = ["u_t = u_xx"]
conditions = ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"]
inside = "x < 1 - t/2"
[problem.domain]
t = [0, 1]
x = [0, 1]
[time]
stages = 4
""")
    with pytest.raises(InputError, match="discrete time is for a whole box"):
        qres.solve(read_specification(file), iterations=1, progress=False)


def test_measurements_on_the_rim_are_inside():
    a = np.linspace(0, 6, 100)
    data = qres.Data({"x": np.round(np.cos(a), 7), "y": np.round(np.sin(a), 7), "u": np.ones(100)})
    assert not any("not inside" in warning for warning in problem("x^2 + y^2 < 1", data=data).warnings)


def test_measurements_in_a_hole_are_told():
    data = qres.Data({"x": np.array([0.0, 0.6]), "y": np.zeros(2), "u": np.ones(2)})
    found = problem("x^2 + y^2 > 0.25", data=data)
    assert any("1 of 2 points are not inside" in warning for warning in found.warnings)


@pytest.mark.parametrize("width", [0.02, 1e-3, 1e-5])
def test_a_narrow_opening_in_a_face_is_part_of_the_boundary(width):
    inlet = Problem(
        "u_xx + u_yy = 0",
        {"x": (-1, 1), "y": (0, 1)},
        "u = 1 on boundary",
        inside=f"x > -0.9 or abs(y - 0.37) < {width / 2}",
    )
    faces = [dict(condition.fixed) for condition in inlet.conditions if condition.surface is None]
    assert {"x": -1.0} in faces


def test_a_face_that_a_disc_only_touches_is_not_part_of_the_boundary():
    disc = Problem(
        "u_xx + u_yy = 0", {"x": (-1, 1), "y": (-1, 1)}, "u = 1 on boundary", inside="x^2 + y^2 < 1"
    )
    assert [condition.fixed for condition in disc.conditions] == [{}]


def test_points_are_found_in_a_narrow_opening():
    inlet = Problem(
        "u_xx + u_yy = 0",
        {"x": (-1, 1), "y": (0, 1)},
        "u = 1 on boundary",
        inside="x > -0.9 or abs(y - 0.37) < 5e-4",
        hard=False,
    )
    network = qres.Architecture(width=4, depth=1).build(inlet, key=jax.random.key(0))
    objective = Objective(inlet, create_model(inlet, network), Sampling(points=300))
    places = [points for points in objective.draw(jax.random.key(0))[1] if np.all(points[0] == -1)]
    assert places and places[0].shape[1] >= 100
    assert np.all(np.abs(places[0][1] - 0.37) < 5e-4)


def test_a_region_may_be_a_level_function():
    """Positive inside; the same region as from text."""
    text, function = (
        Problem(
            "u_xx + u_yy = -4",
            {"x": (-1, 1), "y": (-1, 1)},
            "u = 0 on boundary",
            inside=inside,
            constants={"a": 0.8},
            exact={"u": "a^2 - x^2 - y^2"},
        )
        for inside in ("x^2 + y^2 < a^2", lambda x, y, a: a**2 - x**2 - y**2)
    )
    points = np.random.default_rng(1).uniform(-1, 1, (2, 1000))
    assert text.region is not None and function.region is not None
    np.testing.assert_array_equal(text.region.contains(points), function.region.contains(points))
    assert [c.surface is not None for c in function.conditions] == [True]
    assert function.mathml()
    assert Problem.from_dict(function.to_dict()).region.texts == function.region.texts  # pyright: ignore
    x, y = on_surface(function, 0, 50)
    np.testing.assert_allclose(x**2 + y**2, 0.64, rtol=1e-8)


def test_a_level_function_of_something_else_is_an_error():
    with pytest.raises(InputError, match="'r'"):
        Problem("u_xx = 0", {"x": (0, 1)}, inside=lambda r: 1 - r)
