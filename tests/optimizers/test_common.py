"""One battery for every optimizer: known functions, splitting into calls, failures, and the programs it compiles."""

import dataclasses
import gc
import weakref
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from qres.loss import Target, function_target
from qres.optimizers import (
    CONVERGED,
    NO_DESCENT,
    NOT_FINITE,
    OPTIMIZERS,
    REASONS,
    RUNNING,
    Adam,
    LevenbergMarquardt,
    Optax,
    as_stage,
)


class Descent(NamedTuple):
    theta: Any
    value: Any
    iteration: Any
    status: Any


class GradientDescent:
    """As a user would write it: nothing but the three methods."""

    def init(self, target, theta, batch):
        return Descent(theta, np.inf, 0, RUNNING)

    def step(self, target, state, batch, count):
        for _ in range(count):
            if int(state.status) != RUNNING:
                break
            theta = state.theta
            if not np.isinf(state.value):
                theta = theta - 0.1 * target.evaluate(theta, batch)[1]
            value, grad = target.evaluate(theta, batch)
            if not np.isfinite(value) or not np.all(np.isfinite(grad)):
                state = state._replace(iteration=state.iteration + 1, status=NOT_FINITE)
            else:
                state = Descent(theta, value, state.iteration + 1, state.status)
        return state

    def on_new_points(self, target, state, batch):
        return state._replace(value=np.inf, status=RUNNING)


OTHERS = {
    "optax adam": Optax(optax.adam(0.02)),
    "optax adamw, schedule": Optax(optax.adamw(optax.cosine_decay_schedule(0.05, 3000), weight_decay=1e-9)),
    "optax noisy": Optax(optax.chain(optax.add_noise(1e-6, 0.55, jax.random.key(3)), optax.sgd(0.1))),
    "optax backtracking": Optax(
        optax.chain(
            optax.sgd(1.0), optax.scale_by_backtracking_linesearch(20, max_learning_rate=1.0, store_grad=True)
        )
    ),
    "optax lbfgs": Optax(optax.lbfgs()),
    "own": as_stage(GradientDescent()),
}
METHODS = [*OPTIMIZERS, *OTHERS]
FIRST_ORDER = [name for name in METHODS if name == "adam" or (name in OTHERS and name != "optax lbfgs")]
STOPPING = [name for name in OPTIMIZERS if name != "adam"]


def quadratic(x):
    """Residuals of a positive definite quadratic with its minimum at 1, 2, 3, 4."""
    return jnp.array([1.0, 2.0, 0.5, 1.5]) * (x - jnp.arange(1.0, 5.0))


def rosenbrock(x):
    return jnp.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def badly_scaled(x):
    """Curvatures from 1e-6 to 1e6."""
    return 10.0 ** jnp.array([-3.0, 0.0, 3.0]) * (x - 1)


FUNCTIONS = {
    "quadratic": (quadratic, np.zeros(4), np.arange(1.0, 5.0)),
    "Rosenbrock": (rosenbrock, np.array([-1.2, 1.0]), np.ones(2)),
    "badly scaled": (badly_scaled, np.zeros(3), np.ones(3)),
}


def target_of(residual, size):
    """A target with both faces: a loss for most, residuals for Levenberg–Marquardt."""
    plain = function_target(lambda x: jnp.sum(residual(x) ** 2), size)

    def normal(theta, batch):
        r, J = residual(theta), jax.jacfwd(residual)(theta)
        return r @ r, J.T @ J, J.T @ r

    return Target(size, plain.mesh, plain.value_and_grad, normal)


def optimizer_of(name):
    if name in OTHERS:
        return OTHERS[name]
    return Adam(learning_rate=0.02) if name == "adam" else OPTIMIZERS[name]()


def minimize(name, target, start, calls):
    optimizer = optimizer_of(name)
    state = optimizer.init(target, jnp.asarray(start), {})
    for count in calls:
        state = optimizer.step(target, state, {}, count)
    return state


