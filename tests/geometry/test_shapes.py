"""Shapes in words: where they are, their surfaces by name and in part, and what is refused."""

import jax
import numpy as np
import pytest

from qres.geometry import surface_points
from qres.problems import Problem
from qres.runtime.errors import InputError

PLANE = {"x": (-1, 1), "y": (-1, 1)}
SPACE = {"x": (-1, 1), "y": (-1, 1), "z": (-1, 1)}


def problem(inside=(), conditions=(), domain=PLANE, **more):
    laplace = " + ".join(f"u_{name}{name}" for name in domain if name != "t")
    return Problem(f"{laplace} = 0", domain, conditions, inside=inside, **more)


def points_on(found, place, count=200):
    surface = found.conditions[place].surface
    assert surface is not None
    return surface_points(found, surface, count, jax.random.key(0))


@pytest.mark.parametrize(
    ("inside", "share", "domain"),
    [
        ("disk(0.1, -0.2, 0.5)", np.pi * 0.25 / 4, PLANE),
        ("box(-1, -1, 1, 1) - disk(0, 0, 0.5)", 1 - np.pi * 0.25 / 4, PLANE),
        ("rectangle(-0.5, 0, 1, 0.5)", 0.75 / 4, PLANE),
        ("box(-1, -1, 0, 1) | box(-1, -1, 1, 0)", 0.75, PLANE),
        ("box(-1, -1, 0, 1) + box(0, -1, 1, 0)", 0.75, PLANE),
        ("disk(0, 0, 1) & halfplane(0, 0, 1, 1)", np.pi / 8, PLANE),
        ("disk(0, 0, 1) & (x < 0) & (0 < y)", np.pi / 16, PLANE),
        ("disk(0, 0, 1) and (x < 0 or y < 0)", np.pi * 3 / 16, PLANE),
        ("-disk(0, 0, 1)", 1 - np.pi / 4, PLANE),
        ("ellipse(0, 0, 0.9, a/2)", np.pi * 0.9 * 0.5 / 4, PLANE),
        ("polygon((-1, -1), (1, -1), (0, 1))", 0.5, PLANE),
        ("polygon(-1, -1, 0, 1, 1, -1)", 0.5, PLANE),
        ("hole + box(0.5, 0.5, 1, 1)", (np.pi * 0.04 + 0.25) / 4, PLANE),
        ("ball(0, 0, 0, 1)", 4 / 3 * np.pi / 8, SPACE),
        ("ellipsoid(0, 0, 0, 1, 0.5, 0.25)", 4 / 3 * np.pi / 64, SPACE),
        ("cylinder(0, 0, 0.5)", np.pi * 0.25 / 4, SPACE),
        ("cylinder(0, 0, 0.5, -0.5, 1)", np.pi * 0.25 * 1.5 / 8, SPACE),
        ("cylinder(-0.5, 0, 0, 0.5, 0, 0, 0.5)", np.pi * 0.25 / 8, SPACE),
        ("halfspace(0, 0, 0.5, 0, 0, 2)", 0.75, SPACE),
        ("box(-1, -1, -1, 0, 0, 0)", 0.125, SPACE),
    ],
)
def test_shapes_have_their_area_and_volume(inside, share, domain):
    shapes = {"hole": "disk(0, 0, 0.2)"} if domain is PLANE else {}
    region = problem(inside, domain=domain, constants={"a": 1.0}, shapes=shapes).region
    assert region is not None
    points = np.random.default_rng(0).uniform(-1, 1, (len(domain), 100_000))
    assert np.mean(region.contains(points)) == pytest.approx(share, abs=5e-3)


def test_a_shape_may_move():
    found = problem("disk(t - 0.5, 0, 0.4)", "u = 0 on boundary", {"t": (0, 1), **PLANE})
    t, x, y = points_on(found, 0)
    np.testing.assert_allclose((x - t + 0.5) ** 2 + y**2, 0.16, rtol=1e-7)


def test_a_condition_on_a_shape_by_its_name():
    found = problem(
        "box(-1, -1, 1, 1) - slot", ["u = 1 on slot", "u_n = x on boundary"], exact={"u": "1"},
        shapes={"slot": "box(-0.5, -0.1, 0.5, 0.1)"},
    )  # fmt: skip
    on_slot = [k for k, one in enumerate(found.conditions) if one.text.endswith("slot")]
    assert len(on_slot) == 4
    for place in on_slot:
        x, y = points_on(found, place)
        np.testing.assert_allclose(np.maximum(np.abs(x) / 0.5, np.abs(y) / 0.1), 1.0, rtol=1e-8)
    assert all("slot" in found.conditions[k].mathml() for k in on_slot)


