"""Units of the unknowns, so that the optimizer's variables are of order one."""

from __future__ import annotations

import numpy as np

from qres.posed import Free
from qres.problems import Problem

from ._trial import Amplitudes, TrialResidual, power_of_ten, size_of, trial_residuals


def unknown_units(problem: Problem, scales: Amplitudes) -> tuple[float, ...]:
    """A power of ten for each unknown: that of its start, or that which its terms need to count as the others do.

    An unknown that is kept positive, or between bounds, has none: the optimizer sees its logarithm, or a share.
    """
    free = [name for name, unknown in problem.unknowns.items() if isinstance(unknown, Free)]
    starts = {name: float(np.max(np.abs(problem.unknowns[name].start))) for name in free}
    units = {name: power_of_ten(start) for name, start in starts.items() if start > 0}
    if len(units) < len(free):
        residuals = trial_residuals(problem, problem.conditions)
        with np.errstate(all="ignore"):
            units |= {n: _by_terms(n, residuals, scales) for n in free if n not in units}
    return tuple(units.get(name, 1.0) for name in problem.unknowns)


def _by_terms(name: str, residuals: tuple[TrialResidual, ...], scales: Amplitudes) -> float:
    """Of an unknown that begins with 0: at this value, one of its terms is as large as the largest of the others."""
    found = []
    for residual in residuals:
        others = max(map(size_of, residual.terms(scales)))
        moved = residual.terms(scales, unknowns={name: 1.0})
        pairs = zip(moved, residual.terms(scales), strict=True)
        slope = max(size_of(new - old) for new, old in pairs)
        if slope > 0 and others > 0:
            found.append(others / slope)
    return power_of_ten(min(found)) if found else 1.0
