"""Loss terms of the user's own: residuals at points of their own, beside those of the problem."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qres.geometry import Sampling
from qres.loss import Objective
from qres.networks import Architecture
from qres.problems import Problem
from qres.residuals import create_model
from qres.runtime.errors import InputError


class Slope:
    """`k u_x = x` at some points on a line."""

    def points(self, key):
        return np.stack([np.full(9, 0.5), np.asarray(jax.random.uniform(key, (9,)))])

    def residual(self, fields, points, unknowns):
        return unknowns["k"] * fields["u"].x - points["x"]


class Crooked(Slope):
    def points(self, key):
        return np.zeros((3, 4))


def objective(terms, **more):
    problem = Problem(
        "u_t = k*u_xx", {"t": (0, 1), "x": (0, 1)}, ["u(0, x) = 0", "u(t, 0) = t"], unknowns={"k": 0.5}
    )
    network = Architecture(width=4, depth=1).build(problem, key=jax.random.key(0))
    return Objective(
        problem, create_model(problem, network), Sampling(points=20, condition_points=6), terms=terms, **more
    )


def test_a_term_is_a_mean_square_of_its_own():
    plain, with_term = objective(None), objective({"slope": Slope()}, weights={"slope": 3.0})
    assert with_term.names == (*plain.names, "slope")
    points = with_term.draw(jax.random.key(1))
    terms = with_term.engine.terms(with_term.start, with_term.batch(points))
    network = with_term.model(with_term.start).network
    at = jnp.asarray(points[1][-1])
    assert at.shape == (2, 9)
    u_x = jax.vmap(jax.grad(lambda x, t: network(jnp.stack([t, x])[:, None])[0, 0]))(at[1], at[0])
    scale = with_term.model(with_term.start).scales[0][1]
    np.testing.assert_allclose(terms["slope"], 3 * np.mean((0.5 * scale * u_x - at[1]) ** 2), rtol=1e-12)
    value, grad = with_term.engine.target.evaluate(with_term.start, with_term.batch(points))
    np.testing.assert_allclose(value, sum(terms.values()), rtol=1e-12)
    assert np.all(np.isfinite(grad))


def test_points_are_drawn_for_each_batch():
    found = objective({"slope": Slope()})
    one, other = (found.draw(jax.random.key(seed))[1][-1] for seed in (1, 2))
    assert not np.array_equal(one, other)


def test_what_is_not_a_term_is_refused():
    with pytest.raises(InputError, match="'initial' is the name of a term of the problem"):
        objective({"initial": Slope()})
    with pytest.raises(InputError, match=r"term 'c': points must be finite numbers of shape \(2, n\)"):
        objective({"c": Crooked()}).draw(jax.random.key(0))
