"""Weights of soft conditions that balance themselves: what they are, that they help, and where they do not meddle."""

import jax
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

import qres
from qres.fields import Time
from qres.loss import AXIS, _balance, balanced_weights, condition_groups, sensitivities
from qres.runs import Specification, read_specification
from qres.runtime.errors import InputError
from qres.training import resume, solve
from qres.training._assembly import build_model, build_objective
from qres.training.loop._weighing import Balance, Weighing, guarded, moved

SMALL = qres.Architecture(width=6, depth=2)
FEW = qres.Sampling(points=200, condition_points=20, resample_every=20)
HEAT = qres.Problem(
    "u_t = 0.1*u_xx",
    {"t": (0, 1), "x": (0, 1)},
    ["u(0, x) = sin(pi*x)", "u(t, 0) = 0", "u_x(t, 1) = -pi*exp(-0.1*pi^2*t)"],
    exact={"u": "exp(-0.1*pi^2*t)*sin(pi*x)"},
    name="heat",
)
CONDITIONS = {"initial", "boundary_1", "boundary_2"}
KEY = jax.random.key(3)


def specification(problem=HEAT, **options) -> Specification:
    return Specification(problem, SMALL, sampling=FEW, **options)


def objective_of(chosen: Specification):
    return build_objective(chosen, chosen.problem, build_model(chosen, None))


def weights_of(chosen: Specification) -> dict[str, float]:
    objective = objective_of(chosen)
    points = objective.draw(KEY)
    return balanced_weights(objective, objective.start, points, objective.batch(points), KEY)


@pytest.mark.parametrize("time", [None, Time(stages=4)], ids=["continuous", "discrete"])
def test_what_is_felt_is_the_trace_of_the_normal_matrix(time, monkeypatch):
    monkeypatch.setattr(_balance, "_DIRECTIONS", 500)
    objective = objective_of(specification(time=time))
    target, points = objective.engine.target, objective.draw(KEY)
    assert target.normal is not None
    normal = target.program(target.normal, (P(), P(AXIS)), P())
    sensitivity = sensitivities(objective, objective.start, points, objective.batch(points), KEY)
    assert set(sensitivity) == set(objective.names)
    for name in objective.names:
        objective.weights = {other: float(other == name) for other in objective.names}
        _, matrix, _ = normal(objective.start, objective.batch(points))
        assert sensitivity[name] == pytest.approx(float(np.trace(matrix)), rel=0.25)


def test_units_do_not_change_the_weights():
    small = qres.Problem(
        "u_t = 0.1*u_xx",
        HEAT.bounds,
        ["u(0, x) = 1e-6*sin(pi*x)", "u(t, 0) = 0", "u_x(t, 1) = 0"],
        name="heat",
    )
    large = qres.Problem(
        "u_t = 0.1*u_xx",
        HEAT.bounds,
        ["u(0, x) = 1e6*sin(pi*x)", "u(t, 0) = 0", "u_x(t, 1) = 0"],
        name="heat",
    )
    assert weights_of(specification(small)) == pytest.approx(weights_of(specification(large)), rel=1e-3)


@pytest.mark.parametrize("time", [None, Time(stages=4)], ids=["continuous", "discrete"])
def test_conditions_weigh_at_least_as_much_as_equations(time):
    found = weights_of(specification(time=time))
    assert set(found) == (CONDITIONS if time is None else CONDITIONS - {"initial"})
    assert all(1 <= weight <= 1e4 for weight in found.values())


def test_the_more_derivatives_the_more_weight_conditions_need():
    first = qres.Problem("u_x = -u", {"x": (0, 1)}, "u(0) = 1", hard=False)
    fourth = qres.Problem(
        "u_xxxx = 1", {"x": (0, 1)}, ["u(0) = 0", "u_x(0) = 0", "u_xx(1) = 0", "u_xxx(1) = 0"], hard=False
    )
    (least,) = weights_of(specification(first)).values()
    assert 1 <= least < 10
    assert max(weights_of(specification(fourth)).values()) > 4 * least


