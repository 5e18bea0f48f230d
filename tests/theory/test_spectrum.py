"""Spectral bias: amplitudes are those of the sines put in, and low frequencies are learnt first."""

import numpy as np
import pytest
import xarray as xr

import qres
from qres.plots import render
from qres.theory.spectrum import (
    amplitudes,
    bias_of_run,
    epochs_between,
    learnt_at,
    spectral_bias,
    spectral_bias_figure,
    target_frequencies,
)

THETA = 2 * np.pi * np.arange(64) / 64


@pytest.mark.parametrize("count", [64, 65])
def test_amplitudes_are_those_of_the_sines(count):
    theta = 2 * np.pi * np.arange(count) / count
    found = amplitudes(np.stack([3 + 2 * np.sin(5 * theta), -0.5 * np.cos(32 * theta)]))
    assert found.shape == (2, count // 2 + 1)
    np.testing.assert_allclose(found[0, [0, 5]], [3, 2])
    np.testing.assert_allclose(found[1, 32], 0.5)
    np.testing.assert_allclose(np.delete(found[0], [0, 5]), 0, atol=1e-12)


def test_epochs_are_even_on_a_logarithmic_scale():
    assert epochs_between(10, 1000, 3) == [10, 100, 1000]
    assert epochs_between(10, 3) == [3]
    assert epochs_between(1, 20)[-1] == 20


def test_a_frequency_is_learnt_from_the_epoch_on_at_which_it_stays():
    missing = np.array([[1.0, 1.0], [0.4, 1.0], [0.6, 1.0], [0.2, 0.9]])
    bias = xr.Dataset(
        {"missing": (("epoch", "frequency"), missing), "target_amplitude": ("frequency", [1.0, 1.0])},
        coords={"epoch": [1, 10, 100, 1000], "frequency": [2, 8]},
    )
    assert target_frequencies(bias) == [2, 8]
    assert learnt_at(bias) == {2: 1000, 8: None}
    assert learnt_at(bias, share=0.3) == {2: 10, 8: None}


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    target = np.sin(THETA) + np.sin(6 * THETA)
    architecture = qres.Architecture("qres", width=12, depth=2, harmonics=1)
    folder = tmp_path_factory.mktemp("bias") / "run"
    bias = spectral_bias(target, architecture, epochs=700, run=folder, progress=False)
    return bias, folder, target


def test_low_frequencies_are_learnt_first(learnt):
    bias, folder, target = learnt
    at = learnt_at(bias)
    assert set(at) == {1, 6}
    assert at[1] is not None and at[1] < (at[6] or 10**9)
    assert bias["missing"].sel(epoch=700, frequency=1) < 0.1
    np.testing.assert_allclose(bias["target"], target)
    np.testing.assert_allclose(bias["fit"].sel(epoch=700), qres.load(folder / "solution.qres")(theta=THETA))
    xr.testing.assert_identical(bias, bias_of_run(folder, target))


def test_it_is_drawn(learnt):
    assert render(spectral_bias_figure(learnt[0]), "png").startswith(b"\x89PNG")


def test_an_interval_knows_of_no_period():
    bias = spectral_bias(
        np.sin(THETA), qres.Architecture("mlp", width=3, depth=1), epochs=[1, 3], circle=False, progress=False
    )
    assert bias["epoch"].values.tolist() == [1, 3]
    assert bias["point"].values[[0, -1]].tolist() == [0.0, 63 / 64]


def test_wrong_input_is_said(tmp_path, learnt):
    architecture = qres.Architecture(width=3, depth=1)
    with pytest.raises(qres.InputError, match="target must be four values"):
        spectral_bias(np.zeros((3, 3)), architecture)
    with pytest.raises(qres.InputError, match="epochs must name"):
        spectral_bias(np.zeros(8), architecture, epochs=[])
    qres.solve("sine", architecture, optimizer="adam:1", run=tmp_path / "run", progress=False)
    with pytest.raises(qres.InputError, match="no snapshots"):
        bias_of_run(tmp_path / "run", THETA)
