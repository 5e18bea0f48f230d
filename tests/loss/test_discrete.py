"""Discrete time: the schemes are the textbook's, and exact stages have no residual, in every kind of problem."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.data import Data
from qres.fields import Scheme, Time
from qres.geometry import Sampling
from qres.loss import DiscreteObjective, discretize
from qres.problems import Problem
from qres.residuals import create_model
from qres.runtime.errors import InputError

DOMAIN = {"t": [0, 1], "x": [-1, 1]}
HEAT = Problem(
    "u_t = 0.1*u_xx",
    DOMAIN,
    ["u(0, x) = cos(pi*x)"],
    periodic=["x"],
    exact={"u": "exp(-0.1*pi^2*t)*cos(pi*x)"},
)
POINTS = Sampling(points=30)
ROOT3, ROOT15 = np.sqrt(3), np.sqrt(15)
TEXTBOOK = {
    1: ([[0.5]], [1.0]),
    2: ([[1 / 4, 1 / 4 - ROOT3 / 6], [1 / 4 + ROOT3 / 6, 1 / 4]], [0.5, 0.5]),
    3: (
        [
            [5 / 36, 2 / 9 - ROOT15 / 15, 5 / 36 - ROOT15 / 30],
            [5 / 36 + ROOT15 / 24, 2 / 9, 5 / 36 - ROOT15 / 24],
            [5 / 36 + ROOT15 / 30, 2 / 9 + ROOT15 / 15, 5 / 36],
        ],
        [5 / 18, 4 / 9, 5 / 18],
    ),
}


def losses(problem, outputs, time, scales=None, sampling=POINTS):
    """The terms of the loss of given functions of space, one a row: `outputs(x)` is `(fields × times, n)`."""
    model = create_model(problem, outputs, scales or [(0.0, 1.0)] * len(problem.fields))
    objective = DiscreteObjective(problem, model, sampling, time=time)
    batch = objective.batch(objective.draw(jax.random.key(0)))
    return {name: float(value) for name, value in objective.engine.terms(objective.start, batch).items()}


@pytest.mark.parametrize("q", [1, 2, 3])
def test_a_step_is_the_textbooks(q):
    """`u_t = -2u`: the stages solve `(1 + 2h A) U = u`, and the end is Padé's approximant of exp(-2h) times u."""
    h = 0.75
    a, b = map(np.array, TEXTBOOK[q])
    stages = np.linalg.solve(np.eye(q) + 2 * h * a, np.ones(q))
    end = 1 - 2 * h * b @ stages
    pade = {1: (1 - h) / (1 + h), 2: (1 - h + h**2 / 3) / (1 + h + h**2 / 3)}
    assert end == pytest.approx(pade.get(q, np.exp(-2 * h)), abs=1e-15 if q < 3 else 1e-3)
    column = np.append(stages, end)[:, None]
    problem = Problem("u_t = -2*u + 0*u_x", DOMAIN, ["u(0, x) = x^2"])
    assert losses(problem, lambda x: column * x**2, Time(q, 0.0, h))["stages"] < 1e-30


@pytest.mark.parametrize("steps", [1, 3])
def test_exact_stages_of_a_linear_equation_have_no_residual(steps):
    scheme, _ = discretize(HEAT, Time(12, 0.25, 1.0, steps), POINTS, 0)
    t = jnp.asarray(scheme.times)[:, None]
    found = losses(
        HEAT, lambda x: jnp.exp(-0.1 * jnp.pi**2 * t) * jnp.cos(jnp.pi * x), Time(12, 0.25, 1.0, steps)
    )
    assert sorted(found) == ["stages"]
    assert found["stages"] < 1e-28


def test_time_and_space_may_stand_in_the_equation():
    """`u_t = u_x/x + cos(t)` of `u = x² + 2t + sin(t)`."""
    problem = Problem("u_t = u_x/x + cos(t)", {"t": [0, 1], "x": [1, 2]}, ["u(0, x) = x^2"])
    scheme, _ = discretize(problem, Time(10), POINTS, 0)
    t = jnp.asarray(scheme.times)[:, None]
    assert losses(problem, lambda x: x**2 + 2 * t + jnp.sin(t), Time(10))["stages"] < 1e-26


def test_a_system_a_factor_and_units():
    """A rotation, `2 u_t = -v`, `v_t = u/2`, in outputs that are scaled and shifted."""
    problem = Problem(["2*u_t = -v", "u/2 - v_t = 0*u_x"], DOMAIN, ["x = u(0, x)", "v(0, x) = 1"])
    scheme, _ = discretize(problem, Time(9), POINTS, 0)
    c, s = (f(scheme.times / 2)[:, None] for f in (np.cos, np.sin))

    def outputs(x):
        return jnp.concatenate([(c * x - s - 3) / 5, s * x + c])

    found = losses(problem, outputs, Time(9), [(3.0, 5.0), (0.0, 1.0)])
    assert sorted(found) == ["stages_u", "stages_v"]
    assert max(found.values()) < 1e-27


