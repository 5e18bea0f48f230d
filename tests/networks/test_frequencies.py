"""Waves are found in scattered values."""

import numpy as np
import pytest

from qres.networks import Series, measured_frequencies
from qres.runtime.errors import InputError

POINTS = np.random.default_rng(0).uniform(-1, 1, (3, 2000))


def up_to_sign(found, wanted, **tolerance):
    assert len(found) == len(wanted)
    for one, other in zip(found, np.array(wanted), strict=True):
        np.testing.assert_allclose(one * np.sign(one @ other), other, **tolerance)


def test_waves_are_found_the_strongest_first():
    waves = np.array([[1.7, -0.75, 0.0], [0.2, 0.4, 3.3]])
    values = 5 + POINTS[0] + 2 * np.cos(2 * np.pi * waves[0] @ POINTS) + np.sin(2 * np.pi * waves[1] @ POINTS)
    found = measured_frequencies([Series(POINTS, values)], 2, (False,) * 3)
    up_to_sign(np.array(found), waves, atol=0.01)


def test_waves_are_found_in_noise():
    wave = np.array([1.7, -0.75, 0.0])
    noise = np.random.default_rng(1).standard_normal(2000)
    values = np.cos(2 * np.pi * wave @ POINTS) + noise
    up_to_sign(np.array(measured_frequencies([Series(POINTS, values)], 1, (False,) * 3)), [wave], atol=0.05)


def test_all_series_count_whatever_their_units():
    one, other = np.array([1.2, 0.0, 0.5]), np.array([0.0, 2.1, 0.4])
    small = 1e-6 * np.cos(2 * np.pi * one @ POINTS)
    large = 1e6 * np.cos(2 * np.pi * other @ POINTS[:, :700])
    found = measured_frequencies([Series(POINTS, small), Series(POINTS[:, :700], large)], 2, (False,) * 3)
    by_y = np.array(found)[np.argsort(np.abs(np.array(found)[:, 1]))]
    up_to_sign(by_y, [one, other], atol=0.02)


def test_waves_of_a_periodic_coordinate_are_whole_harmonics():
    z = POINTS[:2]
    values = np.cos(2 * np.pi * (1.3 * z[0] + 1.5 * z[1]))
    (found,) = measured_frequencies([Series(z, values)], 1, (False, True))
    assert abs(found[1]) == 1.5
    assert abs(found[0]) == pytest.approx(1.3, abs=0.01)


def test_of_waves_that_sensors_cannot_tell_apart_the_longest_is_taken():
    t = np.tile(np.linspace(-1, 1, 21), 30)  # ten samples a unit: 0.8 and 9.2 waves a unit look the same
    x = np.repeat(np.linspace(-1, 1, 30), 21)
    (found,) = measured_frequencies(
        [Series(np.stack([t, x]), np.cos(2 * np.pi * 9.2 * t))], 1, (False, False)
    )
    up_to_sign(np.array([found]), [[0.8, 0]], atol=0.01)


@pytest.mark.parametrize("points", [np.zeros((1, 5)), np.array([[0.0, 0.0, 0.5]])])
def test_too_few_places_show_no_wave(points):
    with pytest.raises(InputError, match="at too few places to show a wave"):
        measured_frequencies([Series(points, np.arange(points.shape[1]))], 1, (False,))


def test_a_constant_gives_waves_all_the_same():
    found = np.array(measured_frequencies([Series(POINTS, np.ones(2000))], 2, (False,) * 3))
    assert found.shape == (2, 3)
    assert np.all(np.isfinite(found))
