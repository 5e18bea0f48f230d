"""Unknowns from measurements: estimates, intervals, noise, outliers, units, and what the data cannot tell."""

import jax
import numpy as np
import pytest

import qres
from qres.inference import NoiseMonitor
from qres.loss import Objective
from qres.residuals import create_model
from qres.results import Stop, Stopped
from qres.runs import read_specification
from qres.solution import Solution

NETWORK = qres.Architecture("qres", width=6, depth=2)
SAMPLING = qres.Sampling(points=100, resample_every=100)
RATE, NOISE = 0.7, 0.02


def decay(noise=NOISE, points=40, outliers=0, seed=3, **changes):
    generator = np.random.default_rng(seed)
    t = np.linspace(0, 3, points)
    u = np.exp(-RATE * t) + noise * generator.standard_normal(points)
    u[:outliers] += 1.0
    problem = {
        "equations": "u_t = -k*u",
        "domain": {"t": (0, 3)},
        "conditions": ["u(0) = 1"],
        "unknowns": {"k": qres.Positive(0.2, true=RATE)},
        "data": qres.Data({"t": t, "u": u}),
    }
    return qres.Problem(**{**problem, **changes})


def fit(problem, **options):
    options = {"iterations": 1500, "progress": False, "network": NETWORK, "sampling": SAMPLING, **options}
    return qres.solve(problem, **options)


@pytest.fixture(scope="module")
def noisy():
    return fit(decay())


def test_the_standard_error_is_that_of_least_squares(noisy):
    # With the equation met exactly, u = exp(-kt) and var k = σ² / Σ (t exp(-kt))².
    t = np.linspace(0, 3, 40)
    expected = NOISE / np.sqrt(np.sum((t * np.exp(-RATE * t)) ** 2))
    found = noisy.unknowns["k"]
    assert found.stderr == pytest.approx(expected, rel=0.35)
    assert abs(found.value - RATE) < 3 * expected
    assert noisy.result.noise["u"] == pytest.approx(NOISE, rel=0.35)


def test_measurements_with_standard_deviations_of_their_own():
    # Weighted least squares: var k = 1 / Σ (t exp(-kt)/σ)², where values of ten times the noise hardly count.
    t = np.linspace(0, 3, 40)
    sd = np.where(np.arange(40) % 2, 10, 1) * NOISE
    u = np.exp(-RATE * t) + sd * np.random.default_rng(3).standard_normal(40)
    expected = np.sum((t * np.exp(-RATE * t) / sd) ** 2) ** -0.5
    found = fit(decay(data=qres.Data({"t": t, "u": u, "sd": sd}, noise={"u": "sd"})))
    alike = fit(decay(data=qres.Data({"t": t, "u": u})))
    assert found.unknowns["k"].stderr == pytest.approx(expected, rel=0.05)
    assert abs(found.unknowns["k"].value - RATE) < 3 * expected
    assert alike.unknowns["k"].stderr > 3 * expected
    assert found.result.noise["u"] == pytest.approx(np.mean(sd**-2.0) ** -0.5)


def test_far_off_is_counted_in_standard_deviations():
    t = np.linspace(0, 3, 40)
    sd = np.where(np.arange(40) < 10, 1.0, 0.01)
    problem = decay()
    model = create_model(problem, NETWORK.build(problem, key=jax.random.key(0)))
    u = Solution(problem, model)(t=t) + sd

    def trust(noise):
        measured = decay(data=qres.Data({"t": t, "u": u, "sd": sd}, noise=noise))
        objective = Objective(measured, model, SAMPLING, robust=True)
        objective.update_robust_weights(objective.start, objective.draw(jax.random.key(1)))
        (found,) = objective.trust.values()
        return found[0]

    assert trust({"u": "sd"}) == pytest.approx(np.full(40, trust({"u": "sd"})[0]))
    assert trust({})[:10].max() < 0.1 < trust({})[10:].min()


def test_fitting_stops_at_the_noise_level(noisy):
    assert noisy.result.stopped.reason is qres.Stop.NOISE_LEVEL


def test_clean_data_give_the_value_itself():
    found = fit(decay(noise=0.0)).unknowns["k"]
    assert found.percent < 0.01


def test_outliers_do_less_harm_with_a_robust_fit():
    problem = decay(outliers=3)
    plain = fit(problem).unknowns["k"].percent
    robust = fit(qres.Specification(problem, robust=True)).unknowns["k"].percent
    assert robust < 0.5 * plain


