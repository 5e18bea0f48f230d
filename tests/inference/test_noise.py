"""Whether what is left of a fit is noise: synthetic differences over scattered points, on grids and in any units."""

import numpy as np
import pytest

from qres.inference._noise import discrepancy

SIGMA = 0.1


def scattered(dimension, count, seed=0):
    generator = np.random.default_rng(seed)
    return generator.uniform(0, 1, (dimension, count)), generator


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("count", [30, 300, 2500])
def test_noise_alone_is_noise(dimension, count):
    for seed in range(20):
        points, generator = scattered(dimension, count, seed)
        found = discrepancy(points, SIGMA * generator.standard_normal(count))
        assert found.is_noise
        assert found.noise == found.misfit


@pytest.mark.parametrize(("dimension", "count"), [(1, 40), (1, 300), (2, 300), (3, 2500)])
def test_noise_with_a_smooth_part_is_not_noise_and_its_level_is_found(dimension, count):
    points, generator = scattered(dimension, count)
    smooth = (0.4 if count < 100 else 0.15) * np.sin(3 * points.sum(axis=0)) * np.cos(2 * points[0])
    found = discrepancy(points, smooth + SIGMA * generator.standard_normal(count))
    assert not found.is_noise
    assert found.noise == pytest.approx(SIGMA, rel=0.35 if count < 100 else 0.12)


def test_a_misfit_of_a_sixth_of_the_noise_is_seen_in_2500_points():
    points, generator = scattered(3, 2500)
    part = 0.04 * np.sqrt(8) * np.prod(np.sin(np.pi * points), axis=0)
    found = discrepancy(points, part + SIGMA * generator.standard_normal(2500))
    assert not found.is_noise


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_a_smooth_misfit_without_noise_is_not_noise(dimension):
    points, _ = scattered(dimension, 300)
    found = discrepancy(points, 1e-6 * np.cos(3 * points.sum(axis=0)))
    assert not found.is_noise
    assert found.noise < 0.1 * found.misfit


def test_structure_that_is_finer_than_polynomials_is_seen_by_neighbours():
    points, generator = scattered(2, 6000)
    fine = np.sign(np.sin(90 * points[0]) * np.sin(90 * points[1]))
    found = discrepancy(points, 0.2 * fine + SIGMA * generator.standard_normal(6000))
    assert not found.is_noise
    assert SIGMA < found.noise < 2 * SIGMA


def test_units_do_not_matter():
    points, generator = scattered(2, 300)
    r = 0.2 * np.sin(4 * points[0]) + SIGMA * generator.standard_normal(300)
    plain = discrepancy(points, r)
    scaled = discrepancy(points * [[1e-9], [1e6]] + [[3e-9], [0]], 1e8 * r)
    assert scaled.misfit == pytest.approx(1e8 * plain.misfit)
    assert scaled.noise == pytest.approx(1e8 * plain.noise, rel=1e-6)


def test_a_standard_deviation_that_is_given_decides():
    points, generator = scattered(2, 2500)
    r = 0.108 * generator.standard_normal(2500)
    assert discrepancy(points, r).is_noise
    assert discrepancy(points, r, known=0.108).is_noise
    found = discrepancy(points, r, known=0.09)
    assert not found.is_noise and found.noise == 0.09


def test_few_points_repeated_points_and_a_coordinate_that_stands_still_are_no_error():
    assert discrepancy(np.zeros((1, 3)), np.array([1.0, 2.0, 3.0])).is_noise
    assert discrepancy(np.zeros((2, 50)), np.ones(50)).is_noise
    assert discrepancy(np.zeros((1, 1)), np.zeros(1)).is_noise
    generator = np.random.default_rng(1)
    grid = np.stack([np.repeat(np.linspace(0, 1, 5), 60), np.full(300, 2.0)])
    assert discrepancy(grid, generator.standard_normal(300)).is_noise
    assert not discrepancy(grid, grid[0] + 0.1 * generator.standard_normal(300)).is_noise