def test_conditions_of_space_hold_at_all_stages():
    conditions = ["u(0, x) = x", "u(t, -1) = -1 + t", "u_x(t, 1) = 1", "u(t, -1) + 2 = u(t, 1)"]
    problem = Problem("u_t = u_xx + 1", DOMAIN, conditions)
    scheme, _ = discretize(problem, Time(3), POINTS, 0)
    t = scheme.times[:, None]
    found = losses(problem, lambda x: x + t, Time(3))
    assert sorted(found) == ["boundary_1", "boundary_2", "periodic", "stages"]
    assert max(found.values()) < 1e-28
    wrong = losses(problem, lambda x: x + t + 0.5 * (x + 1), Time(3))
    assert wrong["boundary_1"] < 1e-28
    assert wrong["boundary_2"] == pytest.approx(0.25)
    assert wrong["periodic"] == pytest.approx(1.0)


def test_hard_conditions_that_move_with_time():
    problem = Problem(
        "u_t = u_xx + 1", DOMAIN, ["u(0, x) = x", "u(t, -1) = t - 1", "u(t, 1) = t + 1"], hard=True
    )
    scheme, _ = discretize(problem, Time(3), POINTS, 0)
    found = losses(problem, lambda x: 0.0 * x + 0.0 * scheme.times[:, None], Time(3))
    assert sorted(found) == ["stages"]
    assert found["stages"] < 1e-28


@pytest.mark.parametrize("times", [(0.0, 0.5), (0.0, 0.3, 0.5, 1.0)])
def test_exact_stages_between_snapshots_have_no_residual(times):
    x = np.linspace(-1, 1, 17)
    tables = {"t": np.repeat(times, 17), "x": np.tile(x, len(times))}
    tables["u"] = np.exp(-0.1 * np.pi**2 * tables["t"]) * np.cos(np.pi * tables["x"])
    problem = Problem("u_t = a*u_xx", DOMAIN, unknowns={"a": 0.1}, periodic=["x"], data=Data(tables))
    scheme, snapshots = discretize(problem, Time(10), POINTS, 0)
    assert scheme == Scheme(10, times, inverse=True)
    assert len(scheme.times) == 10 * (len(times) - 1)
    assert [snapshot.points.shape for snapshot in snapshots] == [(1, 17)] * len(times)
    t = jnp.asarray(scheme.times)[:, None]
    found = losses(problem, lambda x: jnp.exp(-0.1 * jnp.pi**2 * t) * jnp.cos(jnp.pi * x), Time(10))
    assert sorted(found) == [f"snapshot_{k + 1}" for k in range(len(times))]
    assert max(found.values()) < 1e-26


def test_two_coordinates_of_space():
    problem = Problem(
        "u_t = 0.1*(u_xx + u_yy)", {"x": [0, 1], "t": [0, 1], "y": [0, 2]},
        ["u(x, 0, y) = sin(pi*x)*cos(pi*y)", "u(0, t, y) = 0", "u_y(x, t, 2) = 0"],
    )  # fmt: skip
    scheme, _ = discretize(problem, Time(12), POINTS, 0)
    t = jnp.asarray(scheme.times)[:, None]

    def outputs(p):
        return jnp.exp(-0.2 * jnp.pi**2 * t) * jnp.sin(jnp.pi * p[:1]) * jnp.cos(jnp.pi * p[1:])

    found = losses(problem, outputs, Time(12))
    assert sorted(found) == ["boundary_1", "boundary_2", "stages"]
    assert max(found.values()) < 1e-20


def test_between_stages_there_is_a_polynomial():
    times = np.linspace(0, 1, 41)
    for scheme in (Scheme(9, (0.0, 1.0)), Scheme(9, (0.0, 0.4, 1.0)), Scheme(9, (0.0, 1.0), inverse=True)):
        values = scheme.times**5 @ scheme.interpolation(times)
        assert np.abs(values - times**5).max() < 1e-12
    many = Scheme(500, (0.0, 1.0))
    assert np.abs(np.exp(many.times) @ many.interpolation(times) - np.exp(times)).max() < 1e-10
    with pytest.raises(InputError, match=r"t = 1.5 is outside the time that was solved, \[0, 1\]"):
        many.interpolation(np.array([0.5, 1.5]))


SNAPSHOT = {"t": np.full(3, 0.5), "x": np.arange(3) / 3, "u": np.ones(3)}
UNSURE = Data({**SNAPSHOT, "sd": np.ones(3)}, noise={"u": "sd"})


