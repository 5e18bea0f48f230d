"""Why a run stopped: converged only where residuals are small and the answer holds."""

import pytest

import qres
from qres.optimizers import CONVERGED, NO_DESCENT
from qres.results import Stop, Stopped, Verdict
from qres.training.loop._stopping import stop_reason, with_verdict

REACHED = Stopped(Stop.TOLERANCE, "converged: the loss is below the tolerance of 1e-16")


@pytest.mark.parametrize(
    ("terms", "weights", "reason"),
    [
        ({"equation": 1e-9, "initial": 1e-8}, {"equation": 1.0, "initial": 1.0}, Stop.CONVERGED),
        ({"equation": 34.0, "initial": 1e-8}, {"equation": 1.0, "initial": 1.0}, Stop.STALLED),
        ({"equation": 1e-4}, {"equation": 1e3}, Stop.CONVERGED),  # 1e-7 without its weight
        ({"equation": 1e-2, "data": 1e-2}, {"equation": 1.0, "data": 1.0}, Stop.CONVERGED),  # noise, perhaps
        ({"equation": 0.0}, {"equation": 0.0}, Stop.CONVERGED),
    ],
)
def test_a_large_residual_is_no_convergence(terms, weights, reason):
    assert stop_reason(CONVERGED, terms, weights).reason is reason


def test_the_largest_residual_is_named():
    found = stop_reason(CONVERGED, {"equation": 34.0, "initial": 1.0}, {"equation": 1.0, "initial": 1.0})
    assert "with equation off by 6 of its terms" in found.message


def test_other_reasons_stay():
    found = stop_reason(NO_DESCENT, {"equation": 34.0}, {"equation": 1.0})
    assert found.reason is Stop.NO_DESCENT
    assert found.message == "no descent: no step along the search direction lowers the loss"


def test_converged_never_stands_beside_does_not_hold():
    assert with_verdict(REACHED, Verdict.HOLDS) == REACHED
    said = with_verdict(REACHED, Verdict.DOES_NOT_HOLD)
    assert said.reason is Stop.STALLED
    assert said.message == "stalled: the loss is below the tolerance of 1e-16, but the answer does not hold"
    limit = Stopped(Stop.TIME_LIMIT, "time limit: 60 seconds are over")
    assert with_verdict(limit, Verdict.DOES_NOT_HOLD) == limit


def test_a_run_below_a_loose_tolerance_that_does_not_hold_is_not_converged(tmp_path):
    problem = qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"])
    specification = qres.Specification(problem, qres.Architecture(width=5, depth=1), tolerance=1e3)
    solution = qres.solve(specification, progress=False, run=tmp_path / "run")
    assert solution.result.estimate is not None
    assert solution.result.estimate.status is Verdict.DOES_NOT_HOLD
    for found in (solution, qres.load(tmp_path / "run" / "solution.qres")):
        assert found.result.stopped.reason is Stop.STALLED
        assert "converged" not in found.result.stopped.message