def test_held_out_points_are_compared_with_but_not_fitted():
    found = fit(qres.Specification(decay(), holdout=0.25), iterations=200)
    assert found.history[-1].holdout["u"] == pytest.approx(NOISE, rel=0.8)


def test_a_run_stopped_for_held_out_points_tells_of_the_state_that_it_keeps(tmp_path, monkeypatch):
    class Impatient(NoiseMonitor):
        def update(self, holdout_error, terms):
            self.looks_since += 1
            stop = Stopped(Stop.HOLDOUT, "enough") if self.looks_since == 3 else None
            return self.looks_since == 1, stop

    monkeypatch.setattr("qres.training.loop._noise.NoiseMonitor", Impatient)
    problem = decay(exact={"u": "exp(-k*t)"})
    specification = qres.Specification(problem, holdout=0.25)
    sampling = qres.Sampling(points=100, resample_every=10)
    options = {
        "network": qres.Architecture("qres", width=6, depth=2),
        "sampling": sampling,
        "progress": False,
    }
    found = qres.solve(specification, run=tmp_path / "run", **options)
    assert found.result.iterations == 30
    assert found.result.errors == found.errors
    assert found.history[-1].unknowns["k"] == found.unknowns["k"].value
    again = qres.resume(tmp_path / "run", progress=False)
    assert again.result.iterations == 30 and again.unknowns == found.unknowns
    assert again.history == found.history


def test_two_unknowns_that_only_appear_as_a_product_are_named():
    confounded = decay(equations="u_t = -a*b*u", unknowns={"a": qres.Positive(0.5), "b": qres.Positive(0.5)})
    found = fit(confounded, iterations=400)
    assert found.result.correlation["a"]["b"] < -0.99
    assert found.unknowns["a"].stderr > 0.3 * found.unknowns["a"].value


def test_an_unknown_that_the_data_do_not_see_is_not_identifiable():
    idle = decay(
        equations=["u_t = -k*u", "w_t = -q*w"],
        conditions=["u(0) = 1", "w(0) = 0"],
        unknowns={"k": qres.Positive(0.2), "q": qres.Positive(0.5)},
    )
    found = fit(idle, iterations=200).unknowns
    assert found["q"].stderr > found["q"].value / 2
    assert found["k"].stderr < 0.2 * found["k"].value


def test_units_do_not_matter():
    # The same problem in seconds, and in nanoseconds with u in millions: the same relative answer.
    plain = decay()
    data = plain.data[0]
    scaled = decay(
        domain={"t": (0, 3e-9)},
        conditions=["u(0) = 1e6"],
        unknowns={"k": qres.Positive(0.2e9, true=RATE * 1e9)},
        data=qres.Data({"t": data.columns["t"] * 1e-9, "u": data.columns["u"] * 1e6}),
    )
    found = fit(scaled, iterations=400).unknowns["k"]
    assert found.percent < 5
    assert 0.2 * found.stderr < abs(NOISE * RATE * 1e9)


def test_sizes_are_one_for_what_is_of_size_one():
    problem = decay()
    model = create_model(problem, NETWORK.build(problem, key=jax.random.key(0)))
    objective = Objective(problem, model, SAMPLING)
    assert model.scales == ((0.0, 1.0),)
    assert set(objective.sizes.values()) == {1.0}


def test_an_untrained_network_does_not_make_equations_outweigh_the_measurements():
    problem = read_specification("navier-stokes-inverse").problem  # a span of 20, so that sizes are looked at
    model = create_model(problem, NETWORK.build(problem, key=jax.random.key(0)))
    assert set(Objective(problem, model, SAMPLING).sizes.values()) == {1.0}


def test_the_noise_watch():
    watch = NoiseMonitor()
    falling = [
        {"equation": 1e-3, "data": 1e-2},
        {"equation": 1e-4, "data": 5e-3},
        {"equation": 1e-4, "data": 4.99e-3},
    ]
    assert [watch.update(None, terms)[1] is None for terms in falling] == [True, True, False]
    held = NoiseMonitor()
    looks = [
        held.update(error, {"equation": 1.0 / n, "data": 0.0}) for n, error in enumerate([3, 1, 2, 2, 2], 1)
    ]
    assert [is_best for is_best, _ in looks] == [True, True, False, False, False]
    assert looks[-1][1] is not None
    assert looks[-1][1].reason is Stop.HOLDOUT


