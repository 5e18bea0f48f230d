"""Points: inside their box, the same for the same key, spread as their method says, more where residuals are large."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qres.geometry import Sampling, unit_points
from qres.geometry._sampling import choose
from qres.loss import Objective
from qres.problems import Problem
from qres.residuals import create_model

METHODS = ("lhs", "sobol", "grid", "uniform")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("count", "dimension"), [(64, 1), (100, 2), (27, 3)])
def test_points_lie_in_the_unit_cube_and_depend_on_the_key_alone(method, count, dimension):
    points = unit_points(method, count, dimension, jax.random.key(3))
    assert points.shape == (dimension, count)
    assert points.min() >= 0 and points.max() <= 1
    np.testing.assert_array_equal(points, unit_points(method, count, dimension, jax.random.key(3)))
    if method != "grid":
        assert np.any(points != unit_points(method, count, dimension, jax.random.key(4)))


def test_a_latin_hypercube_has_one_point_in_every_slice_of_every_axis():
    points = unit_points("lhs", 50, 3, jax.random.key(0))
    for row in points:
        assert sorted(np.floor(50 * row).astype(int)) == list(range(50))


def test_sobol_points_fill_every_dyadic_cell():
    points = unit_points("sobol", 64, 2, jax.random.key(0))
    cells = set(zip(*np.floor(8 * points).astype(int), strict=True))
    assert len(cells) == 64


def test_a_grid_holds_the_faces_and_at_least_as_many_points_as_asked():
    points = unit_points("grid", 10, 2, jax.random.key(0))
    assert points.shape == (2, 16)
    assert {0.0, 1.0} <= set(points[0])


@pytest.fixture(scope="module")
def objective():
    """The residual is large near x = 1 only."""
    problem = Problem("u_x = 0", {"t": (2, 5), "x": (-1, 1)}, ["u(2, x) = 0"])
    model = create_model(problem, lambda p: jnp.exp(8 * (p[1:2] - 1)), [(0.0, 1.0)])
    return Objective(problem, model, Sampling(points=200, condition_points=11, pool=20))


def test_points_of_a_problem_lie_in_its_box(objective):
    points = objective.draw(jax.random.key(0))
    t, x = points[0][0]
    assert (t.min(), t.max(), x.min(), x.max()) > (2, 4.9, -1, 0.9)
    assert t.max() <= 5 and x.max() <= 1
    np.testing.assert_allclose(points[1][0][1], np.linspace(-1, 1, 11))


def redrawn(objective, points, count):
    pool = objective.pool(objective.start, points, count, jax.random.key(1))
    return pool, pool.chosen(count, jax.random.key(2))


@pytest.mark.parametrize("count", [200, 90])
def test_resampling_goes_where_residuals_are_large(objective, count):
    first = objective.draw(jax.random.key(0))
    pool, fresh = redrawn(objective, first, count)
    _, again = redrawn(objective, first, count)
    np.testing.assert_array_equal(fresh, again)
    assert pool.points.shape == (2, 20 * count)
    np.testing.assert_allclose(pool.size, 8 * np.exp(8 * (pool.points[1] - 1)), rtol=1e-9)
    assert np.mean(first[0][0][1] > 0.5) < 0.3
    assert np.mean(fresh[1] > 0.5) > 0.7
    assert fresh.shape == (2, count)
    assert len({tuple(point) for point in fresh.T}) == count  # none twice


def test_fresh_points_tell_of_a_fit_that_holds_at_its_points_only(objective):
    """Their mean square is compared with that at the points trained on, wherever those are."""
    quiet = objective.draw(jax.random.key(0))
    quiet[0][0][1] = -1.0
    everywhere = 8**2 * (1 - np.exp(-32)) / 32  # the mean of the squared residual over x
    pool, _ = redrawn(objective, quiet, 200)
    assert pool.excess == pytest.approx(everywhere / (64 * np.exp(-32)), rel=0.05)
    loud = objective.draw(jax.random.key(0))
    loud[0][0][1] = 1.0
    assert redrawn(objective, loud, 200)[0].excess == pytest.approx(everywhere / 64, rel=0.05)


@pytest.mark.parametrize(
    ("sampling", "adapts"),
    [
        (Sampling(), True),
        (Sampling(adaptive=False), False),
        (Sampling(resample_every=0), False),
    ],
)
def test_points_adapt_where_they_are_drawn_anew(objective, sampling, adapts):
    model = objective.model(objective.start)
    assert Objective(objective.problem, model, sampling).adapts is adapts


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"method": "sobl"}, "sampling method 'sobl' is not known; did you mean 'sobol'?"),
        ({"points": 0}, "points must be a whole number of 1 or more, not 0"),
        ({"points": 2.5}, "not 2.5"),
        ({"resample_every": -1}, "resample_every must be a whole number of 0 or more, not -1"),
        ({"floor": float("inf")}, "floor must be a number of 0 or more, not inf"),
        ({"pointz": 3}, "'pointz'"),
        ({"adaptive": "yes"}, "adaptive must be true or false, not 'yes'"),
    ],
)
def test_a_mistake_is_named(wrong, says):
    with pytest.raises(ValueError) as caught:
        Sampling.from_dict(wrong)
    assert says in str(caught.value)


def test_plain_data_and_back():
    sampling = Sampling(points=3, method="sobol", floor=0.5)
    assert Sampling.from_dict(sampling.to_dict()) == sampling


def test_points_are_chosen_as_often_as_their_weight_says():
    points, size = np.array([[0.1, 0.5, 0.9]]), np.array([0.0, 1.0, 3.0])
    found = [choose(jax.random.key(seed), points, size, 1, 1.0, 0.5) for seed in range(2000)]
    expected = (size / size.mean() + 0.5) / np.sum(size / size.mean() + 0.5)
    np.testing.assert_allclose(np.bincount(np.concatenate(found)) / 2000, expected, atol=0.04)
    both = choose(jax.random.key(0), points, size, 2, 1.0, 0.0)
    assert both.tolist() == [1, 2]  # what weighs nothing is left out
    both = choose(jax.random.key(0), points, np.array([1.0, np.nan, 3.0]), 2, 1.0, 0.5)
    assert both.tolist() == [0, 2]


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_every_part_of_the_domain_gets_its_share(dimension):
    random = np.random.default_rng(0)
    points = random.random((dimension, 20_000))
    size = np.where(points[0] < 0.5, 1.0, 3.0)
    chosen = choose(jax.random.key(0), points, size, 2000, 1.0, 0.0)
    assert len(set(chosen.tolist())) == 2000
    for row in points:
        low = row < 0.5
        expected = 2000 * size[low].sum() / size.sum()
        # Draws that know nothing of each other would miss it by 20; the curve crosses a face of the half now and then.
        assert np.count_nonzero(low[chosen]) == pytest.approx(expected, abs=8)


@pytest.mark.parametrize("size", [np.zeros(50), np.r_[1e6, np.zeros(49)], np.arange(50.0)])
def test_as_many_are_chosen_as_asked_whatever_the_sizes(size):
    points = np.random.default_rng(1).random((2, 50))
    for count in (1, 10, 49, 50):
        chosen = choose(jax.random.key(count), points, size, count, 2.0, 0.0)
        assert len(set(chosen.tolist())) == count
