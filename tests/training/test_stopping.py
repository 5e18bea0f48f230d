"""Why a run stopped: converged only where residuals are small and the answer holds."""

import pytest

import qres
from qres.estimate import Verdict
from qres.training._stopping import beside_verdict, stop_reason

FLAT = "converged: the loss no longer changes in the last digits"
REACHED = "converged: the loss is below the tolerance of 1e-16"


@pytest.mark.parametrize(
    ("terms", "weights", "begins"),
    [
        ({"equation": 1e-9, "initial": 1e-8}, {"equation": 1.0, "initial": 1.0}, "converged"),
        ({"equation": 34.0, "initial": 1e-8}, {"equation": 1.0, "initial": 1.0}, "stalled: "),
        ({"equation": 1e-4}, {"equation": 1e3}, "converged"),  # 1e-7 without its weight
        ({"equation": 1e-2, "data": 1e-2}, {"equation": 1.0, "data": 1.0}, "converged"),  # noise, perhaps
        ({"equation": 0.0}, {"equation": 0.0}, "converged"),
    ],
)
def test_a_large_residual_is_no_convergence(terms, weights, begins):
    assert stop_reason(FLAT, terms, weights).startswith(begins)


def test_the_largest_residual_is_named():
    found = stop_reason(FLAT, {"equation": 34.0, "initial": 1.0}, {"equation": 1.0, "initial": 1.0})
    assert "with equation off by 6 of its terms" in found


def test_other_reasons_stay():
    reason = "no descent: no step along the search direction lowers the loss"
    assert stop_reason(reason, {"equation": 34.0}, {"equation": 1.0}) == reason


def test_converged_never_stands_beside_does_not_hold():
    assert beside_verdict(REACHED, Verdict.HOLDS) == REACHED
    said = beside_verdict(REACHED, Verdict.DOES_NOT_HOLD)
    assert said == "stalled: the loss is below the tolerance of 1e-16, but the answer does not hold"
    limit = "time limit: 60 seconds are over"
    assert beside_verdict(limit, Verdict.DOES_NOT_HOLD) == limit


def test_a_run_below_a_loose_tolerance_that_does_not_hold_is_not_converged(tmp_path):
    problem = qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"])
    specification = qres.Specification(problem, qres.Architecture(width=5, depth=1), tolerance=1e3)
    solution = qres.solve(specification, progress=False, run=tmp_path / "run")
    assert solution.summary["estimate"]["verdict"].startswith("does not hold")
    assert "converged" not in solution.summary["stopped"]
    assert "converged" not in qres.load(tmp_path / "run" / "solution.qres").summary["stopped"]
