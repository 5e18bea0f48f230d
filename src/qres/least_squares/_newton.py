"""Nonlinear problems: Newton's method on the output layer, each step one least-squares solve.

A step solves the problem linearised about the last solution for the whole output layer, not for a change of it. So the
last solution may have other features, fewer ones for instance, and rounding does not add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qres.fields import Model

from ._features import output_of, with_output
from ._points import Arrays
from ._system import System

_SHARES = (1.0, 0.5, 0.2, 0.05)  # of a step, tried in turn until the residuals fall
_FALLS = 0.5  # of the residual: a step that gains less is the last, once the residual is small
_SMALL = 0.05


def worst_residual(system: System, model: Model, points: Arrays) -> float:
    """The largest root mean square of a residual at points, as a share of its terms; infinite of what is not finite."""
    found = max(off / size for off, size in system.residuals(model, points).values())
    return found if np.isfinite(found) else np.inf


def newton(
    system: System,
    model: Model,
    points: Arrays,
    held: Arrays,
    *,
    about: Model | None,
    steps: int,
    enough: float,
    is_over: Callable[[], bool],
) -> tuple[Model, float] | None:
    """The solution that Newton's method finds, and its residual at held-out points; None where it finds none.

    Args:
        system: of the problem.
        model: whose features are used.
        points: of the systems.
        held: at which residuals are compared.
        about: the solution to begin with; by default one at rest.
        steps: at most.
        enough: a residual that ends it.
        is_over: whether there is no time left.
    """
    now, residual = about, np.inf if about is None else worst_residual(system, about, held)
    best: tuple[Model, float] | None = None
    for _ in range(steps):
        if is_over():
            break
        solved = system.solved(model, points, now)
        if solved is None:
            break
        found = _along(system, now, solved, residual, held)
        if found is None:
            break
        now, new = found
        if best is None or new < best[1]:
            best = found
        if new <= enough or (residual < _SMALL and new > _FALLS * residual):
            break
        residual = new
    return best


def _along(
    system: System, before: Model | None, solved: Model, residual: float, held: Arrays
) -> tuple[Model, float] | None:
    """The solution as far along a step as the residual falls; the whole step where features differ."""
    whole = worst_residual(system, solved, held)
    shares = (
        not np.isfinite(residual)
        or before is None
        or before.network.architecture != solved.network.architecture
    )
    if shares or whole < residual:
        return (solved, whole) if np.isfinite(whole) else None
    assert before is not None
    for share in _SHARES[1:]:
        moved = _between(before, solved, share)
        found = worst_residual(system, moved, held)
        if found < residual:
            return moved, found
    return None


def _between(before: Model, after: Model, share: float) -> Model:
    """A model part of the way from one to another with the same features."""
    (W, b), (V, c) = output_of(before.network), output_of(after.network)
    network = with_output(after.network, W + share * (V - W), b + share * (c - b))
    unknowns = {
        n: before.unknowns[n] + share * (after.unknowns[n] - before.unknowns[n]) for n in before.unknowns
    }
    return replace(after, network=network, unknowns=unknowns)
