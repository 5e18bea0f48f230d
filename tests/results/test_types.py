"""Results as types: there and back, and files of earlier releases."""

import json
import math
from dataclasses import replace

import pytest

from qres.results import Estimate, Record, Result, Stop, Stopped, UnknownEstimate, Verdict, dumps, loads

RECORD = Record(
    7, 3, 1, "adam", 1.5, 3.0, 0.25, {"equation": 0.25}, {"u": 0.5}, {"k": [1.0, 2.0], "m": 3.0}, {}
)
ESTIMATE = Estimate(
    {"u": 0.1}, {"equation": {"fresh": 0.1, "training": None}}, verdict="rough: u", warnings=("w",)
)
RESULT = Result(
    "heat", "qres", (2, 3, 1), 17, 4, "adam:3", 3, 1.25, 2.5, Stopped(Stop.BUDGET, "budget: done"), 0.5,
    {"equation": 1.0}, {"u": math.inf}, {"k": UnknownEstimate(1.0, 0.1, 2.0, 50.0)}, {"k": {"k": 1.0}}, {"u": 0.1},
    "runs/heat", {"jax": "1"}, replace(ESTIMATE, status=Verdict.ROUGH), {"k": {"values": [1.0], "stderr": 0.1}},
)  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [RECORD, Record(), ESTIMATE, RESULT, replace(RESULT, estimate=None, bootstrap={}), RESULT.unknowns["k"],
     RESULT.stopped],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_there_and_back(value):
    again = type(value).from_dict(loads(dumps(value.to_dict())))
    assert repr(again) == repr(value)  # which tells numbers that are not numbers apart, too


def test_an_unknown_is_compared_with_its_true_value():
    assert UnknownEstimate.compared(1.5, 0.1, 2.0) == UnknownEstimate(1.5, 0.1, 2.0, 25.0)
    assert UnknownEstimate.compared([1.0, 3.0], None, [2.0, 2.0]).percent == [50.0, 50.0]
    assert UnknownEstimate.compared(1.0, None, 0.0).percent is None
    assert UnknownEstimate.compared(1.0, None, None).percent is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("budget: all 10 iterations of adam are done; --iterations allows more", Stop.BUDGET),
        ("stalled above the noise of the data: u: misfit 1, noise about 0.1", Stop.ABOVE_NOISE),
        ("noise: the error on the held-out points no longer falls; the best state is kept", Stop.HOLDOUT),
        ("stopped by a callback", Stop.CALLBACK),
    ],
)
def test_sentences_of_earlier_releases(text, reason):
    assert Stopped.from_dict(text) == Stopped(reason, text)


def test_records_and_results_of_earlier_releases():
    line = '{"total": 5, "iteration": 5, "stage": 0, "optimizer": "adam", "seconds": 1, "loss": NaN, "errors": {}}'
    record = Record.from_dict(loads(line))
    assert (record.total, record.terms) == (5, {}) and math.isnan(record.loss)
    found = Result.from_dict({"loss": 1, "stopped": "budget: done", "date": "now", "estimate": None})
    assert (found.loss, found.stopped.reason, found.estimate) == (1.0, Stop.BUDGET, None)
    estimate = Estimate.from_dict({"errors": {}, "verdict": "not known: there are no equations"})
    assert estimate.status is Verdict.NOT_KNOWN


def test_what_is_not_a_record_is_refused():
    for wrong in ({}, {"total": 1}, RECORD.to_dict() | {"loss": "much"}):
        with pytest.raises((KeyError, ValueError)):
            Record.from_dict(json.loads(json.dumps(wrong)))


def test_a_record_as_a_line():
    assert str(RECORD) == "adam 3  loss 2.50e-01  error u 5.00e-01  k 1, 2  m 3"
