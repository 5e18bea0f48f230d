"""L-BFGS-B against SciPy's, iterate by iterate."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

from qres.loss import function_target
from qres.optimizers import LBFGS, OPTIMIZERS
from qres.optimizers._linesearch import Trial
from qres.optimizers._more_thuente import C1, C2, more_thuente


def valleys(x):
    """Rosenbrock's function in many variables."""
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def waves(x):
    """Many minima, and a line search that has to interpolate."""
    return jnp.sum(jnp.sin(3 * x) + 0.1 * x**2) + 0.1 * jnp.sum(x) ** 2


def iterates_of_scipy(function, start, memory):
    found = []
    evaluate = jax.jit(jax.value_and_grad(function))
    result = scipy.optimize.minimize(
        lambda x: tuple(np.asarray(part) for part in evaluate(x)), start, jac=True, method="L-BFGS-B",
        callback=lambda x: found.append(x.copy()),
        options={"maxcor": memory, "ftol": LBFGS.ftol, "gtol": LBFGS.gtol, "maxls": 50},
    )  # fmt: skip
    return found, result


@pytest.mark.parametrize("function", [valleys, waves])
@pytest.mark.parametrize(("size", "memory"), [(2, 50), (9, 3), (20, 50)])
def test_iterates_are_those_of_scipy(function, size, memory):
    start = np.random.default_rng(size).normal(size=size)
    theirs, result = iterates_of_scipy(function, start, memory)
    target, optimizer = function_target(function, size), LBFGS(memory=memory)
    state = optimizer.init(target, jnp.asarray(start), {})
    for number, expected in enumerate(theirs[:40], start=1):  # later, rounding has grown too far
        state = optimizer.step(target, state, {}, 1)
        assert int(state.iteration) == number
        np.testing.assert_allclose(state.theta, expected, rtol=1e-5, atol=1e-7)
    state = optimizer.step(target, state, {}, 1000)
    assert abs(int(state.iteration) - result.nit) <= 0.1 * result.nit + 2
    np.testing.assert_allclose(state.value, result.fun, atol=1e-12)


def test_it_converges_by_the_same_tests():
    """`ftol` counts against 1 where the loss is smaller than that."""
    target = function_target(lambda x: 1e-3 * jnp.sum(x**2), 3)
    loose = LBFGS(ftol=1e-2)
    state = loose.step(target, loose.init(target, jnp.ones(3), {}), {}, 100)
    assert int(state.status) == 1
    assert int(state.iteration) == 1
    strict = LBFGS(ftol=0.0, gtol=1e-3)
    state = strict.step(target, strict.init(target, jnp.full(3, 1e-2), {}), {}, 100)
    assert int(state.status) == 1
    assert int(state.iteration) == 0


@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 10.0, 1e3])
@pytest.mark.parametrize(
    "function",
    [
        lambda a: -a / (a * a + 2),
        lambda a: a**4 - 3 * a**2 - a,
        lambda a: (a - 1) ** 2,
        lambda a: jnp.exp(-a) + 0.01 * a,
    ],
)
def test_the_line_search_ends_where_both_conditions_hold(function, first):
    """Functions of one variable, the first Moré and Thuente's own, from first steps over six orders of magnitude."""
    evaluate = jax.value_and_grad(lambda x: function(x[0]))
    zero, along = jnp.zeros(1), jnp.ones(1)
    value, grad = evaluate(zero)
    start = Trial(jnp.zeros(()), value, grad[0], grad)
    trial, found, evaluations = more_thuente(evaluate, zero, along, start, jnp.array(first), 50)
    assert bool(found)
    assert int(evaluations) <= 15
    assert float(trial.value) <= float(value + C1 * trial.alpha * grad[0])
    assert abs(float(trial.slope)) <= C2 * abs(float(grad[0]))


def test_it_is_known_by_name():
    assert OPTIMIZERS["lbfgs"] is LBFGS