# A method of the first order is made for the quadratic only.
MINIMIZED = [(n, f) for n in METHODS for f in FUNCTIONS if n not in FIRST_ORDER or f == "quadratic"]


@pytest.mark.parametrize(("name", "function"), MINIMIZED)
def test_known_functions_are_minimized(name, function):
    residual, start, minimum = FUNCTIONS[function]
    state = minimize(name, target_of(residual, len(start)), start, [3000 if name in FIRST_ORDER else 200])
    # In the flattest direction of the badly scaled quadratic, 1e-3 in x is 1e-12 in the loss.
    np.testing.assert_allclose(state.theta, minimum, atol=1e-3 if function == "badly scaled" else 1e-5)
    np.testing.assert_allclose(state.value, jnp.sum(residual(state.theta) ** 2), atol=1e-13)
    assert int(state.status) != NOT_FINITE


@pytest.mark.parametrize("name", METHODS)
def test_splitting_a_run_into_calls_changes_no_bit(name):
    function = "quadratic" if name in FIRST_ORDER else "Rosenbrock"  # where steps of a fixed length diverge
    residual, start, _ = FUNCTIONS[function]
    target = target_of(residual, len(start))
    whole = minimize(name, target, start, [17])
    split = minimize(name, target, start, [1, 5, 0, 10, 1])
    assert int(whole.iteration) == int(split.iteration) == 17
    for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(split), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", STOPPING)
def test_what_has_stopped_goes_on_with_other_points(name):
    """Here: with another function of the same size, whose minimum is elsewhere."""
    optimizer, target = optimizer_of(name), target_of(quadratic, 4)
    state = optimizer.init(target, jnp.zeros(4), {})
    state = optimizer.step(target, state, {}, 500)
    assert int(state.status) in (CONVERGED, NO_DESCENT)
    moved = target_of(lambda x: quadratic(x + 1), 4)
    state = optimizer.step(moved, optimizer.on_new_points(moved, state, {}), {}, 200)
    np.testing.assert_allclose(state.theta, np.arange(4.0), atol=1e-5)


@pytest.mark.parametrize("name", METHODS)
def test_programs_are_compiled_once(name):
    """First call, later calls, calls after `on_new_points`, and calls on a state that was read back from a file."""
    traced = []

    def residual(x):
        traced.append(1)
        return rosenbrock(x)

    target, optimizer = target_of(residual, 2), optimizer_of(name)
    state = optimizer.init(target, jnp.array([-1.2, 1.0]), {})
    state = optimizer.on_new_points(target, optimizer.step(target, state, {}, 2), {})
    first = len(traced)
    state = optimizer.step(target, state, {}, 3)
    restored = jax.tree.map(lambda leaf: jax.device_put(np.asarray(leaf), leaf.sharding), state)
    optimizer.step(target, restored, {}, 3)
    assert len(traced) == first


def cliff(x):
    """Falls towards 2 and is not a number beyond 1."""
    return jnp.where(x < 1, x - 2, jnp.nan)


@pytest.mark.parametrize("name", METHODS)
def test_a_loss_that_becomes_not_finite_keeps_the_last_good_state(name):
    state = minimize(name, target_of(cliff, 1), [0.9], [60])
    assert np.isfinite(state.value)
    assert 0.9 <= float(state.theta[0]) < 1
    np.testing.assert_allclose(state.value, (float(state.theta[0]) - 2) ** 2, rtol=1e-12)


@pytest.mark.parametrize("name", STOPPING)
def test_a_start_that_is_not_finite_is_said(name):
    state = minimize(name, target_of(lambda x: x / 0.0, 2), [1.0, 1.0], [1])
    assert int(state.status) == NOT_FINITE
    assert "not finite" in REASONS[NOT_FINITE]


