"""The loss is the weighted sum of means of squares, whatever the chunks and padding, and so is its gradient."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

from qres.geometry import Sampling
from qres.loss import AXIS, Objective, term_weights
from qres.networks import Architecture
from qres.problems import Problem
from qres.residuals import create_model

WEIGHTS = {"equation": 2.0, "boundary": 3.0, "initial": 0.5}


def burgers():
    return Problem(
        "u_t + u*u_x = nu*u_xx",
        {"t": (0, 1), "x": (-1, 1)},
        ["u(0, x) = -sin(pi*x)", "u(t, -1) = 0", "u_x(t, 1) + 2*u(t, 1) = 1"],
        constants={"nu": 0.1},
    )


@pytest.fixture(scope="module")
def network():
    return Architecture(width=4, depth=1).build(burgers(), key=jax.random.key(0))


@pytest.fixture(scope="module")
def objective(network):
    problem = burgers()
    return Objective(
        problem, create_model(problem, network), Sampling(points=37, condition_points=9), WEIGHTS
    )


@pytest.fixture(scope="module")
def points(objective):
    return objective.draw(jax.random.key(1))


def direct(network):
    """Value and derivatives of the network at one point, by nested reverse mode: nothing of the jets is in it."""

    def u(parameters, t, x):
        return parameters(jnp.stack([t, x])[:, None])[0, 0]

    u_x = jax.grad(u, 2)

    def equation(net, t, x):
        value, slope = jax.value_and_grad(u, 2)(net, t, x)
        return jax.grad(u, 1)(net, t, x) + value * slope - 0.1 * jax.grad(u_x, 2)(net, t, x)

    terms = {
        "equation": equation,
        "initial": lambda net, t, x: u(net, 0.0, x) + jnp.sin(jnp.pi * x),
        "boundary_1": lambda net, t, x: u(net, t, -1.0),
        "boundary_2": lambda net, t, x: u_x(net, t, 1.0) + 2 * u(net, t, 1.0) - 1,
    }
    weights = {"equation": 2.0, "initial": 0.5, "boundary_1": 3.0, "boundary_2": 3.0}

    def loss(net, points):
        return sum(
            weights[name] * jnp.mean(jax.vmap(lambda t, x, f=f: f(net, t, x))(*points[name]) ** 2)
            for name, f in terms.items()
        )

    return loss


def points_by_term(objective, points):
    return {
        name: jnp.asarray(points[i][j])
        for i, block in enumerate(objective.blocks)
        for j, segment in enumerate(block.segments)
        for name in segment.names
    }


def loss_and_grad(objective, theta, batch):
    target = objective.engine.target
    return target.program(target.value_and_grad, (P(), P(AXIS)), P())(theta, batch)


def test_loss_and_gradient_are_those_of_a_direct_computation(objective, network, points):
    by_term = points_by_term(objective, points)
    value, grad = loss_and_grad(objective, objective.start, objective.batch(points))

    def of(theta):
        return direct(network)(objective.model(theta).network, by_term)

    expected, slope = jax.jit(jax.value_and_grad(of))(objective.start)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(grad, slope, rtol=1e-9, atol=1e-12 * float(jnp.abs(slope).max()))


def test_terms_have_names_and_sum_to_the_loss(objective, points):
    batch = objective.batch(points)
    terms = objective.engine.terms(objective.start, batch)
    assert objective.names == ("equation", "initial", "boundary_1", "boundary_2")
    assert set(terms) == set(objective.names)
    value, _ = loss_and_grad(objective, objective.start, batch)
    np.testing.assert_allclose(sum(terms.values()), value, rtol=1e-12)


@pytest.mark.parametrize("count", [1, 7, 64, 501])
def test_chunks_and_padding_change_nothing(objective, network, count, monkeypatch):
    """Few points to a chunk, so that there are many; the residuals and their mean stay the same."""
    monkeypatch.setattr("qres.loss._engine.chunk_points", lambda model, channels: 3)
    problem, model = objective.problem, create_model(objective.problem, network)
    many = Objective(problem, model, Sampling(points=count, condition_points=5), WEIGHTS)
    points = many.draw(jax.random.key(2))
    batch = many.batch(points)
    value = sum(many.engine.terms(many.start, batch).values())
    expected = jax.jit(direct(network))(network, points_by_term(many, points))
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    if count == 501:
        assert batch[0]["points"][0].shape[0] > many.engine.mesh.size
        value, grad = loss_and_grad(many, many.start, batch)
        slope = jax.jit(
            jax.grad(lambda v: direct(network)(many.model(v).network, points_by_term(many, points)))
        )(many.start)
        np.testing.assert_allclose(grad, slope, rtol=1e-9, atol=1e-12 * float(jnp.abs(slope).max()))


@pytest.mark.parametrize("count", [1, 40, 100, 200])
def test_room_for_more_points_changes_nothing(objective, network, count, monkeypatch):
    """The same program for any number of points: loss, gradient, residuals and their order are those without room."""
    monkeypatch.setattr("qres.loss._engine.chunk_points", lambda model, channels: 10)
    problem, model = objective.problem, create_model(objective.problem, network)
    tight, roomy = (
        Objective(problem, model, Sampling(points=200, adaptive=adaptive), WEIGHTS)
        for adaptive in (False, True)
    )
    points = tight.draw(jax.random.key(3), count)
    assert points[0][0].shape[1] == count
    batches = [each.batch(points) for each in (tight, roomy)]
    assert (
        batches[1][0]["points"][0].shape == roomy.batch(roomy.draw(jax.random.key(3)))[0]["points"][0].shape
    )
    (value, grad), (expected, slope) = (
        loss_and_grad(each, each.start, batch)
        for each, batch in zip((roomy, tight), batches[::-1], strict=True)
    )
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(grad, slope, rtol=1e-9, atol=1e-12 * float(jnp.abs(slope).max()))
    found, wanted = (
        each.engine.residuals(0, each.start, batch[0], [count])
        for each, batch in zip((roomy, tight), batches[::-1], strict=True)
    )
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12, atol=1e-14)


def test_normal_equations_are_those_of_the_jacobian(objective, points):
    target, batch = objective.engine.target, objective.batch(points)
    assert target.normal is not None
    loss, JTJ, JTr = target.program(target.normal, (P(), P(AXIS)), P())(objective.start, batch)

    def weighted(theta):
        rows = []
        for number, block in enumerate(objective.blocks):
            chunk = {"points": tuple(jnp.asarray(a) for a in points[number])}
            for segment, residual in zip(
                block.segments, block.residuals(objective.model(theta), chunk), strict=True
            ):
                weights = jnp.array([objective.weights[name] for name in segment.names])
                rows.append((jnp.sqrt(weights / residual.shape[1])[:, None] * residual).ravel())
        return jnp.concatenate(rows)

    residual, jacobian = weighted(objective.start), jax.jit(jax.jacfwd(weighted))(objective.start)
    np.testing.assert_allclose(loss, residual @ residual, rtol=1e-12)
    np.testing.assert_allclose(JTJ, jacobian.T @ jacobian, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(JTr, jacobian.T @ residual, rtol=1e-9, atol=1e-11)


def test_any_callable_gives_the_residuals_of_the_network(objective, network, points):
    """A network not made of our layers goes by nested differentiation, to the same residuals."""
    other = Objective(
        objective.problem, create_model(objective.problem, lambda x: network(x)), objective.sampling
    )
    for number in range(len(objective.blocks)):
        counts = [array.shape[1] for array in points[number]]
        found = [
            one.engine.residuals(number, one.start, one.batch(points)[number], counts)
            for one in (objective, other)
        ]
        for a, b in zip(*found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_weights_by_name_and_by_kind():
    names = ("equation", "boundary_1", "boundary_2")
    assert term_weights(names, {"boundary": 3, "boundary_2": 5.0}) == {
        "equation": 1.0, "boundary_1": 3.0, "boundary_2": 5.0
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"boundry": 1}, "no term is called 'boundry'; did you mean 'boundary'?"),
        ({"initial": 1}, "the terms are equation, boundary_1, boundary_2, boundary"),
        ({"equation": -1}, "equation must be a number of 0 or more, not -1"),
        ({"equation": float("nan")}, "not nan"),
        ({"equation": "1"}, "not '1'"),
        ({"equation": True}, "not True"),
    ],
)
def test_wrong_weights_are_named(given, says):
    with pytest.raises(ValueError) as caught:
        term_weights(("equation", "boundary_1", "boundary_2"), given)
    assert says in str(caught.value)


@pytest.mark.parametrize("kind", [np.asarray, jnp.asarray])
def test_a_vector_becomes_the_model_it_came_from(kind):
    problem = Problem("u_x = k*u", {"x": (0, 1)}, ["u(0) = 1"], unknowns={"k": 0.5})
    model = create_model(problem, Architecture(width=3, depth=2).build(problem, key=jax.random.key(0)))
    vector, unflatten = model.flatten()
    back = unflatten(kind(vector))
    assert isinstance(vector, np.ndarray) and jax.tree.structure(back) == jax.tree.structure(model)
    for ours, theirs in zip(jax.tree.leaves(back), jax.tree.leaves(model), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
