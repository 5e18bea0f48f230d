"""Scales of fields without given values, from sources, tractions and other fields.

Of each residual, what does not depend on a field is a force on it; the field is as large as it must be for one of its
own terms to balance that force. So `E u_xx = -ρ` says how large u is, a traction how large displacements are, and the
velocities how large the pressure is that holds them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from qres.formulas import Equation
from qres.posed.evaluator import equation_residual
from qres.problems import Problem

from ._trial import Amplitudes, TrialResidual, power_of_ten, size_of, trial_residuals

_ROUNDING = 1e-9  # of a residual's terms: a sum below that is none
_CLOSE = 1e-6  # of a scale that is found
_STEPS = 40
Pair = tuple[float, float]


def forced_scales(
    problem: Problem, known: Mapping[str, Pair], fixed: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Offset and scale of each field; a field in `known` is as large as said, or as forces make it where that is more.

    Args:
        problem: whose equations and conditions are analysed.
        known: offset and scale, of those fields of which values are known.
        fixed: the fields that are measured, whose scale is certain.
    """
    residuals = trial_residuals(problem, problem.conditions)
    with np.errstate(all="ignore"):
        measured = list(_measured_definitions(problem))
        found = dict(known)
        rest = {name: (known.get(name, (0.0, 0.0))[0], 0.0) for name in problem.fields}
        for field in problem.fields:
            if field in fixed:
                continue
            forces = [_from_sources(r, field, rest) for r in _residuals_with(field, residuals)]
            forces += [_reaching(_response(r, field, rest, None), size) for r, size in measured]
            largest = max((s for s in forces if s is not None), default=0.0)
            if largest > found.get(field, (0.0, 0.0))[1]:
                found[field] = (rest[field][0], largest)
        while _follow(problem, residuals, found):
            pass
    return {name: found.get(name, (0.0, 1.0)) for name in problem.fields}


def _measured_definitions(problem: Problem) -> Iterator[tuple[TrialResidual, float]]:
    """Definitions of which there are measurements, such as a velocity made of a stream function, and their sizes."""
    for name, formula in problem.definitions.items():
        found = [data.columns[name] for data in problem.data if name in data.columns]
        if found:
            values = np.concatenate(found)
            yield (
                TrialResidual(problem, equation_residual(problem, Equation(name, formula))),
                float(np.sqrt(np.mean(values**2))),
            )


def _follow(problem: Problem, residuals: Sequence[TrialResidual], found: dict[str, Pair]) -> bool:
    """Give scales to fields that equations couple to those which have one; whether there were any."""
    base = dict.fromkeys(problem.fields, (0.0, 0.0))
    base |= {name: (offset, power_of_ten(scale)) for name, (offset, scale) in found.items()}
    new: dict[str, Pair] = {}
    for field in problem.fields:
        if field in found:
            continue
        bearing = _residuals_with(field, residuals)
        others = [r for r in residuals if field in r.orders and r not in bearing]
        for group in ([r for r in bearing if r.is_equation], bearing, others):
            forces = [_from_fields(residual, field, base) for residual in group]
            largest = max((s for s in forces if s is not None), default=0.0)
            if largest > 0:
                new[field] = (0.0, largest)
                break
    found |= new
    return bool(new)


def _residuals_with(field: str, residuals: Sequence[TrialResidual]) -> list[TrialResidual]:
    """The equations that have a field's highest derivative, and all conditions on it."""
    ours = [r for r in residuals if field in r.orders]
    highest = max((r.orders[field] for r in ours if r.is_equation), default=0)
    return [r for r in ours if not r.is_equation or r.orders[field] == highest]


def _from_sources(residual: TrialResidual, field: str, rest: Amplitudes) -> float | None:
    """How large a field must be to meet what is left where all fields are at rest: a source, or a given flux.

    The mean of a source is met by half a wave, what varies of it by waves as short as its own.
    """
    source = residual.total(rest)
    sound = source[np.isfinite(source)]
    least = _ROUNDING * max(map(size_of, residual.terms(rest)))
    mean, varying = (abs(float(np.mean(sound))), float(np.std(sound))) if sound.size else (0.0, 0.0)
    found = [_reaching(_response(residual, field, rest, None), mean) if mean > least else None]
    if varying > max(least, _ROUNDING * mean):
        middle = size_of(source - np.mean(sound))
        spans = [high - low for low, high in residual.problem.bounds.values()]
        turns = [
            max(math.pi / span, float(np.median(np.abs(slope[np.isfinite(slope)]))) / middle)
            for span, slope in zip(spans, residual.slopes(rest), strict=True)
        ]
        found.append(_reaching(_response(residual, field, rest, turns), varying))
    return max((scale for scale in found if scale is not None), default=None)


def _from_fields(residual: TrialResidual, field: str, base: Amplitudes) -> float | None:
    """How large a field must be for a term of its own to be as large as the largest of those that have their size."""
    largest = max(map(size_of, residual.terms(base)))
    return _reaching(_response(residual, field, base, None), largest) if largest > 0 else None


def _response(
    residual: TrialResidual, field: str, base: Amplitudes, turns: Sequence[float] | None
) -> Callable[[float], float]:
    """The largest change of a term by a field of a given scale."""
    still = residual.terms(base, turns)

    def response(scale: float) -> float:
        moved = residual.terms({**base, field: (base[field][0], scale)}, turns)
        return max(size_of(new - old) for new, old in zip(moved, still, strict=True))

    return response


def _reaching(response: Callable[[float], float], target: float) -> float | None:
    """The scale at which a response, which grows as some power of it, attains a target; None if it does not."""
    scale = 1.0
    for _ in range(_STEPS):
        here, further = response(scale), response(2 * scale)
        if not math.isfinite(further) or not math.isfinite(target):
            scale *= 1e-3
            continue
        if not (here > 0 and further > here):
            return None
        ratio, power = target / here, min(max(math.log2(further / here), 0.25), 8.0)
        if abs(ratio - 1) < _CLOSE:
            return scale
        scale *= ratio ** (1 / power)
        if not 1e-280 < scale < 1e280:
            return None
    return scale