def test_the_bootstrap_agrees_with_the_formula(noisy):
    spread = qres.bootstrap(decay(), 5, network=NETWORK, sampling=SAMPLING, iterations=300, progress=False)[
        "k"
    ]
    assert len(spread["values"]) == 5
    assert 0.3 < spread["stderr"] / noisy.unknowns["k"].stderr < 3
    with pytest.raises(qres.InputError, match="bootstrap must be a whole number of 2 or more"):
        qres.bootstrap(decay(), 1)


def test_equations_of_any_size_are_trained():
    """`ε u'' = -ρ` in volts and metres: the loss of a network that has learnt nothing would be 1e-20."""
    found = fit(
        qres.Problem(
            "eps*u_xx = -rho", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 0"],
            constants={"eps": 8.854e-12, "rho": 1e-10}, exact={"u": "rho/(2*eps)*x*(1 - x)"},
        ),
        iterations=200,
    )  # fmt: skip
    assert found.result.errors["u"] < 1e-4


@pytest.mark.parametrize("equation", [lambda u, k: u.t + k[0] * (u - k[1]), "u_t + k[0]*(u - k[1]) = 0"])
def test_a_vector_of_unknowns(equation):
    t = np.linspace(0, 2, 30)
    data = qres.Data({"t": t, "u": 3 + 2 * np.exp(-0.5 * t)})
    problem = qres.Problem(equation, {"t": (0, 2)}, unknowns={"k": [1.0, 1.0]}, data=data)
    found = fit(problem, iterations=600).unknowns["k"]
    np.testing.assert_allclose(found.value, [0.5, 3.0], rtol=1e-3)
    assert len(found.stderr) == 2


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"equations": "u_tt = -k*u", "conditions": ["u(0) = 1", "u_t(0) = 0"]},
        {"equations": "u_t = -u", "conditions": ["u(0) = k"]},
        {"equations": "u_t = -u", "conditions": [], "transform": {"u": "k*u"}},
    ],
)
def test_a_vector_without_a_number_is_refused(changes):
    with pytest.raises(
        qres.InputError, match=r"'k' is a vector: say which number is meant, k\[0\] to k\[1\]"
    ):
        decay(unknowns={"k": [1.0, 2.0]}, **changes)


def test_a_coefficient_that_is_large_at_one_point_does_not_make_an_equation_small():
    problem = qres.Problem("u_rr + u_r/r - u/r^2 = 3", {"r": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
    model = create_model(problem, NETWORK.build(problem, key=jax.random.key(0)))
    assert Objective(problem, model, SAMPLING).sizes == {"equation": 10.0}  # u'' of half a wave: π²


def test_measurements_without_weight_say_nothing():
    t = np.linspace(0, 3, 40)
    data = qres.Data({"t": t, "u": np.exp(-RATE * t), "v": np.zeros(40)})
    problem = decay(equations=["u_t = -k*u", "v_t = -v"], conditions=["u(0) = 1", "v(0) = 1"], data=data)
    found = fit(problem, iterations=300, weights={"data_v": 0})
    assert found.unknowns["k"].percent < 0.1
    assert found.unknowns["k"].stderr < 0.01


def test_nothing_is_said_of_a_fit_that_is_not_finite():
    found = fit(decay(equations="u_t = -k*log(u - 2)"), iterations=20)
    assert found.result.stopped.reason is qres.Stop.NOT_FINITE
    assert found.unknowns["k"].stderr is None


def test_a_bootstrap_keeps_no_snapshots():
    specification = qres.Specification(decay(), NETWORK, sampling=SAMPLING, snapshots=(5,), iterations=10)
    assert len(qres.bootstrap(specification, 2, progress=False)["k"]["values"]) == 2


def test_a_bootstrap_resamples_the_measurements_of_its_own_seed(monkeypatch):
    """Those that `solve` would fit with that seed, not the ones that were drawn first."""
    specification = read_specification("kdv-inverse", settings={"seed": 3})
    own = {tuple(data.columns["u"]) for data in specification.measured().problem.data}
    seen = []

    def fitted(drawn, **options):
        seen.extend(data.columns["u"] for data in drawn.problem.data)
        raise KeyboardInterrupt

    monkeypatch.setattr("qres.training._bootstrap.solve", fitted)
    with pytest.raises(KeyboardInterrupt):
        qres.bootstrap(specification, 2, seed=3)
    assert all(any(set(column) <= set(values) for values in own) for column in seen)
    first = {tuple(data.columns["u"]) for data in specification.problem.data}
    assert not any(set(column) <= set(values) for values in first for column in seen)
