"""Dimensions known from the literature or by hand, and by other means than the module's own."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qres.theory import Architecture, analyse, attains_dimension, dimension, forms

EXCEPTIONS = {(3, 4, 5): 14, (4, 4, 9): 34, (5, 3, 7): 34, (5, 4, 14): 69}


@pytest.mark.parametrize(("inputs", "expected"), [(1, 1), (2, 3), (3, 5), (4, 7), (5, 9)])
def test_a_single_quadratic_unit_is_a_product_of_two_linear_forms(inputs, expected):
    network = Architecture((inputs, 1))
    assert dimension(network).value == expected == 2 * inputs - 1
    assert network.ambient == inputs * (inputs + 1) // 2


def test_acceptance_three_inputs_do_not_fill_and_two_do():
    three, two = analyse((3, 1)), analyse((2, 1))
    assert (three.dimension, three.ambient, three.filling) == (5, 6, False)
    assert (two.dimension, two.ambient, two.filling) == (3, 3, True)


@pytest.mark.parametrize("degree", [3, 4, 5])
@pytest.mark.parametrize("inputs", [2, 3, 4, 5])
def test_shallow_plain_networks_follow_alexander_and_hirschowitz(inputs, degree):
    generic = -(-forms(inputs, degree) // inputs)
    for width in {1, 2, generic - 1, generic, generic + 1}:
        expected = EXCEPTIONS.get((inputs, degree, width), min(width * inputs, forms(inputs, degree)))
        assert dimension(Architecture((inputs, width, 1), degree, "plain")).value == expected


@pytest.mark.parametrize(("case", "expected"), EXCEPTIONS.items())
def test_the_exceptional_cases_miss_by_one(case, expected):
    inputs, degree, width = case
    network = Architecture((inputs, width, 1), degree, "plain")
    assert dimension(network).value == expected == min(width * inputs, network.ambient) - 1


@pytest.mark.parametrize("inputs", [2, 3, 5, 6])
def test_sums_of_squares_and_of_products_are_quadratic_forms_of_bounded_rank(inputs):
    def bounded(rank: int) -> int:
        rank = min(rank, inputs)
        return inputs * rank - comb(rank, 2)

    for width in range(1, inputs + 1):
        assert dimension(Architecture((inputs, width, 1), 2, "plain")).value == bounded(width)
        assert dimension(Architecture((inputs, width, 1), 1, "qres", "linear")).value == bounded(2 * width)


@pytest.mark.parametrize("widths", [(3, 2, 3), (4, 2, 3, 5), (5, 5, 1, 4), (3, 7, 3)])
def test_deep_linear_networks_are_matrices_of_bounded_rank(widths):
    rank = min(widths)
    network = Architecture(widths, 1, "plain")
    assert dimension(network).value == rank * (widths[0] + widths[-1] - rank)


@pytest.mark.parametrize("widths", [(2, 2, 2), (3, 3, 3), (2, 2, 2, 2), (3, 3, 3, 3), (4, 4, 4)])
@pytest.mark.parametrize("degree", [2, 3])
def test_networks_of_equal_widths_lose_only_the_scalings(widths, degree):
    network = Architecture(widths, degree, "plain")
    assert dimension(network).value == network.free_weights


def test_three_binary_quadrics_spanned_by_two_squares_have_determinant_zero():
    assert analyse((2, 2, 3), 2, "plain").dimension == 8


@pytest.mark.parametrize(("inputs", "width", "degree"), [(3, 3, 1), (3, 6, 2), (4, 5, 1), (2, 3, 2)])
def test_wide_networks_as_run_are_products_of_two_forms(inputs, width, degree):
    network = Architecture((inputs, width, 1), degree)
    half = forms(inputs, network.leading_degree // 2)
    assert dimension(network).value == 2 * half - 1 == network.ceiling
    assert (network.ceiling == network.ambient) == (inputs <= 2)


def float_rank(network: Architecture) -> int:
    """Rank of the derivative of values at points, by complex steps in float64."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(network.inputs, 3 * network.ambient))
    shapes = zip(network.widths[1:], network.widths[:-1], strict=True)
    sizes = [(n, m) for (n, m), q in zip(shapes, network.quadratic_layers, strict=True) for _ in range(1 + q)]

    def values(weights):
        pieces = np.split(weights, np.cumsum([n * m for n, m in sizes])[:-1])
        matrices = iter([piece.reshape(size) for piece, size in zip(pieces, sizes, strict=True)])
        out = points
        for layer, quadratic in enumerate(network.quadratic_layers):
            out = (next(matrices) @ out) * (next(matrices) @ out) if quadratic else next(matrices) @ out
            out = out**network.activation if layer < network.depth - 1 else out
        return out.ravel()

    weights, steps = rng.normal(size=network.weights), 1e-30j * np.eye(network.weights)
    jacobian = np.stack([values(weights + step).imag for step in steps], axis=1) / 1e-30
    jacobian /= np.abs(jacobian).max(axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(jacobian, tol=1e-8 * np.linalg.norm(jacobian, 2)))