@pytest.mark.parametrize(
    ("condition", "lower", "upper"),
    [
        ("u = 0 on y = 1 and x < 0", (-1, 1), (0, 1)),
        ("u = 0 on 0 < x and y = 1", (0, 1), (1, 1)),
        ("u = 0 on part and y > 0.25", (-0.45, 0.25), (0.45, 0.5)),
        ("u = 0 on boundary and (x < -0.9 or x > 1)", (-1, -1), (-0.9, 1)),
    ],
)
def test_a_condition_on_a_part_of_a_surface(condition, lower, upper):
    found = problem((), [condition], shapes={"part": "disk(0, 0, 0.5)"})
    points = np.concatenate([points_on(found, k) for k in range(len(found.conditions))], axis=1)
    np.testing.assert_allclose(points.min(axis=1), lower, atol=0.05)
    np.testing.assert_allclose(points.max(axis=1), upper, atol=0.05)
    assert np.all(points.min(axis=1) >= np.array(lower) - 1e-9)


@pytest.mark.parametrize(("place", "flux"), [("x = 1", 1), ("x = -1", -1), ("y = 1", 2), ("y = -1", -2)])
def test_a_face_of_the_box_by_its_equation_has_an_outward_normal(place, flux):
    found = problem((), f"u_n = {flux} on {place} and x + y > -1.5", exact={"u": "x + 2*y"})
    assert not [warning for warning in found.warnings if "boundary" in warning]


@pytest.mark.parametrize("corners", ["(-1, -1), (1, -1), (0, 1)", "(0, 1), (1, -1), (-1, -1)"])
def test_the_normal_of_a_polygon_points_outwards(corners):
    """Of u = x the slope along the outward normal is the normal's first component."""
    slopes = "where(y < -0.999, 0, where(x < 0, -2, 2)/sqrt(5))"
    for flux, holds in ((slopes, True), (f"-{slopes}", False)):
        found = problem(f"polygon({corners})", f"u_n = {flux} on boundary", exact={"u": "x"})
        assert (not [warning for warning in found.warnings if "boundary" in warning]) == holds


def test_pieces_that_touch_have_no_boundary_in_common():
    found = problem("box(-1, -1, 0.2, 1) + box(0.2, -1, 1, 0)", "u = 0 on boundary")
    for place in range(len(found.conditions)):
        x, y = points_on(found, place)
        assert not np.any((np.abs(x - 0.2) < 1e-6) & (y < -1e-6) & (y > -1 + 1e-6))


def test_a_shape_survives_being_written_and_read():
    stated = problem("box(-1, -1, 1, 1) - hole", "u = 0 on hole", shapes={"hole": "disk(0, 0, 0.5)"})
    again = Problem.from_dict(stated.to_dict())
    assert again.to_dict() == stated.to_dict()
    assert again.conditions[0].text == "u = 0 on hole"


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("disk(0, 0)", r"disk is written disk\(x0, y0, r\), not with 2"),
        ("disk(0, 0, -1)", "r of disk must be above 0, not -1"),
        ("dsk(0, 0, 1)", "unknown shape 'dsk'; did you mean 'disk'"),
        ("box(1, 0, 0, 1)", "x0 = 1 must be below x1 = 0"),
        ("ball(0, 0, 0, 1)", "ball is for 3 coordinates of space, and there are 2"),
        ("disk(x, 0, 1)", "not 'x'"),
        ("holl - disk(0, 0, 1)", "each part must be a comparison, .* not 'holl'; did you mean 'hole'"),
        ("disk(0, 0, 1) - 3", "or a shape, not '3'"),
        ("disk(0, 0, 0.1) - disk(0, 0, 0.2)", "none is inside"),
        ("halfplane(0, 0, 0, 0)", "the normal must not be zero"),
        ("polygon((0, 0), (1, 1), (1, 0), (0, 1))", r"crosses or touches itself near \(0.5, 0.5\)"),
        ("polygon((0, 0), (1, 1))", "three different corners, not 2"),
        ("polygon((0, 0), (1, 1, 1))", r"polygon is written polygon\(\(x1, y1\)"),
        ("disk(0, 0, 1) = 2", "a comparison is wanted"),
    ],
)
def test_a_shape_that_makes_no_sense_is_refused(inside, message):
    with pytest.raises(InputError, match=message):
        problem(inside, shapes={"hole": "disk(0, 0, 0.2)"})


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("u = 0 on hole", "there is no surface called 'hole'; those are boundary, rim"),
        ("u = 0 on x = 0 and y = 0", "say once what the condition is on"),
        ("u = 0 on x < 1", "say once what the condition is on"),
        ("u = 0 on boundary and x > 3", "no point of the boundary is there"),
        ("u = 0 on rim and x > 3", "no point of the box is on 'that part of it'"),
    ],
)
def test_a_place_that_makes_no_sense_is_refused(condition, message):
    with pytest.raises(InputError, match=message):
        problem((), condition, shapes={"rim": "disk(0, 0, 0.5)"})


@pytest.mark.parametrize("name", ["disk", "boundary", "u", "x", "k", "2d"])
def test_a_name_that_is_taken_is_no_name_of_a_shape(name):
    with pytest.raises(InputError, match=r"taken|a name is a letter"):
        problem((), shapes={name: "disk(0, 0, 0.5)"}, constants={"k": 1.0})
