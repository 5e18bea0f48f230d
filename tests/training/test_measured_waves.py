"""Fourier features of the waves that measurements show, from the specification to the saved solution."""

import jax
import numpy as np
import pytest

import qres
from qres.networks import Architecture
from qres.runs import read_specification
from qres.runtime.errors import InputError
from qres.training._assembly import build_model, describe_waves, other_starts

WAVES = {"fourier_features": 2, "fourier_from": "data"}


def specification(name="burgers-inverse", **settings):
    return read_specification(name, settings=WAVES | {"width": 6, "depth": 2} | settings).measured()


def frequencies(specified):
    return build_model(specified, None).network.embedding.frequencies


def test_the_wake_shows_its_vortices():
    found = np.array(frequencies(read_specification("navier-stokes-inverse").measured()))
    # The first wave is that of the vortices: the shedding's frequency along t, in waves of half the domain.
    assert abs(found[0, 0]) == pytest.approx(10 * 0.16944, rel=5e-3)


def test_the_strongest_wave_is_told():
    wake = read_specification("navier-stokes-inverse").measured()
    (line,) = describe_waves(wake, build_model(wake, None))
    assert line == "the strongest wave in the measurements has length 5.88 along t, 4.64 along x"
    burgers = read_specification("burgers")
    assert describe_waves(burgers, build_model(burgers, None)) == []


def test_they_are_kept_with_the_solution(tmp_path):
    solution = qres.solve(specification(), iterations=3, progress=False)
    again = qres.load(solution.save(tmp_path / "solution.safetensors"))
    at = {"t": [0.2, 0.7], "x": [-0.3, 0.4]}
    np.testing.assert_array_equal(solution("u", **at), again("u", **at))
    assert len(solution.model.network.embedding.frequencies) == 2


def test_all_starts_have_the_same(tmp_path):
    several = specification(starts=3, holdout=0.2)
    size = build_model(several, None).flatten()[0].size
    assert [theta.size for theta in other_starts(several, None, None)] == [size] * 2
    qres.solve(several, iterations=3, progress=False, run=tmp_path / "run")
    resumed = qres.resume(tmp_path / "run", iterations=5, progress=False, estimate=False)
    assert resumed.model.network.embedding.frequencies == frequencies(several)


def test_held_out_measurements_do_not_count():
    assert frequencies(specification(holdout=0.5)) != frequencies(specification())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("burgers", "problem 'burgers' has no measurements"),
        ("allen-cahn-discrete", "problem 'allen-cahn-discrete' has"),
    ],
)
def test_without_measurements_there_are_none(name, why):
    with pytest.raises(InputError, match=f"fourier_from = 'data': {why}"):
        build_model(specification(name), None)


def test_a_network_by_itself_has_no_measurements():
    with pytest.raises(InputError, match="come from measurements"):
        Architecture(**WAVES).build(specification().problem, key=jax.random.key(0))


def test_only_two_kinds_are_known():
    with pytest.raises(InputError, match="fourier_from 'dat' is not known"):
        specification(fourier_from="dat")
