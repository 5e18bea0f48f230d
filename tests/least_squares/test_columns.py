"""Columns and outputs against the network itself; sine and cosine; the dense solver."""

import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.jets import Truncation, positions
from qres.least_squares import Features, feature_network
from qres.least_squares._columns import _sine_cosine, feature_columns, outputs_at
from qres.least_squares._dense import solve_dense
from qres.least_squares._features import with_output

PROBLEM = qres.Problem("u_t + u_x = u_xx", {"t": [0, 2], "x": [-1, 3]}, ["u(0, x) = 0"], periodic=["x"])
TRUNCATION = Truncation.closure(("t", "x"), [(1, 0), (0, 3)])
KINDS = [("mlp", "sin"), ("mlp", "tanh"), ("qres", "tanh")]


@pytest.mark.parametrize(("kind", "activation"), KINDS)
def test_columns_are_the_series_of_the_network(kind, activation):
    random = np.random.default_rng(0)
    network = feature_network(PROBLEM, Features(kind, activation, (3.0, 5.0)), 150, 0)
    weights = random.standard_normal((1, 150))
    points = np.stack([random.uniform(0, 2, 700), random.uniform(-1, 3, 700)])
    jet = with_output(network, weights, np.zeros(1))(positions(TRUNCATION, jnp.asarray(points)))
    expected = np.stack([np.broadcast_to(np.asarray(c)[0], 700) for c in jet.coefficients])
    found = outputs_at(network, weights, TRUNCATION, points)
    np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())
    slopes = random.standard_normal((2, len(TRUNCATION), 700))
    slopes[1, [0, 2]] = 0.0
    out = [np.zeros((150, 700)) for _ in slopes]
    feature_columns(network, TRUNCATION, points, slopes, out)
    for own, columns in zip(slopes, out, strict=True):
        wanted = np.sum(own * expected, axis=0)
        np.testing.assert_allclose(weights[0] @ columns, wanted, rtol=1e-9, atol=1e-10 * np.abs(wanted).max())


@pytest.mark.parametrize(("kind", "activation"), KINDS)
def test_features_are_periodic_where_the_problem_is(kind, activation):
    network = feature_network(PROBLEM, Features(kind, activation, (3.0, 20.0)), 50, 0)
    moved = with_output(network, np.ones((1, 50)), np.zeros(1))
    left, right = (np.asarray(moved(jnp.array([[0.3], [x]]))) for x in (-0.7, 3.3))
    np.testing.assert_allclose(left, right, rtol=1e-11)


def test_more_features_begin_with_the_fewer():
    few, more = (feature_network(PROBLEM, Features("mlp", "sin", (3.0, 4.0)), n, 7) for n in (20, 50))
    np.testing.assert_array_equal(few.layers[0].W, more.layers[0].W[:20])


def test_sine_and_cosine_to_rounding():
    angles = np.random.default_rng(0).uniform(-1e4, 1e4, 10_000)
    sine, cosine = _sine_cosine(jnp.asarray(angles))
    np.testing.assert_allclose(sine, np.sin(angles), rtol=0, atol=3e-16)
    np.testing.assert_allclose(cosine, np.cos(angles), rtol=0, atol=3e-16)


def test_least_squares_of_dependent_columns_of_any_length():
    random = np.random.default_rng(0)
    A = random.standard_normal((60, 20)) @ np.diag(10.0 ** random.uniform(-9, 9, 20))
    A = np.concatenate([A, A[:, :5] + A[:, 5:10], np.zeros((60, 1))], axis=1)
    b = A @ random.standard_normal(26) + 1e-3 * random.standard_normal(60)
    x = solve_dense(np.ascontiguousarray(A.T), b.copy())
    best = np.linalg.lstsq(A / np.linalg.norm(A, axis=0).clip(1e-300), b, rcond=1e-13)[0]
    least = np.linalg.norm(A / np.linalg.norm(A, axis=0).clip(1e-300) @ best - b)
    assert np.linalg.norm(A @ x - b) < least + 1e-11 * np.linalg.norm(b)


def test_fewer_rows_than_columns():
    random = np.random.default_rng(0)
    A, b = random.standard_normal((5, 9)), random.standard_normal(5)
    assert np.linalg.norm(A @ solve_dense(np.ascontiguousarray(A.T), b.copy()) - b) < 1e-12
