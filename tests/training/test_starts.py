"""Several starts: the best goes on, the rest of a run is as ever, and what makes no sense is refused."""

import jax.numpy as jnp
import numpy as np
import pytest

import qres
from qres.loss import function_target
from qres.networks import Architecture
from qres.optimizers import parse_stages
from qres.runs import Specification
from qres.runtime.errors import InputError
from qres.training import resume, solve
from qres.training.loop._starts import choose_start

SMALL = Architecture(width=5, depth=2)
PROBLEM = qres.Problem("u_t = -u", {"t": [0, 1]}, "u(0) = 1", exact={"u": "exp(-t)"}, name="decay")


def two_valleys(x):
    """Minima near x = -1 (value -1) and x = 1 (value 1), a hill between."""
    return jnp.sum((x**2 - 1) ** 2 * 5 + x)


def test_the_start_in_the_deeper_valley_goes_on():
    (optimizer,) = parse_stages("ssbroyden")
    starts = [jnp.array([1.3]), jnp.array([-0.7]), jnp.array([0.8])]
    told = []
    state, losses = choose_start(
        optimizer, function_target(two_valleys, 1), {}, starts, iterations=30, notify=told.append
    )
    assert told == ["start 1 of 3", "start 2 of 3", "start 3 of 3"]
    assert float(state.theta[0]) == pytest.approx(-1.02, abs=0.05)
    assert losses[1] < -0.9 < 0.9 < min(losses[0], losses[2])


def test_a_start_that_is_not_finite_is_never_chosen():
    (optimizer,) = parse_stages("ssbroyden")
    state, losses = choose_start(
        optimizer, function_target(two_valleys, 1), {}, [jnp.array([np.nan]), jnp.array([1.0])], iterations=5
    )
    assert losses[0] == float("inf")
    assert np.isfinite(float(state.value))


def test_without_time_the_first_start_is_the_one():
    (optimizer,) = parse_stages("ssbroyden")
    starts = [jnp.array([1.3]), jnp.array([-0.7])]
    _, losses = choose_start(
        optimizer, function_target(two_valleys, 1), {}, starts, iterations=30, is_over=lambda: True
    )
    assert len(losses) == 1


def specification(starts: int) -> Specification:
    return Specification(PROBLEM, SMALL, starts=starts, tolerance=0.0)


def test_several_starts_are_as_reproducible_as_one():
    one, again = (solve(specification(3), iterations=40, progress=False) for _ in range(2))
    assert one.result.loss == again.result.loss
    assert one.result.iterations == 40
    assert one.result.loss <= solve(specification(1), iterations=40, progress=False).result.loss


def test_a_resumed_run_is_the_uninterrupted_one(tmp_path):
    whole = solve(specification(2), iterations=320, run=tmp_path / "whole", estimate=False, progress=False)
    solve(specification(2), iterations=305, run=tmp_path / "parts", estimate=False, progress=False)
    parts = resume(tmp_path / "parts", iterations=320, estimate=False, progress=False)
    assert parts.result.loss == whole.result.loss
    np.testing.assert_array_equal(parts("u", t=0.3), whole("u", t=0.3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"starts": 0}, "starts must be"),
        ({"starts": 2.5}, "starts must be"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        Specification(PROBLEM, SMALL, **options)


def test_weights_that_are_given_are_one_start():
    network = solve(specification(1), iterations=1, progress=False).model.network
    with pytest.raises(InputError, match="is one start"):
        solve(specification(2), network, iterations=1, progress=False)


def test_it_is_written_down_where_it_is_not_one():
    assert "starts" not in specification(1).to_dict()["optimizer"]
    assert Specification.from_dict(specification(4).to_dict()).starts == 4


def test_snapshots_come_after_the_choice(tmp_path):
    with pytest.raises(InputError, match="with several starts the first may be at 301, not 3"):
        Specification(PROBLEM, SMALL, starts=2, snapshots=(3, 400))
    chosen = Specification(PROBLEM, SMALL, starts=2, iterations=310, snapshots=(305,), tolerance=0.0)
    solve(chosen, run=tmp_path / "run", progress=False)
    assert [file.name for file in (tmp_path / "run" / "snapshots").iterdir()] == ["305.qres"]


def test_starts_are_compared_at_all_points():
    """At few points the start that fits best may do so nowhere between them."""
    seen = []
    sampling = qres.Sampling(points=2000)
    for starts in (1, 2):
        chosen = Specification(PROBLEM, SMALL, starts=starts, sampling=sampling, iterations=1)
        seen.append(len(solve(chosen, progress=False).training_points["equation"][0]))
    assert seen == [1000, 2000]