@pytest.mark.parametrize(
    ("time", "more", "message"),
    [
        ({"stages": 4, "from": 0.5}, {}, "the state there is not known; give an initial condition"),
        ({"stages": 4, "from": 0.5, "to": 3}, {"reference": "kdv"}, r"to = 3 is outside the domain, \[0, 1\]"),
        ({"stages": 4, "from": 0.123}, {"reference": "kdv"}, "the reference kdv has t = 0.125, not that"),
        ({"stages": 4}, {"unknowns": {"a": 1.0}, "data": Data(SNAPSHOT)}, "data at two times or more are needed"),
        ({"stages": 4, "from": 0.2}, {"data": Data(SNAPSHOT)}, "from = 0.2, but the data are at t = 0.5"),
        ({"stages": 4, "from": 0.6}, {"data": Data(SNAPSHOT)}, "no data between from = 0.6"),
        ({"stages": 4}, {"data": UNSURE}, "noise u = 'sd': in discrete time all values of a snapshot count alike"),
        ({"stages": 0}, {}, r"\[time\] stages must be a whole number of 1 or more, not 0"),
        ({"stages": 501}, {}, "stages must be at most 500, not 501"),
        ({"from": 0.1}, {}, "needs a number of stages"),
        ({"stages": 4, "from": 0.5, "to": 0.5}, {}, "from = 0.5 must come before to = 0.5"),
        ({"stage": 4}, {}, r"unknown key 'stage' in \[time\]; did you mean 'stages'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(time, more, message):
    with pytest.raises(InputError, match=message):
        discretize(Problem("u_t = u_xx", DOMAIN, **more), Time.from_dict(time), POINTS, 0)


def test_a_large_step_is_learnt_and_kept(tmp_path):
    found = qres.solve(
        HEAT, qres.Architecture(width=6, depth=2), time=Time(5, 0.0, 1.0), sampling=POINTS, optimizer="lm",
        iterations=40, progress=False,
    )  # fmt: skip
    assert found.result.widths == (1, 6, 6, 6)
    assert found.errors["u"] < 1e-3
    assert found.result.errors["u"] == pytest.approx(found.errors["u"], rel=0.2)
    assert found(t=0.5, x=0.0) == pytest.approx(np.exp(-0.05 * np.pi**2), abs=2e-3)
    assert found("u_x", t=0.5, x=0.5) == pytest.approx(-np.pi * np.exp(-0.05 * np.pi**2), abs=2e-2)
    assert found.to_xarray().sizes == {"t": 1, "x": 1001}
    assert found.to_xarray((3, 5)).t.values.tolist() == [0.0, 0.5, 1.0]
    again = qres.load(found.save(tmp_path / "heat.qres"))
    assert again(t=0.7, x=0.3) == found(t=0.7, x=0.3)
    assert found.plot(tmp_path / "heat.png").stat().st_size > 1000
    with pytest.raises(InputError, match="no derivatives in t"):
        found("u_t", t=0.5, x=0.0)


def test_a_coefficient_is_found_between_two_snapshots():
    x = np.linspace(-1, 1, 21)[:-1]
    tables = {"t": np.repeat([0.2, 0.7], 20), "x": np.tile(x, 2)}
    tables["u"] = np.exp(-0.1 * np.pi**2 * tables["t"]) * np.cos(np.pi * tables["x"])
    unknowns = {"a": {"start": 0.5, "positive": True, "true": 0.1}}
    problem = Problem("u_t = a*u_xx", DOMAIN, unknowns=unknowns, periodic=["x"], data=Data(tables))
    found = qres.solve(
        problem,
        qres.Architecture(width=5, depth=1),
        time=Time(4),
        optimizer="lm",
        iterations=40,
        progress=False,
    )
    assert found.unknowns["a"].value == pytest.approx(0.1, rel=1e-3)


@pytest.mark.parametrize(
    ("domain", "equation"),
    [({"x": [0, 1]}, "u_x = -u"), ({"t": [0, 1]}, "u_t = -u"), ({"s": [0, 1], "x": [0, 1]}, "u_s = u_x")],
)
def test_discrete_time_needs_time_and_space(domain, equation):
    with pytest.raises(InputError, match="with coordinates t and space, not"):
        qres.solve(qres.Problem(equation, domain), time=qres.Time(stages=3), iterations=1, progress=False)


def test_robust_fits_are_for_continuous_time():
    specification = qres.Specification(HEAT, time=Time(stages=2), robust=True)
    with pytest.raises(InputError, match="robust = true is for continuous time"):
        qres.solve(specification, iterations=1, progress=False)
