"""The first states of an eigenvalue problem: eigenvectors of a Chebyshev collocation, and Newton's method from there.

The equation is taken apart into `A ψ - E B ψ` by evaluating its residual for each Chebyshev polynomial at two values of
E; conditions at places restrict the coefficients to their null space. What is not linear in ψ counts from Newton's
method on, which also meets the normalisation (J. P. Boyd, Chebyshev and Fourier Spectral Methods, 2001, chapter 7).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from qres.posed import Posed
from qres.runtime.errors import InputError

from ._collocation import Collocation, States, Vector

_SIZES = (32, 48, 64, 96, 144)  # coefficients, until the eigenvalues stay what they are
_CONVERGED = 1e-10  # a relative change of an eigenvalue
_REAL = 1e-7  # an imaginary part that is none
_SMALL = 1e-4  # of a state, beside which terms that are not linear vanish
_STEP = 1e-6  # of coefficients, for slopes
_NEWTON, _DONE = 30, 1e-12
_SOLVED = 1e-9  # of the residual's terms, as eigenvectors of a linear problem do
_HALVINGS = 12
_LEAST = 1e-13  # an error that series are said to have


class Mode(NamedTuple):
    """A state: its eigenvalue, the coefficients of its series, and about how wrong these are, relative."""

    value: float
    coefficients: Float[np.ndarray, " n"]
    error: float


def find_modes(posed: Posed, count: int) -> tuple[Collocation, list[Mode]]:
    """The first states, from the end of the spectrum where there is one.

    Args:
        posed: a problem of one coordinate, one field and one unknown.
        count: how many.
    """
    found: tuple[Collocation, Vector, np.ndarray] | None = None
    changes = np.full(count, np.inf)
    for size in (size for size in _SIZES if size >= 6 * count or size == _SIZES[-1]):
        trial = Collocation(posed, size)
        values, vectors = _linear(trial, count)
        if len(values) < count:
            continue
        now = np.full(count, np.inf) if found is None else np.abs(values - found[1]) / np.max(np.abs(values))
        if found is None or np.max(now) < np.max(changes):
            found, changes = (trial, values, vectors), now
        if np.max(changes) < _CONVERGED:
            break
    if found is None:
        raise InputError(f"states = {count}: the equation, linearised at zero, has fewer eigenvalues")
    trial, values, vectors = found
    pairs = zip(values, vectors.T, changes, strict=True)
    largest = float(np.max(np.abs(values)))
    return trial, [_polished(trial, float(v), c, float(change), largest) for v, c, change in pairs]


def _linear(trial: Collocation, count: int) -> tuple[Vector, np.ndarray]:
    """Eigenvalues and coefficients of the problem linearised at zero."""
    rest, unit = np.zeros((trial.size, 1)), _SMALL * np.eye(trial.size)
    at_zero, at_one = np.hstack([unit, rest]), np.hstack([unit, rest + 1.0])
    nothing = np.zeros((1, trial.size + 1))
    A = (trial.inside(at_zero) - trial.inside(nothing)).T / _SMALL
    B = A - (trial.inside(at_one) - trial.inside(nothing)).T / _SMALL
    free = np.eye(trial.size)
    C = (trial.ends(at_zero) - trial.ends(nothing)).T
    if len(C):
        free = np.linalg.svd(C / np.max(np.abs(C), axis=1, keepdims=True))[2][len(C) :].T
    if not np.all(np.isfinite(A)) or not np.all(np.isfinite(B)) or not np.any(B):
        raise InputError("states: the equation has no finite value somewhere, or the unknown is not in it")
    values, vectors = np.linalg.eig(np.linalg.lstsq(B @ free, A @ free, rcond=None)[0])
    is_real = np.abs(np.imag(values)) <= _REAL * np.abs(values)
    values, vectors = np.real(values[is_real]), np.real(vectors[:, is_real])
    # The spectrum has an end where its large values do not lie.
    upwards = np.sum(values[np.argsort(-np.abs(values))[: len(values) // 2]]) > 0
    first = np.argsort(values if upwards else -values)[:count]
    return values[first], free @ vectors[:, first]


def _polished(trial: Collocation, value: float, coefficients: Vector, change: float, largest: float) -> Mode:
    """A normalised state, after Newton's steps where it does not solve the equations yet.

    Args:
        trial: the collocation.
        value: the eigenvalue of the linear problem.
        coefficients: its eigenvector.
        change: of the eigenvalue by more coefficients, relative.
        largest: the size of the largest of the eigenvalues that are wanted, which zero is compared with.
    """
    state = np.append(_normalised(trial, value, coefficients), value)
    scales = _scales(trial, state, largest)

    def residuals(z: States) -> np.ndarray:
        return np.concatenate([trial.inside(z), trial.ends(z), trial.norms(z)], axis=1) / scales

    r = residuals(state[None])[0]
    units = np.append(np.full(trial.size, np.max(np.abs(state[:-1]))), largest or 1.0)
    for _ in range(_NEWTON if np.sqrt(np.mean(r**2)) > _SOLVED else 0):
        steps = np.diag(units * _STEP)
        J = (residuals(state + steps) - residuals(state - steps)).T / (2 * _STEP)
        move = -units * np.linalg.lstsq(J, r, rcond=None)[0]
        for halving in range(_HALVINGS):
            moved = state + move / 2**halving
            new = residuals(moved[None])[0]
            if np.linalg.norm(new) < np.linalg.norm(r):
                break
        else:
            break
        state, r = moved, new
        if np.linalg.norm(move / units) < _DONE * np.linalg.norm(state / units):
            break
    left = float(np.sqrt(np.mean(r**2)))
    moved_far = abs(state[-1] - value) > _CONVERGED * largest
    return Mode(float(state[-1]), state[:-1], max(left, 0.0 if moved_far else change, _LEAST))


def _normalised(trial: Collocation, value: float, coefficients: Vector) -> Vector:
    """A state times a number such that the first condition on an integral holds, its first lobe positive."""
    at = trial.series(coefficients).derivative(np.linspace(trial.low, trial.high, 1001), 0)
    large = at[np.abs(at) > 0.1 * np.max(np.abs(at))]
    unit = coefficients / (np.max(np.abs(at)) * np.sign(large[0]))
    none, one = trial.norms(np.stack([np.append(unit * s, value) for s in (0.0, 1.0)]))[:, 0]
    square = -none / (one - none) if one != none else -1.0
    if square <= 0:
        raise InputError("states: no multiple of a state meets the condition on its integral")
    return unit * np.sqrt(square)


def _scales(trial: Collocation, state: Vector, largest: float) -> Vector:
    """The size of each residual's terms: what the unknown changes of the equation, what a state is at places."""
    still, nothing = np.append(state[:-1], 0.0), np.zeros_like(state)
    here, other = trial.inside(np.stack([state, np.append(state[:-1], largest)]))
    (rest,) = trial.inside(still[None])
    inside = float(np.max(np.abs([here, other - rest]))) or 1.0
    terms = np.hstack([np.diag(state[:-1]), np.full((trial.size, 1), state[-1])])
    ends = np.max(np.abs(trial.ends(terms)), axis=0)
    norms = np.abs(trial.norms(nothing[None])[0])
    others = np.concatenate([ends, norms])
    return np.concatenate([np.full(trial.points.shape[1], inside), np.where(others > 0, others, 1.0)])