@pytest.mark.parametrize(
    "problem",
    [
        qres.Problem("u_t = -u", {"t": (0, 1)}, "u(0) = 1", hard=True),
        qres.Problem(
            [], {"t": (0, 1)}, fields=["u"], data=qres.Data({"t": np.arange(3.0) / 2, "u": np.ones(3)})
        ),
        qres.Problem(
            "u_t = -k*u",
            {"t": (0, 1)},
            unknowns={"k": 1.0},
            data=qres.Data({"t": np.arange(3.0) / 2, "u": np.ones(3)}),
        ),
    ],
    ids=["hard", "no equation", "no condition"],
)
def test_nothing_is_weighed_where_there_is_nothing_to_weigh(problem):
    assert weights_of(specification(problem)) == {}


def test_measurements_keep_their_weight():
    data = qres.Data({"t": np.array([0.5, 0.6]), "x": np.array([0.3, 0.4]), "u": np.array([0.5, 0.6])})
    assert set(weights_of(specification(HEAT.with_data([data])))) == CONDITIONS


def test_a_network_that_is_not_finite_leaves_conditions_alone():
    objective = objective_of(specification())
    points = objective.draw(KEY)
    found = balanced_weights(objective, objective.start * np.nan, points, objective.batch(points), KEY)
    assert found == dict.fromkeys(CONDITIONS, 1.0)


def test_a_weight_that_is_given_is_kept():
    chosen = specification(weights={"boundary_2": 7.0, "initial": 3.0, "equation": 2.0})
    found = solve(chosen, iterations=45, progress=False).result.weights
    assert (found["boundary_2"], found["initial"], found["equation"]) == (7, 3, 2)
    assert found["boundary_1"] > 1
    kinds = solve(specification(weights={"boundary": 7.0}), iterations=5, progress=False).result.weights
    assert (kinds["boundary_1"], kinds["boundary_2"]) == (7, 7)


def test_it_can_be_switched_off():
    found = solve(specification(balance=False), iterations=25, progress=False).result.weights
    assert found == dict.fromkeys(["equation", *found], 1.0)


def test_noise_sharpens_what_is_balanced():
    chosen = specification(weights={"equation": 2.0})
    objective = objective_of(chosen)
    Weighing(chosen, objective).set({"initial": 5.0}, 2)
    assert objective.weights == {"equation": 1800, "initial": 4500, "boundary_1": 900, "boundary_2": 900}


def test_sister_conditions_share_a_weight():
    """Values on all sides are one group; slopes, and the initial state, weigh as they need to."""
    flow = qres.Problem(
        [
            "u*u_x + v*u_y + p_x = 0.1*(u_xx + u_yy)",
            "u*v_x + v*v_y + p_y = 0.1*(v_xx + v_yy)",
            "u_x + v_y = 0",
        ],
        {"x": (0, 1), "y": (0, 2)},
        ["u = 1 + 0.1*y on boundary", "v(0, y) = 0.01*y", "v_x(1, y) = 0", "p_y(x, 0) = 0", "p_y(x, 2) = 0"],
        hard=False,
        up_to_constant=["p"],
    )
    chosen = specification(flow)
    found = weights_of(chosen)
    values, slopes = condition_groups(objective_of(chosen))
    assert (len(values), len(slopes)) == (5, 3)
    assert len({found[name] for name in values}) == len({found[name] for name in slopes}) == 1
    assert found[values[0]] != found[slopes[0]]
    groups = condition_groups(objective_of(specification()))
    assert groups == (("initial",), ("boundary_1",), ("boundary_2",))


def test_a_new_weight_is_halfway_from_the_one_before_but_not_far():
    assert moved({"a": 100.0}, {"a": 400.0}) == pytest.approx({"a": 200.0})
    assert moved({"a": 100.0}, {"a": 1.0}) == pytest.approx({"a": 10.0})
    assert moved({"a": 1.0}, {"a": 1e4}) == pytest.approx({"a": 10.0})
    assert moved({"a": 100.0, "b": 2.0}, {"a": 110.0, "b": 2.0}) == {"a": 100.0, "b": 2.0}


