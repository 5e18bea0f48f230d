"""Loss terms and samplers of the user's own in `solve`: weighted, recorded, kept by name, resumed to the bit."""

from typing import Any

import numpy as np
import pytest

import qres
from qres.geometry import SAMPLERS
from qres.posed.evaluator import TERMS
from qres.runtime.random import generator

SMALL = qres.Architecture(width=4, depth=1)
FEW: dict[str, Any] = {"points": 60, "condition_points": 20, "resample_every": 6, "adaptive": False}
QUICK: dict[str, Any] = {"estimate": False, "progress": False}
AT = {"t": np.linspace(0, 1, 7), "x": 0.3}


class Mass:
    """`u_x = slope` on the left."""

    def __init__(self, slope=0.0):
        self.slope = slope

    def points(self, key):
        return np.stack([generator(key).random(9), np.zeros(9)])

    def residual(self, fields, points, unknowns):
        return fields["u"].x - self.slope + 0 * points["t"]


class Left:
    """Uniform points of the left half; at a resampling those of a pool with the largest residuals."""

    def __init__(self):
        self.residuals = []

    def draw(self, domain, count, key, residual=None):
        lower, upper = (np.array(ends)[:, None] for ends in (domain.lower, domain.upper))
        share = generator(key).random((2, 3 * count)) * np.array([[1.0], [0.5]])
        points = lower + (upper - lower) * share
        if residual is None:
            return points[:, :count]
        self.residuals.append(residual(points))
        return points[:, np.argsort(-self.residuals[-1])[:count]]


@pytest.fixture(autouse=True)
def registries(monkeypatch):
    for registry in (TERMS, SAMPLERS):
        monkeypatch.setattr(registry, "added", {})


def heat(**more: Any):
    conditions = ["u(0, x) = cos(pi*x)", "u(t, 1) = -exp(-t)"]
    return qres.Problem("u_t = 0.1*u_xx", {"t": (0, 1), "x": (0, 1)}, conditions, **more)


def solve(iterations=14, **more: Any):
    return qres.solve(heat(), SMALL, sampling=qres.Sampling(**FEW), iterations=iterations, **QUICK, **more)


def test_a_run_with_an_own_term_is_resumed_to_the_bit(tmp_path):
    once = solve(terms={"mass": Mass()}, weights={"mass": 5.0}, run=tmp_path / "once")
    assert all("mass" in record.terms for record in once.history)
    assert "mass" in (tmp_path / "once" / "report.html").read_text()
    assert 'terms = [\n    "<mass>",\n]' in (tmp_path / "once" / "specification.toml").read_text()
    solve(5, terms={"mass": Mass()}, weights={"mass": 5.0}, run=tmp_path / "cut")
    resumed = qres.resume(tmp_path / "cut", terms={"mass": Mass()}, iterations=14, **QUICK)
    np.testing.assert_array_equal(resumed("u", **AT), once("u", **AT))
    assert resumed.result.loss == once.result.loss
    refused: list[tuple[dict[str, Any], str]] = [
        ({}, "term <mass> was given as an object"),
        ({"terms": {"other": Mass()}}, "the run has mass, and goes on with no others, such as other"),
        ({"terms": {"mass": Mass(1.0)}}, "term 'mass': the one that was given has other values"),
    ]
    for given, message in refused:
        with pytest.raises(qres.InputError, match=message):
            qres.resume(tmp_path / "cut", **given, **QUICK)


def test_a_registered_term_is_found_by_its_name(tmp_path):
    qres.extend.register_term("mass", Mass())
    one, other = solve(terms=["mass"], run=tmp_path / "run"), solve(terms={"mass": Mass()})
    assert one.result.loss == other.result.loss
    assert qres.resume(tmp_path / "run", **QUICK).result.loss == one.result.loss
    changed = solve(terms=["mass"], weights={"mass": 50.0})
    assert changed.result.loss != one.result.loss


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"data_2": Mass()}, "'data_2' is a name of the problem's own terms"),
        ({"mass": Mass}, "has no methods points"),
        (["mass"], "loss term 'mass' is not known"),
        ({"the mass": Mass()}, "'the mass' is no name"),
        ("mass", "terms must be"),
    ],
)
def test_what_is_no_term_is_refused(terms, message):
    with pytest.raises(qres.InputError, match=message):
        solve(terms=terms)


def test_a_sampler_draws_the_points_and_sees_the_residuals(tmp_path):
    left = Left()
    qres.extend.register_sampler("left", left)
    sampling = qres.Sampling(**FEW, method="left")
    seen = []
    callbacks = [lambda view: seen.append(view.iteration)]
    once = qres.solve(heat(), SMALL, sampling=sampling, iterations=14, **QUICK, callbacks=callbacks)
    assert len(left.residuals) == 2  # after 6 and 12 iterations
    assert all(size.shape == (180,) and np.all(size >= 0) and size.std() > 0 for size in left.residuals)
    qres.solve(heat(), SMALL, sampling=sampling, iterations=5, run=tmp_path / "run", **QUICK)
    resumed = qres.resume(tmp_path / "run", iterations=14, **QUICK)
    np.testing.assert_array_equal(resumed("u", **AT), once("u", **AT))
    SAMPLERS.added.clear()
    with pytest.raises(qres.InputError, match=r"sampling method .left. is not known.*register_sampler"):
        qres.resume(tmp_path / "run", iterations=14, **QUICK)


class Few(Left):
    def draw(self, domain, count, key, residual=None):
        return super().draw(domain, count - 1, key)


class Outside(Left):
    def draw(self, domain, count, key, residual=None):
        return super().draw(domain, count, key) - 0.2


@pytest.mark.parametrize(
    ("sampler", "message"),
    [(Few(), r"points must have shape \(2, 60\)"), (Outside(), "of 60 points are not inside the domain")],
)
def test_points_that_were_not_asked_for_are_refused(sampler, message):
    qres.extend.register_sampler("wrong", sampler)
    with pytest.raises(qres.InputError, match=rf"sampler 'wrong': .*{message}"):
        qres.solve(heat(), SMALL, sampling=qres.Sampling(**FEW, method="wrong"), iterations=2, **QUICK)
    with pytest.raises(qres.InputError, match="has no method draw"):
        qres.extend.register_sampler("none", object())  # pyright: ignore[reportArgumentType]
