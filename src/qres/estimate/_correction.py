"""The correction of a solution: Newton's steps for all residuals, in a spline space.

For a solution u with residuals r, the error e solves `r(u) + r'(u) e = 0`, equations and conditions alike, up to e².
Its coefficients are found by least squares at Gauss's points, none of which was trained on. The space only has to hold
the error, to ten per cent or so, and not the solution to all its digits: hence a few thousand splines are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from qres.fields import rms
from qres.posed.evaluator import Slopes

from ._determined import weakest
from ._linearization import Linearization, Step
from ._zero import Parts, parts_of

_SMALL = 0.03  # a relative correction from which on the problem is linear enough for one step
_KEPT = 0.05  # of the residuals may be left by a step that did what a linear problem promises
_STEPS = {1: 8}  # of Newton's method, by the number of coordinates
_MOST_STEPS = 4  # with more coordinates
_FACTORS = 0.25 ** np.arange(8)  # of a step that does not bring the residuals down
_INVOLVED = 0.01  # of a change's square: what a field must have in it to be part of it
_LOOK = 0.1  # the share of the residuals from which on it is looked at whether rounding is what is left


@dataclass(frozen=True)
class Correction:
    """What was found: the correction of each field on a grid with weights, and how much of the residuals it removes."""

    values: dict[str, Float[np.ndarray, " n"]]
    change: dict[str, Float[np.ndarray, " n"]]
    points: Float[np.ndarray, "d n"]
    weights: Float[np.ndarray, " n"]
    fresh: dict[str, float]  # root mean square of each residual on the grid
    sizes: dict[str, float]  # of the terms of each residual
    unexplained: float  # the share of the residuals, but for data and rounding, that no correction removes
    rounding: float  # the share of them that is rounding
    unknowns: dict[str, Any]  # how far they move
    weakest: float  # the smallest relative change of the residuals by a relative change of the fields of one
    loose: tuple[str, ...]  # the fields that this changes
    blind: dict[str, float]  # the share of an equation's points at which it has no finite slope
    quiet: dict[str, Float[np.ndarray, " n"]]  # the correction if measurements were as the solution has them
    noise: dict[
        str, float
    ]  # what noise like that in the measurements changes each field by, root mean square
    shares: dict[
        str, tuple[float | None, float | None]
    ]  # of a field and its change in residuals; None: alone


def unresolved(at: Linearization, first: Step) -> tuple[float, float]:
    """The share of the residuals that is above rounding and that the first step leaves; the share of rounding."""
    size = max(at.norm(at.weighted(at.start), known_only=True), np.finfo(float).tiny)
    left = at.norm(first.left, known_only=True) / size
    rounding = at.rounding() / size if left > _LOOK else 0.0
    return _above(left, rounding), rounding


def _above(share: float, rounding: float) -> float:
    return float(np.sqrt(max(share**2 - rounding**2, 0.0)))


def correct(at: Linearization, first: Step, rounding: float) -> Correction:
    """Newton's steps, shortened where they lead astray, until they are small.

    Args:
        at: the problem, linearised.
        first: its first step.
        rounding: the share of the residuals that is rounding.
    """
    fresh = {p.residual.name: rms(s.residual, p.weights) for p, s in zip(at.places, at.start, strict=True)}
    end = _newton(at, first)
    size = max(at.norm(at.weighted(at.start), known_only=True), np.finfo(float).tiny)
    value, loose = _weakest(at, end.step)
    unknowns = at.shifted(end.shift)
    return Correction(
        values=at.values(None),
        change=_changed(at, end.moved),
        points=at.inside.grid.points,
        weights=at.inside.weights,
        fresh=fresh,
        sizes=at.sizes,
        unexplained=_above(_left(at, first, end) / size, rounding),
        rounding=min(rounding, 1.0),
        unknowns={n: np.asarray(v - at.unknowns[n]).tolist() for n, v in unknowns.items()},
        weakest=value,
        loose=loose,
        blind=at.blind(at.start),
        quiet=_changed(at, first.quiet[0]),
        noise=_noise(at, first),
        shares=_shares(at, end.moved),
    )


def _left(at: Linearization, first: Step, end: _End) -> float:
    """What is left of the residuals but for the measurements, where these ask for nothing."""
    if not at.problem.data:
        return end.left
    return at.norm(at.weighted(_slopes(at, first.quiet)), known_only=True)


def _noise(at: Linearization, first: Step) -> dict[str, float]:
    draws = [_changed(at, moved) for moved in first.noisy]
    return {
        name: float(np.sqrt(np.mean([rms(one[name], at.inside.weights) ** 2 for one in draws])))
        for name in (draws[0] if draws else ())
    }


@dataclass(frozen=True)
class _End:
    """Where Newton's method ended: the correction, what is left of the residuals but for data, and the last step."""

    moved: np.ndarray
    shift: np.ndarray
    left: float
    step: Step