def test_weights_freeze():
    chosen = specification()
    objective = objective_of(chosen)
    weighing, points = Weighing(chosen, objective), objective.draw(KEY)
    theta, seen = objective.start, []
    balance = weighing.first(theta, points, objective.batch(points))
    while not balance.frozen and len(seen) < 20:
        weighing.set(balance.factors, 0)
        theta = theta * 1.3  # a network that moves on
        balance = balance._replace(begun=None)  # and gets better, as far as the guard knows
        balance = weighing.next(balance, theta, points, objective.batch(points), len(seen) + 1)
        seen.append(balance.factors)
    assert balance.updates == len(seen) == 6
    assert seen[0] != seen[-1]
    assert weighing.next(balance, theta * 2, points, objective.batch(points), 9) is balance


def test_the_guard_goes_back_to_the_last_weights_with_which_the_loss_fell():
    good, worse, worst = ({"initial": weight} for weight in (2.0, 20.0, 200.0))
    after = guarded(Balance(good, {}, begun=1.0), 0.5)
    assert (after.good, after.strikes, after.frozen) == (good, 0, False)
    once = guarded(after._replace(factors=worse, begun=5.0), 6.0)
    assert (once.factors, once.strikes, once.frozen) == (worse, 1, False)
    twice = guarded(once._replace(factors=worst, begun=50.0), 60.0)
    assert (twice.factors, twice.frozen) == (good, True)
    again = guarded(once._replace(factors=worst, begun=50.0), 40.0)
    assert (again.good, again.strikes, again.frozen) == (worst, 0, False)
    assert guarded(once, float("nan")).factors == good


def test_the_guard_acts_in_a_run_where_the_loss_does_not_fall():
    """Parameters that get worse and worse, as those of a run that swings from one state to another."""
    chosen = specification()
    objective = objective_of(chosen)
    weighing, points = Weighing(chosen, objective), objective.draw(KEY)
    theta = objective.start
    balance = weighing.first(theta, points, objective.batch(points))
    first = balance.factors
    for draw in range(1, 4):
        weighing.set(balance.factors, 0)
        theta = theta * 2
        balance = weighing.next(balance, theta, points, objective.batch(points), draw)
    assert (balance.factors, balance.frozen, balance.strikes) == (first, True, 2)


@pytest.mark.parametrize("stopped", [50, 130, 150])
def test_a_resumed_run_is_the_uninterrupted_one(tmp_path, stopped):
    """Interrupted while weights change, or after they stay, six resamplings on."""
    whole = solve(specification(tolerance=0.0), iterations=170, progress=False)
    solve(
        specification(tolerance=0.0), iterations=stopped, run=tmp_path / "run", estimate=False, progress=False
    )
    further = resume(tmp_path / "run", iterations=170, estimate=False, progress=False)
    assert further.result.weights == whole.result.weights
    assert further.result.loss == whole.result.loss


def test_it_helps():
    ring = qres.Problem(
        "u_xx + u_yy = 0",
        {"x": (-1, 1), "y": (-1, 1)},
        ["u = 0 on x^2 + y^2 = 1", "u_n = 2 on x^2 + y^2 = 0.25"],
        inside="0.25 < x^2 + y^2 < 1",
        exact={"u": "-log(x^2 + y^2)/2"},
        hard=False,
    )
    sampling = qres.Sampling(points=400, condition_points=30, resample_every=100)
    without, balanced = (
        solve(
            Specification(ring, qres.Architecture(width=8, depth=2), sampling=sampling, balance=balance),
            iterations=300,
            progress=False,
        ).errors["u"]
        for balance in (False, True)
    )
    assert balanced < 0.5 * without


def test_the_papers_runs_have_the_papers_weights():
    for name in ("burgers", "schrodinger", "allen-cahn", "kdv", "allen-cahn-discrete"):
        assert read_specification(name).balance
        assert not read_specification(name, "paper").balance


def test_only_true_and_false_are_known():
    with pytest.raises(InputError, match="balance must be true or false, not 'often'"):
        read_specification("burgers", settings={"balance": "often"})
