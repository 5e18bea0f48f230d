"""Stop reasons of a stalled optimizer: converged only where the residuals are small."""

from __future__ import annotations

from collections.abc import Mapping

from qres.inference import is_data
from qres.optimizers import CONVERGED, NO_DESCENT, NOT_FINITE, REASONS
from qres.results import Stop, Stopped, Verdict

_SMALL = 1e-6  # the mean square of a residual, in units of its terms, that a converged run has at most
_STOPS = {CONVERGED: Stop.CONVERGED, NO_DESCENT: Stop.NO_DESCENT, NOT_FINITE: Stop.NOT_FINITE}


def stop_reason(status: int, terms: Mapping[str, float], weights: Mapping[str, float]) -> Stopped:
    """Why an optimizer stopped; a loss that stays is no convergence where a residual is still large.

    What is left of a fit to measurements may be their noise, so that only problems without any are judged.

    Args:
        status: the optimizer's own.
        terms: of the loss.
        weights: of these terms, by which they are to be divided.
    """
    stopped = Stopped(_STOPS[status], REASONS[status])
    if stopped.reason is not Stop.CONVERGED or any(map(is_data, terms)):
        return stopped
    means = {name: value / weights[name] for name, value in terms.items() if weights[name] > 0}
    name = max(means, key=lambda name: means[name], default=None)
    if name is None or means[name] <= _SMALL:
        return stopped
    return Stopped(
        Stop.STALLED,
        f"stalled: the loss no longer changes, with {name} off by {means[name] ** 0.5:.1g} of its terms; "
        "try another --seed, --set training.starts=3, or a larger network",
    )


def with_verdict(stopped: Stopped, verdict: Verdict) -> Stopped:
    """The reason beside the verdict of the estimate: a run is not called converged where its answer does not hold."""
    if not stopped.reason.is_converged or verdict is not Verdict.DOES_NOT_HOLD:
        return stopped
    detail = stopped.message.partition(": ")[2]
    return Stopped(Stop.STALLED, f"stalled: {detail}, but the answer does not hold")