def _newton(at: Linearization, first: Step) -> _End:
    step, parts = first, at.weighted(at.start)
    begun = at.norm(parts)
    promised = max(2 * at.norm(first.left, known_only=True), _KEPT * begun)
    moved, shift = np.zeros_like(first.moved), np.zeros_like(first.shift)
    steps = _STEPS.get(len(at.problem.coordinates), _MOST_STEPS)
    for number in range(steps):
        before = at.norm(parts)
        for factor in _FACTORS:
            there = moved + factor * step.moved, shift + factor * step.shift
            slopes = at.slopes(there[0], at.shifted(there[1]))
            tried = at.weighted(slopes)
            if at.norm(tried) < before:
                break
        else:
            if not number:  # nothing better was found: the first step in full is all that can be said
                there = first.moved, first.shift
                return _End(*there, at.norm(at.weighted(_slopes(at, there)), known_only=True), first)
            break
        (moved, shift), parts = there, tried
        if factor == 1 and (_relative(at, moved) < _SMALL or at.norm(parts) < promised):
            break
        if number + 1 < steps:
            step = at.step(slopes)
    return _End(moved, shift, at.norm(parts, known_only=True), step)


def _slopes(at: Linearization, there: tuple[np.ndarray, np.ndarray]) -> list[Slopes]:
    return at.slopes(there[0], at.shifted(there[1]))


def _changed(at: Linearization, moved: np.ndarray) -> dict[str, np.ndarray]:
    old, new = at.values(None), at.values(moved)
    return {name: new[name] - old[name] for name in old}


def _relative(at: Linearization, moved: np.ndarray) -> float:
    """The largest correction of a field, as a share of what the field becomes by it."""
    values, change = at.values(None), _changed(at, moved)
    return max(
        rms(change[name], at.inside.weights)
        / max(rms(values[name] + change[name], at.inside.weights), np.finfo(float).tiny)
        for name in at.fields
    )


def _shares(at: Linearization, moved: np.ndarray) -> dict[str, tuple[float | None, float | None]]:
    """The sensitivity of the residuals to each corrected field, and to its change."""
    parts: Parts = parts_of(at.start, [place.grid.derivatives for place in at.places], at.scale)
    corrected = at.moved(at.inside.grid, 0, moved)
    sizes = at.sizes_of(corrected), at.sizes_of(corrected - at.inside.grid.derivatives[0])
    return {
        name: (parts.share(f, sizes[0][f]), parts.share(f, sizes[1][f])) for f, name in enumerate(at.fields)
    }


def _weakest(at: Linearization, step: Step) -> tuple[float, tuple[str, ...]]:
    """The smallest relative change of the residuals by a relative change of one, and the fields in that."""
    shape = (len(at.fields), *(one.size for one in at.space.splines))
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    means = []
    for name in at.problem.up_to_constant:
        if name in at.fields:
            own = numbers[at.fields.index(name)]
            time = at.problem.coordinates.index("t") if "t" in at.problem.coordinates else None
            own = own[None] if time is None else np.moveaxis(own, time, 0)
            means.append(own.reshape(len(own), -1))
    value, z = weakest(step.solver.inverse, at.mass, means)
    parts = np.add.reduceat(at.mass * z**2, numbers.reshape(len(at.fields), -1)[:, 0])
    return value, tuple(n for n, part in zip(at.fields, parts, strict=True) if part > _INVOLVED)