def test_adam_says_so_at_its_first_step_and_stays():
    state = minimize("adam", target_of(lambda x: jnp.log(x - 2), 2), [1.0, 1.0], [5])
    assert int(state.status) == NOT_FINITE
    assert int(state.iteration) == 1
    np.testing.assert_array_equal(state.theta, [1.0, 1.0])


@pytest.mark.parametrize("name", ["ssbroyden", "ssbfgs", "bfgs", "lbfgs", "lm"])
def test_at_the_minimum_there_is_nowhere_to_go(name):
    state = minimize(name, target_of(quadratic, 4), np.arange(1.0, 5.0), [100])
    assert int(state.status) in (CONVERGED, NO_DESCENT)
    np.testing.assert_array_equal(state.theta, np.arange(1.0, 5.0))


@pytest.mark.parametrize("name", ["ssbroyden", "ssbfgs", "bfgs"])
def test_a_gradient_that_lies_ends_with_no_descent(name):
    target = function_target(lambda x: jnp.sum(x), 2)
    wrong = Target(2, target.mesh, lambda x, batch: (jnp.sum(x**2), -2 * x))
    state = minimize(name, wrong, [1.0, 1.0], [50])
    assert int(state.status) == NO_DESCENT
    assert "no descent" in REASONS[NO_DESCENT]
    np.testing.assert_array_equal(state.theta, [1.0, 1.0])


def test_adam_keeps_the_best_point_it_has_seen():
    optimizer = Adam(learning_rate=1.0)  # overshoots
    target = target_of(quadratic, 4)
    state, best = optimizer.init(target, jnp.zeros(4), {}), np.inf
    for _ in range(30):
        best = min(best, float(jnp.sum(quadratic(state.current) ** 2)))
        state = optimizer.step(target, state, {}, 1)
        np.testing.assert_allclose(state.value, best, rtol=1e-12)
    assert int(state.status) == RUNNING


def test_adam_is_the_textbook_method():
    """Kingma and Ba (2015), algorithm 1."""
    target = target_of(quadratic, 4)
    state = Adam(learning_rate=0.1).step(
        target, Adam(learning_rate=0.1).init(target, jnp.zeros(4), {}), {}, 12
    )
    x, m, v = np.zeros(4), np.zeros(4), np.zeros(4)
    for t in range(1, 13):
        g = np.asarray(jax.grad(lambda z: jnp.sum(quadratic(z) ** 2))(jnp.asarray(x)))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        x = x - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    np.testing.assert_allclose(state.current, x, rtol=1e-10)


def test_levenberg_marquardt_needs_residuals():
    with pytest.raises(ValueError, match="needs residuals"):
        LevenbergMarquardt().init(function_target(lambda x: jnp.sum(x**2), 2), jnp.ones(2), {})


def test_a_copy_with_another_setting_has_programs_of_its_own():
    target, fast = target_of(quadratic, 4), Adam(learning_rate=0.1)
    fast.step(target, fast.init(target, jnp.zeros(4), {}), {}, 1)
    slow = dataclasses.replace(fast, learning_rate=0.001)
    state = slow.step(target, slow.init(target, jnp.zeros(4), {}), {}, 1)
    np.testing.assert_allclose(jnp.abs(state.current), 0.001, rtol=1e-6)


def test_a_copy_with_another_damping_has_programs_of_its_own():
    target, light = target_of(quadratic, 4), LevenbergMarquardt(damping=1e-3)
    first = light.init(target, jnp.zeros(4), {})
    second = dataclasses.replace(light, damping=1e-1).init(target, jnp.zeros(4), {})
    np.testing.assert_allclose(second.damping, 100 * first.damping)


@pytest.mark.parametrize("name", METHODS)
def test_an_optimizer_keeps_nothing_alive_that_it_worked_on(name):
    optimizer, target = optimizer_of(name), target_of(quadratic, 4)
    state = optimizer.init(target, jnp.zeros(4), {})
    optimizer.step(target, state, {}, 2)
    gone = weakref.ref(target)
    del target, state
    gc.collect()
    assert gone() is None
