"""Which highest derivatives equations have in fixed combinations only, and that residuals are the same with them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.fields import model_fields, recorded_fields
from qres.loss import Objective
from qres.posed.evaluator import Residuals
from qres.residuals import create_model

TX, XY = {"t": (0, 1), "x": (-1, 1)}, {"x": (0, 1), "y": (0, 1)}
CASES = {
    "heat": (qres.Problem("u_t = 0.1*u_xx", TX), 4, 3),
    "Burgers, hard": (
        qres.Problem("u_t + u*u_x = nu*u_xx", TX, ["u(0, x) = -sin(pi*x)", "u(t, -1) = 0", "u(t, 1) = 0"],
                     constants={"nu": 0.003}, hard=True), 4, 3,
    ),
    "a factor before all": (qres.Problem("exp(x)*(u_t - 0.1*u_xx) = u^2", TX), 4, 3),
    "a function of the combination": (qres.Problem("(u_xx + u_yy)^2 = u", XY), 5, 4),
    "a biharmonic": (qres.Problem("u_xxxx + 2*u_xxyy + u_yyyy = 1", XY), 13, 11),
    "a system": (qres.Problem(["u_t = u_xx + v", "v_t = u_xx - u"], TX, fields=["u", "v"]), 4, 4),
    "a system of one operator": (qres.Problem(["u_t = u_xx + v", "v_t = v_xx - u"], TX, fields=["u", "v"]), 4, 3),
    "a coefficient that varies": (qres.Problem("u_t = (1 + x^2)*u_xx", TX), 4, 4),
    "a coefficient that jumps": (qres.Problem("u_t = where(x < -0.999, 2, 1)*u_xx", TX), 4, 4),
    "a coefficient that jumps with the field": (qres.Problem("u_t = max(u, -9)*u_xx/u", TX), 4, 4),
    "a source that jumps": (qres.Problem("u_t = u_xx + where(x < 0, 2, sign(u))", TX), 4, 3),
    "a coefficient that varies far away": (qres.Problem("(1 + 50*exp(-((u - 300)/2)^2))*u_t = u_xx", TX), 4, 4),
    "a coefficient that varies in a layer": (qres.Problem("u_t = (1 + exp(-((x - 0.37)/1e-4)^2))*u_xx", TX), 4, 4),
    "a choice by a derivative": (qres.Problem("u_t - 0.1*u_xx = where(u_t > 0, 1, 2)*sin(pi*x)", TX), 4, 4),
    "a choice by the other": (qres.Problem("u_t = where(u_xx > 0, 1, 2)*u_x", TX), 4, 4),
    "units far apart": (
        qres.Problem(["T_xx = 1e-3*T_yy + V_x", "6e12*(V_xx + V_yy) = T"], XY, fields=["T", "V"]), 5, 5,
    ),
    "a small difference of operators": (
        qres.Problem("a*(u_xx + u_yy) + 1e-11*u_yy = u", XY, unknowns={"a": 0.5}), 5, 5,
    ),
    "a definition that is a number": (qres.Problem("c*u_t = u_xx", TX, definitions={"c": "2*3"}), 4, 3),
    "JAX of an unknown": (
        qres.Problem(lambda u, a: u.t - jnp.exp(a) * u.xx, TX, unknowns={"a": 0.5}), 4, 4,
    ),
    "a large unknown": (qres.Problem("1e3*u_t = E*u_xx", TX, unknowns={"E": 2e11}), 4, 4),
    "an unknown before all": (qres.Problem("u_t + a*u_xx + a*u_x = 0", TX, unknowns={"a": 0.5}), 4, 4),
    "an unknown before some": (qres.Problem("a*u_xx + a*u_yy = u", XY, unknowns={"a": 0.5}), 5, 4),
    "a transform with derivatives": (qres.Problem("u_t = u_xx", TX, transform={"u": "u + t*u_x"}), 6, 5),
    "a coefficient that is the field": (qres.Problem("u_t = u*u_xx", TX), 4, 4),
    "Monge-Ampère": (qres.Problem("u_xx*u_yy - u_xy^2 = 1", XY), 6, 6),
    "an unknown": (qres.Problem("u_t = a*u_xx", TX, unknowns={"a": 0.5}), 4, 4),
    "an unknown elsewhere": (qres.Problem("u_t = 0.2*u_xx + a*u", TX, unknowns={"a": 0.5}), 4, 3),
    "a factor that is zero": (qres.Problem("a*u_t + a*u_xx = u", TX, constants={"a": 0.0}), 4, 4),
    "far apart in size": (qres.Problem(["u_t = 1e-9*u_xx", "v_t = 2e-9*v_xx"], TX, fields=["u", "v"]), 4, 4),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_combined_and_that_nothing_changes(name):
    problem, before, after = CASES[name]
    network = qres.Architecture("qres", 6, 2).build(problem, key=jax.random.key(0))
    model = create_model(problem, network)
    (block, *_) = Objective(problem, model, qres.Sampling(points=40)).blocks
    residuals = Residuals.of(problem)
    needs = residuals.needed(recorded_fields(problem))
    assert (len(needs), block.channels) == (before, after)
    points = jnp.asarray(np.random.default_rng(0).uniform(problem.lower, problem.upper, (20, 2)).T)
    found = residuals.at(model_fields(problem, model), [points], model.parameters(problem), truncation=needs)
    plain = jnp.concatenate([found[equation.name] for equation in problem.equations])
    (found,) = block.residuals(model, {"points": (points,)})
    np.testing.assert_allclose(found, plain, rtol=1e-11, atol=1e-12)
