"""The updates of H against the formulas in plain NumPy, and the line search against its conditions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qres.loss import function_target
from qres.optimizers import BFGS, SSBFGS, SSBroyden, _inverse_hessian
from qres.optimizers._linesearch import C1, C2, Trial, wolfe

N = 5


def loss(x):
    """Smooth, not quadratic, with the curvatures of a valley."""
    return (
        jnp.sum(jnp.array([1.0, 3.0, 0.3, 10.0, 1.0]) * (jnp.cosh(x - 1) - 1))
        + 0.5 * (x[0] * x[1] - x[2]) ** 2
    )


def bfgs_update(H, s, y):
    """`(I - ρsyᵀ) H (I - ρysᵀ) + ρssᵀ` (Nocedal and Wright, equation 6.17)."""
    rho = 1 / (y @ s)
    left = np.eye(N) - rho * np.outer(s, y)
    return left @ H @ left.T + rho * np.outer(s, s)


def self_scaled_update(family, H, s, y, g, alpha, is_first):
    """Al-Baali's family as Urbán et al. (2405.04230) use it, term by term."""
    ys, Hy = y @ s, H @ y
    yHy = y @ Hy
    b, h = -alpha * (s @ g) / ys, yHy / ys
    phi, tau = 1.0, min(1.0, 1 / b)
    if family == "ssbroyden":
        a = max(b * h - 1, 0.0)
        c = np.sqrt(a / (1 + a))
        rho_minus = min(1.0, h * (1 - c))
        theta_minus, theta_plus = (rho_minus - 1) / a, 1 / rho_minus
        theta = max(theta_minus, min(theta_plus, (1 - b) / b))
        sigma = 1 + a * theta
        rho, root = min(1.0, 1 / b), sigma ** (-1 / (N - 1))
        tau = rho * min(root, 1 / theta) if theta > 0 else min(rho * root, sigma)
        phi = (1 - theta) / sigma
        tau = h / sigma if is_first else tau
    elif is_first:
        tau = h
    v = np.sqrt(yHy) * (s / ys - Hy / yHy)
    return (H - np.outer(Hy, Hy) / yHy + phi * np.outer(v, v)) / tau + np.outer(s, s) / ys


def inverse_hessian(state):
    """H with the updates that are kept beside the matrix."""
    V, M = np.asarray(state.kept.vectors), np.asarray(state.kept.middle)
    return state.kept.scale * np.asarray(state.H)[:N] + np.einsum("kin,kij,kjm->nm", V, M, V)


@pytest.mark.parametrize("method", [BFGS(), SSBFGS(), SSBroyden()], ids=lambda m: m.name)
def test_the_update_of_H_is_the_formula(method, monkeypatch):
    monkeypatch.setattr(_inverse_hessian, "KEPT", 5)  # so that updates are put into the matrix twice
    method = type(method)()
    target = function_target(loss, N)
    state = method.init(target, jnp.asarray([0.0, 2.0, -1.0, 0.5, 1.5]), {})
    state = method.step(target, state, {}, 0)
    H = np.eye(N)
    np.testing.assert_array_equal(inverse_hessian(state), H)
    for iteration in range(12):
        after = method.step(target, state, {}, 1)
        p, g = -H @ np.asarray(state.grad), np.asarray(state.grad)
        np.testing.assert_allclose(state.direction, p, rtol=1e-7, atol=1e-12)
        s, y = np.asarray(after.theta - state.theta), np.asarray(after.grad) - g
        alpha = (s @ p) / (p @ p)
        if method.name == "bfgs":
            H = bfgs_update((y @ s) / (y @ y) * H if iteration == 0 else H, s, y)
        else:
            H = self_scaled_update(method.name, H, s, y, g, alpha, iteration == 0)
        found = inverse_hessian(after)
        np.testing.assert_allclose(found, H, rtol=1e-6, atol=1e-8 * np.abs(H).max())
        assert np.linalg.eigvalsh((found + found.T) / 2).min() > 0
        state = after


@pytest.mark.parametrize("method", [BFGS(), SSBFGS(), SSBroyden()], ids=lambda m: m.name)
def test_every_step_satisfies_the_strong_wolfe_conditions(method):
    target = function_target(loss, N)
    state = method.init(target, jnp.asarray([-2.0, 3.0, -1.0, 0.5, 4.0]), {})
    state = method.step(target, state, {}, 0)
    for _ in range(15):
        after = method.step(target, state, {}, 1)
        s = np.asarray(after.theta - state.theta)
        slope = s @ np.asarray(state.grad)
        assert slope < 0
        assert float(after.value) <= float(state.value) + C1 * slope + 1e-15
        assert abs(s @ np.asarray(after.grad)) <= C2 * abs(slope) * (1 + 1e-9)
        state = after


SEARCHES = {
    "a step far too long": (lambda x: (x[0] - 1) ** 2, 1e3),
    "a step far too short": (lambda x: (x[0] - 1e3) ** 2, 1e-3),
    "a wall": (lambda x: jnp.where(x[0] < 1.5, (x[0] - 1) ** 2, jnp.nan), 10.0),
    "an infinite wall": (lambda x: -jnp.log(2 - x[0]) - 3 * x[0], 10.0),
    "many minima": (lambda x: 0.05 * x[0] ** 2 - x[0] - 0.6 * jnp.sin(9 * x[0]), 4.0),
    "a steep exponential": (lambda x: jnp.exp(5 * x[0]) - 50 * x[0], 3.0),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_the_line_search_satisfies_the_strong_wolfe_conditions(name):
    function, first = SEARCHES[name]
    evaluate = jax.value_and_grad(function)
    theta, direction = jnp.zeros(1), jnp.ones(1)
    value, grad = evaluate(theta)
    start = Trial(jnp.zeros(()), value, grad @ direction, grad)
    assert start.slope < 0
    found, fell, evaluations = jax.jit(lambda: wolfe(evaluate, theta, direction, start, jnp.asarray(first)))()
    assert bool(fell)
    assert float(found.value) <= float(start.value) + C1 * float(found.alpha) * float(start.slope)
    assert abs(float(found.slope)) <= C2 * abs(float(start.slope))
    assert int(evaluations) <= 25


def test_renewing_keeps_H_and_takes_the_new_loss():
    target, method = function_target(loss, N), SSBroyden()
    state = method.step(target, method.init(target, jnp.zeros(N), {}), {}, 6)
    before = inverse_hessian(state)
    renewed = method.step(target, method.on_new_points(target, state, {}), {}, 0)
    np.testing.assert_allclose(inverse_hessian(renewed), before, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(renewed.theta, state.theta)
    np.testing.assert_allclose(renewed.value, loss(state.theta), rtol=1e-14)
    np.testing.assert_allclose(renewed.direction, -before @ np.asarray(state.grad), rtol=1e-9)


@pytest.mark.parametrize("method", [BFGS(), SSBFGS(), SSBroyden()], ids=lambda m: m.name)
def test_an_H_that_has_lost_its_scale_is_no_minimum(method):
    target = function_target(loss, N)
    state = method.step(target, method.init(target, jnp.zeros(N), {}), {}, 5)
    tiny = 1e-40  # steps that change no digit
    lost = state._replace(
        kept=state.kept._replace(scale=state.kept.scale * tiny, middle=state.kept.middle * tiny),
        direction=state.direction * tiny,
        slope=state.slope * tiny,
    )
    found = method.step(target, lost, {}, 200)
    assert float(found.value) < 1e-6 * float(state.value)
