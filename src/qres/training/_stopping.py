"""What a run that no longer improves is said to be: converged only where its residuals are small and it holds."""

from __future__ import annotations

from collections.abc import Mapping

from qres.estimate import Verdict

from ._watch import is_data

_SMALL = 1e-6  # the mean square of a residual, in units of its terms, that a converged run has at most
CONVERGED = "converged"


def stop_reason(reason: str, terms: Mapping[str, float], weights: Mapping[str, float]) -> str:
    """The reason why an optimizer stopped; a loss that stays is no convergence where a residual is still large.

    What is left of a fit to measurements may be their noise, so that only problems without any are judged.

    Args:
        reason: the optimizer's own.
        terms: of the loss.
        weights: of these terms, by which they are to be divided.
    """
    if not reason.startswith(CONVERGED) or any(map(is_data, terms)):
        return reason
    means = {name: value / weights[name] for name, value in terms.items() if weights[name] > 0}
    name = max(means, key=lambda name: means[name], default=None)
    if name is None or means[name] <= _SMALL:
        return reason
    return (
        f"stalled: the loss no longer changes, with {name} off by {means[name] ** 0.5:.1g} of its terms; "
        "try another --seed, --set training.starts=3, or a larger network"
    )


def beside_verdict(stopped: str, verdict: Verdict) -> str:
    """The reason beside the verdict of the estimate: a run is not called converged where its answer does not hold."""
    if not stopped.startswith(CONVERGED) or verdict is not Verdict.DOES_NOT_HOLD:
        return stopped
    return f"stalled{stopped.removeprefix(CONVERGED)}, but the answer does not hold"
