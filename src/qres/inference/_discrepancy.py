"""The discrepancy principle: stop where the misfit is at the noise level, give the data more weight above it.

Above the noise (`_noise.py`), the fit is in a poor minimum, or the equations are not those of the data. Measurements
then get thirty times the weight, up to twice: with the equations loosened, a fit finds its way to the data, and back
with the weights as given. Where that does not help, they are given back, and the run stops with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from qres.loss import Batch, DiscreteObjective, Objective, Points
from qres.results import Stop, Stopped

from ._noise import Discrepancy, discrepancy
from ._noise_monitor import NOISE_LEVEL, SHARPENINGS, noise_distorts_equations

_LOOSENINGS = 2


class Weighted(Protocol):
    """The part of a run's progress that is about noise."""

    sharpened: int  # how often equations and conditions got more weight; negative: measurements did
    loosened: int  # how often measurements did


def data_discrepancies(
    objective: Objective | DiscreteObjective, theta: Any, points: Points, batch: Batch
) -> dict[str, Discrepancy]:
    """The misfit and the noise of each measured field, by its term in the loss; of continuous time only."""
    if isinstance(objective, DiscreteObjective):
        return {}
    last = len(objective.blocks) - 1  # the one with the measurements
    known = {row.name: row.noise for row in objective.data_rows() if objective.weights[row.name] > 0}
    arrays, segments = points[last], objective.blocks[last].segments
    residuals = objective.engine.residuals(last, theta, batch[last], [a.shape[1] for a in arrays])
    found = {}
    for segment, places, rows in zip(segments, arrays, residuals, strict=True):
        if segment.data is None:
            continue
        fields = segment.data.measured((*objective.problem.fields, *objective.problem.definitions))
        each = rows * np.sqrt(
            segment.data.precision_weights(fields) * objective.trust.get(segment.names[0], 1.0)
        )
        for name, row in zip(segment.names, each, strict=True):
            if name in known:
                found[name] = discrepancy(places, row, known[name])
    return found


def handle_stall(
    at: Weighted,
    terms: Mapping[str, float],
    discrepancies: Mapping[str, Discrepancy],
    notify: Callable[[str], object],
) -> Stopped | None:
    """The reason to stop a stalled fit; None to continue with other weights, which are set.

    Args:
        at: where the run is; its weights are changed.
        terms: of the loss.
        discrepancies: by term of the data.
        notify: called with a line about measurements that get more weight.
    """
    above = {name: found for name, found in discrepancies.items() if not found.is_noise}
    if above and at.loosened < _LOOSENINGS:
        at.loosened += 1
        at.sharpened = min(at.sharpened, 0) - 1
        notify(f"{_shown(above)}: the fit goes on with more weight on the data")
        return None
    if at.sharpened < 0:  # back to the weights as given
        at.sharpened = 0
        return None
    if at.sharpened < SHARPENINGS and noise_distorts_equations(terms):
        at.sharpened += 1
        return None
    if not above:
        return NOISE_LEVEL
    return Stopped(Stop.ABOVE_NOISE, f"stalled above the noise of the data: {_shown(above)}")


def _shown(above: Mapping[str, Discrepancy]) -> str:
    """The misfit that is furthest above its noise."""
    name, worst = max(above.items(), key=lambda pair: pair[1].misfit / max(pair[1].noise, 1e-300))
    return f"{name}: misfit {worst.misfit:.3g}, noise about {worst.noise:.2g}"
