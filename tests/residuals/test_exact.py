"""The exact solution leaves no residual, for equations and conditions of every kind."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qres.fields import model_fields
from qres.geometry import Sampling
from qres.jets import Truncation, sin
from qres.loss import Objective
from qres.networks import Architecture
from qres.posed import Condition
from qres.posed.evaluator import coordinate_jets
from qres.problems import Problem
from qres.residuals import create_model

PI = np.pi
TX = {"t": (0, 1), "x": (0, 1)}


def heat(conditions, **more):
    return Problem("u_t = k*u_xx", TX, conditions, constants={"k": 0.1}, **more)


def decaying(wave):
    return lambda p: jnp.exp(-0.1 * PI**2 * p[:1]) * wave(PI * p[1:2])


CASES = {
    "Dirichlet": (heat(["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"]), decaying(jnp.sin)),
    "Neumann": (heat(["u(0, x) = cos(pi*x)", "u_x(t, 0) = 0", "u_x(t, 1) = 0"]), decaying(jnp.cos)),
    "Robin": (
        heat(["u(0, x) = sin(pi*x)", "u_x(t, 0) - pi*exp(-k*pi^2*t) = u(t, 0)", "u(t, 1) = 0"]),
        decaying(jnp.sin),
    ),
    "two places": (
        heat(["u(0, x) = sin(2*pi*x/2)^1", "u(t, 0) = u(t, 1)", "u_x(t, 0) = -u_x(t, 1)"]), decaying(jnp.sin)
    ),
    "inside": (heat(["u(t, 0.5) = exp(-k*pi^2*t)", "u(0, x) = sin(pi*x)"]), decaying(jnp.sin)),
    "by a function": (
        heat([Condition.at({"t": 0.0}, lambda u, x: u - sin(PI * x))]), decaying(jnp.sin)
    ),
    "definitions": (
        Problem(
            ["u_x + v_y = 0", "u_y - v_x = w", "w = psi_xx + psi_yy"], {"x": (0, 1), "y": (0, 1)},
            ["u(x, 0) = cos(0)*sin(x)", "v_y(0, y) = -cos(y)"],
            definitions={"u": "psi_y", "v": "-psi_x"}, fields=("psi", "w"),
        ),
        lambda p: jnp.stack([jnp.sin(p[0]) * jnp.sin(p[1]), -2 * jnp.sin(p[0]) * jnp.sin(p[1])]),
    ),
    "a system": (
        Problem(["a_t = -b", "b_t = a"], {"t": (0, 1)}, ["a(0) = 1", "b(0) = 0"], hard=False),
        lambda p: jnp.concatenate([jnp.cos(p), jnp.sin(p)]),
    ),
    "three coordinates": (
        Problem(
            "u_tt = u_xx + u_yy", {"t": (0, 1), "x": (0, 1), "y": (0, 1)},
            ["u(0, x, y) = sin(x)*sin(y)", "u_t(0, x, y) = 0", "u(t, 0, y) = 0"],
        ),
        lambda p: jnp.cos(jnp.sqrt(2.0) * p[:1]) * jnp.sin(p[1:2]) * jnp.sin(p[2:]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_no_residual_remains(name):
    problem, exact = CASES[name]
    scales = [(0.0, 1.0)] * len(problem.fields)
    objective = Objective(
        problem, create_model(problem, exact, scales), Sampling(points=20, condition_points=6)
    )
    points = objective.draw(jax.random.key(0))
    batch = objective.batch(points)
    seen = 0
    for number, arrays in points.items():
        counts = [array.shape[1] for array in arrays]
        for residual in objective.engine.residuals(number, objective.start, batch[number], counts):
            assert np.abs(residual).max() < 1e-12
            seen += len(residual)
    assert seen == len(problem.equations) + len(problem.conditions)


def test_a_wrong_solution_leaves_one():
    problem, exact = CASES["Neumann"]
    model = create_model(problem, lambda p: 1.01 * exact(p) + 0.1 * p[1:2], [(0.0, 1.0)])
    objective = Objective(problem, model, Sampling(points=20, condition_points=6))
    terms = objective.engine.terms(objective.start, objective.batch(objective.draw(jax.random.key(0))))
    np.testing.assert_allclose(terms["boundary_1"], 0.01, rtol=1e-10)
    assert terms["equation"] < 1e-20
    assert terms["initial"] > 1e-4


def test_a_hard_transform_meets_its_conditions_whatever_the_network():
    problem = heat(["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u(t, 1) = 0"], hard=True)
    assert problem.soft_conditions == ()
    model = create_model(problem, Architecture(width=3, depth=1).build(problem, key=jax.random.key(5)))
    objective = Objective(problem, model, Sampling(points=10))
    assert objective.names == ("equation",)
    truncation = Truncation.closure(problem.coordinates, [])
    t, x = np.random.default_rng(0).uniform(0, 1, (2, 6))
    zero = np.zeros(6)
    at = [([zero, x], np.sin(PI * x)), ([t, zero], zero), ([t, zero + 1], zero)]
    for place, expected in at:
        coordinates = coordinate_jets(problem.coordinates, truncation, jnp.asarray(place))
        found = model_fields(problem, model)(coordinates)["u"].value[0]
        np.testing.assert_allclose(found, expected, atol=1e-14)