@pytest.mark.parametrize("kind", ["plain", "qres"])
@pytest.mark.parametrize("last", ["linear", "quadratic"])
@pytest.mark.parametrize(
    ("widths", "degree"), [((2, 2, 2), 2), ((3, 2, 1), 2), ((2, 2, 2, 1), 1), ((4, 2, 2), 1)]
)
def test_the_rank_is_that_of_floating_point(kind, last, widths, degree):
    network = Architecture(widths, degree, kind, last)
    assert dimension(network).value == float_rank(network)


# Built in the test, not in the strategy: a type checker that samples would upset hypothesis.
architectures = st.tuples(
    st.lists(st.integers(1, 4), min_size=2, max_size=4).map(tuple),
    st.integers(1, 3),
    st.sampled_from(["qres", "plain"]),
    st.sampled_from(["quadratic", "linear"]),
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(architectures, st.integers(0, 5))
def test_the_dimension_is_within_its_bounds_and_grows_with_width(case, seed):
    network = Architecture(*case)
    found = dimension(network, seed=seed)
    assert found.agree
    assert 1 <= found.value <= network.bound <= network.ceiling <= network.ambient
    assert network.bound <= network.free_weights <= network.weights
    assert attains_dimension(network, found.value)
    assert not attains_dimension(network, found.value + 1)
    wider = network.with_hidden([width + 1 for width in network.widths[1:-1]])
    assert dimension(wider).value >= found.value


@settings(max_examples=30, deadline=None, derandomize=True)
@given(architectures)
def test_a_quadratic_network_contains_the_plain_one_of_twice_the_degree(case):
    widths, degree, *_ = case
    quadratic = Architecture(widths, degree, "qres", "linear")
    plain = Architecture(widths, 2 * degree, "plain")
    assert plain.leading_degree == quadratic.leading_degree
    assert dimension(plain).value <= dimension(quadratic).value


def test_primes_that_disagree_are_said(monkeypatch):
    ranks = iter([4, 5])
    monkeypatch.setattr("qres.theory._dimension._rank_at", lambda *_: next(ranks))
    result = analyse((3, 1), search=False)
    assert result.dimension == 5
    assert result.notes == ("the ranks differ by prime: ((2147483647, 4), (2147483629, 5))",)


def test_a_jacobian_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"Jacobian of .* at most"):
        dimension(Architecture((3, 200, 200, 200, 200, 1)))


def test_width_twenty_and_degree_sixteen_in_two_variables():
    quadratic, plain = analyse((2, 20, 20, 1), 2, last="linear"), analyse((2, 20, 20, 20, 20, 1), 2, "plain")
    assert (quadratic.degree, quadratic.dimension, quadratic.filling) == (16, 17, True)
    assert (plain.degree, plain.dimension, plain.filling) == (16, 17, True)
