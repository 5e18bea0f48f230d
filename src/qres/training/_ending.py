"""After the training: intervals of the unknowns and the error estimate, each within a share of the run's time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from qres.inference import Intervals, find_intervals
from qres.loss import DiscreteObjective, Objective
from qres.results import Estimate
from qres.runtime.cores import cores
from qres.runtime.limited import GivenUp, limited
from qres.solution import Solution

from ._progress import ProgressBar

END_SHARE = 0.25  # of the training's processor time, which intervals and the estimate may take, each
_LEAST = 30.0  # seconds on each core that they have in any case
_COARSE = 0.2  # effort of a first estimate where a full one may take too long
_QUICK_UP_TO = 2  # coordinates: a full estimate takes seconds


def intervals_within(
    objective: Objective | DiscreteObjective, theta: Any, batch: Any, spent: float, bar: ProgressBar
) -> Intervals:
    """Intervals of the unknowns; none, with a warning, where they take too long or the user skips them.

    Args:
        objective: that was trained.
        theta: the vector that was found.
        batch: the training points.
        spent: processor time of the training.
        bar: that shows what is at work.
    """
    if not (objective.problem.unknowns and objective.problem.data):
        return Intervals()
    bar.begin(_titled("intervals of the unknowns", spent))
    try:
        return _limited(lambda: find_intervals(objective, theta, batch), spent)
    except GivenUp as reason:
        return Intervals(warnings=(f"no intervals of the unknowns: {reason}",))


def estimate_within(solution: Solution, spent: float, bar: ProgressBar) -> Estimate:
    """The estimate of the error; a coarser one, or none, where it takes too long or the user skips it.

    Args:
        solution: that was found.
        spent: processor time of the training.
        bar: that shows what is at work.
    """
    found = None
    try:
        if len(solution.problem.coordinates) > _QUICK_UP_TO:
            bar.begin(_titled("estimating the error, coarsely", spent))
            found = _limited(lambda: solution.estimate(_COARSE), spent)
        bar.begin(_titled("estimating the error", spent))
        return _limited(solution.estimate, spent)
    except GivenUp as reason:
        if found is None:
            return Estimate({}, verdict=f"not known: the estimate was {reason}; solution.estimate() makes it")
        bar.log(f"warning: the estimate is a coarse one: a closer look was {reason}")
        return found


def _titled(what: str, spent: float) -> str:
    return f"{what} (at most {_limit(spent) / cores():.0f} s; Ctrl-C skips it)"


def _limited(work: Callable[[], Any], spent: float) -> Any:
    """Of several processes, all take part in the work, and none may leave it alone."""
    return work() if jax.process_count() > 1 else limited(work, _limit(spent))


def _limit(spent: float) -> float:
    """Processor time."""
    return max(_LEAST * cores(), END_SHARE * spent)
