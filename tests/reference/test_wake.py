import numpy as np
import pytest

from qres import reference
from qres.reference import wake
from qres.reference.wake.modes import FIELDS, SAMPLES, WAVES, Modes, chebyshev_points, find_period, fit
from qres.reference.wake.residual import residual

X, Y = np.linspace(1, 8, 100), np.linspace(-2, 2, 50)


def test_facts_of_the_run():
    """Strouhal number, drag and lift at Re = 100; a lift that is periodic to many digits."""
    facts = wake.load().facts
    assert abs(facts["strouhal"] - 0.169) < 0.002
    assert facts["strouhal"] * wake.load().period == pytest.approx(1)
    assert facts["drag_mean"] == pytest.approx(1.38, abs=0.01)
    assert facts["lift_max"] == pytest.approx(0.337, abs=0.005)
    assert facts["lift_misfit"] < 1e-5
    assert all(facts[f"misfit_{name}"] < 1e-4 for name in FIELDS)


def test_the_shipped_file_is_small():
    assert wake.FILE.stat().st_size < 1_000_000


def test_the_shipped_data_satisfy_navier_and_stokes():
    """The momentum residual is under 1e-3 of u_t, and least squares finds λ1 = 1 and λ2 = 0.01."""
    found = residual(wake.load(), 1 / wake.REYNOLDS, np.linspace(0, 20, 21), X[::3], Y[::3])
    assert found.momentum < 1e-3
    assert found.divergence < 1e-3
    assert found.lambda_1 == pytest.approx(1, abs=1e-4)
    assert found.lambda_2 == pytest.approx(0.01, abs=1e-5)


def test_mirror_image_half_a_period_later():
    t, period = np.array([0.0, 1.7]), wake.load().period
    now, later, next_turn = (wake.fields(t + shift, X, Y) for shift in (0, period / 2, period))
    for name, sign in (("u", 1), ("v", -1), ("p", 1)):
        np.testing.assert_allclose(later[name][..., ::-1], sign * now[name], atol=1e-11)
        np.testing.assert_allclose(next_turn[name], now[name], atol=1e-11)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_derivatives_are_those_of_the_fields(axis):
    at, step = [np.array([0.3, 4.0]), np.array([2.0, 7.0]), np.array([-1.5, 0.4])], 1e-4
    above, below = ([*at[:axis], at[axis] + s, *at[axis + 1 :]] for s in (step, -step))
    order = (int(axis == 0), int(axis == 1), int(axis == 2))
    exact, above, below = wake.fields(*at, order=order), wake.fields(*above), wake.fields(*below)
    for name in FIELDS:
        np.testing.assert_allclose(exact[name], (above[name] - below[name]) / (2 * step), atol=1e-5)


def test_the_papers_grid():
    found = reference.solve("wake")
    assert found.u.dims == ("t", "x", "y")
    assert found.p.shape == (200, 100, 50)
    np.testing.assert_allclose(found.t, 0.1 * np.arange(200))
    np.testing.assert_array_equal(found.x, X)
    np.testing.assert_array_equal(found.y, Y)
    np.testing.assert_allclose(
        found.v[37, 10], wake.fields(np.array([3.7]), X[10:11], Y)["v"][0, 0], atol=1e-13
    )
    assert {"equation", "method", "modes", "step", "error", "error_meaning", "strouhal"} <= set(found.attrs)


def test_bad_input():
    with pytest.raises(ValueError, match=r"x must be in \[1, 8\]"):
        wake.fields(np.zeros(1), np.array([0.5]), np.zeros(1))
    with pytest.raises(ValueError, match="order must be three numbers from 0"):
        wake.fields(np.zeros(1), np.ones(1), np.zeros(1), order=(1, -1, 0))
    with pytest.raises(ValueError, match="at least two periods"):
        find_period(np.linspace(0, 1, 10), np.linspace(-1, 1, 10))


def test_fit_finds_the_modes_that_made_the_samples(tmp_path):
    """Samples of known modes at shifted times: period, phase, coefficients come back; also from a file."""
    generator = np.random.default_rng(0)
    decay = np.exp(-WAVES[:, None, None] - 0.2 * np.arange(20)[:, None] - 0.4 * np.arange(8))
    made = Modes(decay * generator.normal(size=(3, len(WAVES), 20, 8)), 5.9, {})
    t = np.arange(12.0, 30.0, 0.1)
    samples = made.evaluate(t - 1.3, *chebyshev_points()).swapaxes(0, 1).reshape(len(t), 3, np.prod(SAMPLES))
    phase = 2 * np.pi / 5.9 * (t - 1.3)
    forces = np.stack(
        [1.4 + 0.01 * np.cos(2 * phase), 0.3 * np.sin(phase) + 0.01 * np.sin(3 * phase)], axis=1
    )
    found = fit(t, samples, t, forces, (20, 16))
    assert found.period == pytest.approx(5.9, abs=1e-7)
    np.testing.assert_allclose(found.coefficients, made.coefficients, atol=1e-5)
    assert max(found.facts[f"misfit_{name}"] for name in FIELDS) < 1e-5
    found.save(tmp_path / "modes.npz")
    read = Modes.load(tmp_path / "modes.npz")
    np.testing.assert_allclose(read.coefficients, found.coefficients, rtol=1e-6)
    assert (read.period, read.facts["drag_mean"]) == (found.period, pytest.approx(1.4))


def test_a_stopped_simulation_goes_on(tmp_path, monkeypatch, capsys):
    """A few coarse steps: stopped in the middle of the second stage, the rest gives what one run gives."""
    pytest.importorskip("ngsolve")
    from qres.reference.wake.run import Flow, Stage, simulate

    stages = (Stage(2, 0.01, 0.03), Stage(2, 0.005, 0.03, sample_from=0.01, sample_every=0.01))
    whole = simulate(tmp_path / "whole", stages, every=0)
    advance, calls = Flow.advance, iter(range(100))

    def failing(flow: Flow) -> tuple[float, float]:
        if next(calls) == 5:
            raise KeyboardInterrupt
        return advance(flow)

    monkeypatch.setattr(Flow, "advance", failing)
    with pytest.raises(KeyboardInterrupt):
        simulate(tmp_path / "parts", stages, every=0)
    parts = simulate(tmp_path / "parts", stages, every=0)
    assert next(calls) == 3 + 6 + 1  # five steps, the one that failed, and the four that were missing
    np.testing.assert_allclose(parts.forces, whole.forces, atol=1e-9)
    np.testing.assert_allclose(parts.fields, whole.fields, atol=1e-9)
    assert parts.times == pytest.approx([0.01, 0.02, 0.03])
    assert "stage 2 (P2), step 6 of 6" in capsys.readouterr().out
