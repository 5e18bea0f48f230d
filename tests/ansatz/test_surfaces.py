"""Values on surfaces that are built in: what counts as meeting, and what stays soft for it."""

import pytest

from qres.problems import Problem

BOX = {"x": (-1, 1), "y": (-1, 1)}
OUTSIDE = "(x - {x})^2 + (y - {y})^2 > {r}^2"
ON = "u = {u} on (x - {x})^2 + (y - {y})^2 = {r}^2"


def problem(discs, boundary=("u(-1, y) = 0", "u(1, y) = 0", "u(x, -1) = 0", "u(x, 1) = 0"), bounds=BOX):
    return Problem(
        "u_xx + u_yy = 0",
        bounds,
        [*boundary, *(ON.format(**disc) for disc in discs)],
        inside=[OUTSIDE.format(**disc) for disc in discs],
        hard=True,
    )


def soft(found):
    return {condition.name for condition in found.soft_conditions}


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_small_disc_far_from_the_faces_does_not_meet_them(unit):
    disc = {"x": 0.5 * unit, "y": 0.5 * unit, "r": 0.2 * unit, "u": 1}
    bounds = dict.fromkeys(BOX, (-unit, unit))
    faces = [f"u({-unit}, y) = 0", f"u({unit}, y) = 0", f"u(x, {-unit}) = 0", f"u(x, {unit}) = 0"]
    found = problem([disc], faces, bounds)
    assert soft(found) == set()
    assert found.soft_reasons == {}


def test_a_disc_that_touches_a_face_meets_it():
    found = problem([{"x": 0.8, "y": 0.0, "r": 0.2, "u": 1}])
    assert "meets a surface on which u has another value" in found.soft_reasons["boundary_5"]
    assert "boundary_5" in soft(found)


def test_only_the_surfaces_that_meet_stay_soft():
    discs = [
        {"x": -0.5, "y": -0.5, "r": 0.2, "u": 1},
        {"x": -0.3, "y": -0.5, "r": 0.2, "u": 2},
        {"x": 0.5, "y": 0.5, "r": 0.2, "u": 3},
    ]
    found = problem(discs)
    assert soft(found) == {"boundary_5", "boundary_6"}
    assert set(found.soft_reasons) == {"boundary_5", "boundary_6"}
    assert all("meets a surface" in reason for reason in found.soft_reasons.values())
