"""Points that adapt: few at first, and not for long; more where fresh ones show that the fit does not hold."""

import jax
import numpy as np
import pytest

import qres
from qres.loss import Objective, PointBudget, first_point_budget, next_point_budget
from qres.residuals import create_model
from qres.training.loop._points import PointSchedule

MOST = qres.Sampling(points=4000, resample_every=400)


def objective(sampling, width=20):
    problem = qres.Problem("u_t = u_xx", {"t": (0, 1), "x": (0, 1)})
    network = qres.QRes(problem, width=width, depth=4, key=jax.random.key(0))
    return Objective(problem, create_model(problem, network), sampling)


def test_a_run_begins_with_as_many_points_as_parameters():
    wide = objective(MOST)
    assert first_point_budget(wide) == PointBudget(wide.engine.size, 50)
    assert first_point_budget(objective(MOST, width=5)) == PointBudget(1000, 50)  # fewer would not be faster
    assert first_point_budget(objective(qres.Sampling(points=300, resample_every=20))) == PointBudget(300, 20)
    assert first_point_budget(objective(qres.Sampling(adaptive=False))) == PointBudget(4000, 400)


@pytest.mark.parametrize(
    ("last", "excess", "following"),
    [
        (PointBudget(1000, 50), 1.0, PointBudget(1000, 100)),  # it holds: longer
        (PointBudget(1000, 300), 1.0, PointBudget(1000, 400)),
        (PointBudget(1000, 400), 0.3, PointBudget(1000, 400)),
        (PointBudget(1000, 200), 2.0, PointBudget(1000, 200)),  # so, so
        (
            PointBudget(1000, 200),
            3.0,
            PointBudget(1500, 100),
        ),  # it does not hold: more points, and others sooner
        (PointBudget(3000, 30), 1e5, PointBudget(4000, 25)),
        (PointBudget(1000, 200), float("nan"), PointBudget(1500, 100)),
        (PointBudget(1000, 400), float("inf"), PointBudget(1500, 200)),
    ],
)
def test_fresh_points_say_how_many_there_should_be(last, excess, following):
    assert next_point_budget(MOST, last, excess) == following


@pytest.mark.parametrize("excess", [1.0, 10.0])
def test_no_draw_lasts_longer_than_is_said(excess):
    assert next_point_budget(
        qres.Sampling(points=10, resample_every=5), PointBudget(10, 5), excess
    ) == PointBudget(10, 5)


BUMPS = qres.Problem("u_x = 40*cos(40*x)*exp(t)", {"t": (0, 1), "x": (0, 6)}, ["u(t, 0) = 0"])


def solve(sampling=None, **options):
    network = qres.Architecture(width=8, depth=3)
    return qres.solve(
        BUMPS, network, sampling=sampling or qres.Sampling(points=3000), progress=False, **options
    )


@pytest.fixture
def draws(monkeypatch):
    """What every redraw of a run decides."""
    seen, resample = [], PointSchedule.resample

    def watched(self, theta, done):
        resample(self, theta, done)
        assert self.points[0][0].shape[1] == self.draw.points
        seen.append((done, self.draw))

    monkeypatch.setattr(PointSchedule, "resample", watched)
    return seen


def test_a_run_gets_more_points_as_it_needs_them_and_goes_on_the_same_after_a_stop(
    tmp_path, draws, monkeypatch
):
    """With few points to begin with, this network makes the residuals vanish there and nowhere else."""
    monkeypatch.setattr(
        "qres.training.loop._points.first_point_budget", lambda objective, all_points: PointBudget(40, 50)
    )
    whole = solve(iterations=700)
    once = list(draws)
    draws.clear()
    solve(iterations=330, run=tmp_path / "run")
    again = qres.resume(tmp_path / "run", iterations=700, progress=False)
    assert draws == once
    counts = [draw.points for _, draw in once]
    assert counts == sorted(counts)
    assert counts[-1] > 100
    assert len({draw.iterations for _, draw in once}) > 1
    np.testing.assert_array_equal(whole(t=0.5, x=[1.0, 2.0]), again(t=0.5, x=[1.0, 2.0]))


def test_levenberg_marquardt_draws_points_sooner(draws):
    """One of its iterations does the work of twenty."""
    solve(optimizer="lm", iterations=9)
    (first, kept), (second, _) = draws[:2]
    assert (first, second) == (2, 2 + kept.iterations // 20)


@pytest.mark.parametrize(("method", "count"), [("data", 12), ("grid", 300)])
def test_points_with_a_number_of_their_own_keep_it(draws, method, count):
    x = np.linspace(0, 6, 12)
    measured = qres.Problem("u_x = cos(x)", {"x": (0, 6)}, data=qres.Data({"x": x, "u": np.sin(x)}))
    problem = measured if method == "data" else BUMPS
    sampling = qres.Sampling(points=300, resample_every=10, method=method)
    qres.solve(problem, qres.Architecture(width=5, depth=2), sampling=sampling, iterations=25, progress=False)
    assert draws[0] == (10, PointBudget(count, 10))


def test_points_that_do_not_adapt_are_all_there_from_the_first(draws):
    fixed = qres.Sampling(points=300, resample_every=20, adaptive=False)
    solve(fixed, iterations=50)
    assert draws == [(20, PointBudget(300, 20)), (40, PointBudget(300, 20))]
