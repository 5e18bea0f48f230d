"""A fit that stalls: it stops at the noise, goes on above it, and says so where nothing helps."""

from dataclasses import dataclass

import numpy as np
import pytest

import qres
from qres.inference import NOISE_LEVEL, Discrepancy, handle_stall

SHARP = {"equation": 1e-6, "data": 1e-2}
ABOVE, WITHIN = {"data": Discrepancy(0.108, 0.1)}, {"data": Discrepancy(0.1, 0.1)}


@dataclass
class At:
    sharpened: int = 0
    loosened: int = 0


def answers(found, terms=SHARP, at=None):
    at, told, levels = at or At(), [], []
    for _ in range(10):
        reason = handle_stall(at, terms, found, told.append)
        if reason:
            return reason, levels, told
        levels.append(at.sharpened)
    raise AssertionError("it never stops")


def test_at_the_noise_it_stops():
    assert answers(WITHIN) == (NOISE_LEVEL, [], [])


def test_equations_that_give_way_to_the_noise_are_sharpened_as_before():
    assert answers(WITHIN, {"equation": 1e-3, "data": 1e-2}) == (NOISE_LEVEL, [1, 2], [])


def test_above_the_noise_measurements_count_more_twice_and_then_it_says_so():
    reason, levels, told = answers(ABOVE)
    assert reason.message == "stalled above the noise of the data: data: misfit 0.108, noise about 0.1"
    assert levels == [-1, -2, 0]
    assert len(told) == 2 and "more weight on the data" in told[0]


def test_once_it_is_within_the_noise_the_weights_are_given_back():
    assert answers(WITHIN, at=At(-1, 1)) == (NOISE_LEVEL, [0], [])


def test_a_wrong_equation_is_not_taken_for_noise():
    t = np.linspace(0, 3, 60)
    u = np.exp(-t) + 0.3 * np.sin(4 * t) + 0.01 * np.random.default_rng(0).standard_normal(60)
    problem = qres.Problem(
        "u_t = -k*u", {"t": (0, 3)}, ["u(0) = 1"], unknowns={"k": 0.5}, data=qres.Data({"t": t, "u": u})
    )
    found = qres.solve(
        problem,
        qres.Architecture("qres", width=6, depth=2),
        sampling=qres.Sampling(points=100, resample_every=50),
        iterations=2000,
        progress=False,
    )
    assert found.result.stopped.message.startswith("stalled above the noise of the data: data: misfit")
    assert found.result.weights["data"] == pytest.approx(1.0)
