"""The a-posteriori error estimate: residuals at fresh points, and the Newton correction of the solution."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from qres.fields import relative_error, rms, without_mean
from qres.posed.evaluator import Residuals, Tabulated
from qres.results import Estimate
from qres.runtime.errors import InputError, number

from ._grids import all_residuals
from ._solved import Solved
from ._verdict import BETWEEN, WRONG, Findings, warnings_of
from ._windows import windows_estimate
from ._zero import is_zero

if TYPE_CHECKING:
    from ._correction import Correction

_SIZES = {1: 300, 2: 5000, 3: 2000, 4: 1500}  # splines for one field, by the number of coordinates
_UNRESOLVED = {1: 0.1, 2: 0.3}  # the share of the residuals from which on more splines are tried
_ROUNDS = {1: 3, 2: 1}  # how often, by the number of coordinates: with three, more splines take a minute
_MORE = {1: 1.7, 2: 1.6}  # times as many in each coordinate


def estimate(solution: Solved | Sequence[Solved], effort: float = 1.0) -> Estimate:
    """The a-posteriori error estimate of a solution, or of several of one problem.

    Of one, the error solves the problem's equations linearised about it; they are solved in a space of splines by
    least squares on fresh points. Of several, such as those of some seeds, the error is what they differ by.

    Args:
        solution: one, or several of the same problem.
        effort: how many splines, as a multiple of the default: a few seconds.
    """
    number(effort, "effort", above=0)
    if isinstance(solution, Sequence):
        return _agreement(solution)
    begun = time.perf_counter()
    if (reason := _obstacle(solution)) is not None:
        return Estimate({}, verdict=f"not known: {reason}")
    if solution.chain is not None:
        return windows_estimate(solution, solution.chain)
    residuals = all_residuals(solution.problem)
    try:
        correction = _corrected(solution, residuals, effort)
    except np.linalg.LinAlgError:
        return Estimate(
            {}, verdict="not known: the equations, linearised about the solution, have no single one"
        )
    found = _findings(solution, residuals, correction)
    warnings = tuple(warnings_of(found))
    return Estimate(
        found.errors,
        found.residuals,
        correction.unexplained,
        correction.unknowns,
        found.text(len(warnings) > 0),
        warnings,
        round(time.perf_counter() - begun, 2),
        found.verdict,
    )


def _corrected(solution: Solved, residuals: Residuals, effort: float) -> Correction:
    """The correction, with more splines where it leaves too much of the residuals, placed where that is."""
    from ._correction import correct, unresolved  # SciPy: long to import, and after the training
    from ._linearization import Linearization
    from ._refinement import first_space, refined

    dimension = len(solution.problem.coordinates)
    size = effort * _SIZES[dimension] / len(solution.problem.fields) ** 0.5
    space = first_space(solution, residuals, round(size))
    for rounds_left in range(_ROUNDS.get(dimension, 0), -1, -1):
        at = Linearization(solution, residuals, space)
        first = at.step(at.start)
        share, rounding = unresolved(at, first)
        if not rounds_left or not share > _UNRESOLVED[dimension]:
            return correct(at, first, rounding)
        space = refined(space, at.places, first.left, _MORE[dimension])
    raise AssertionError("the last round returns")


def _findings(solution: Solved, residuals: Residuals, correction: Correction) -> Findings:
    errors, judged, zero = _errors(solution, correction)
    return Findings(
        errors,
        judged,
        _residuals(solution, residuals, correction),
        correction.unexplained,
        correction.weakest,
        correction.loose,
        correction.blind,
        correction.rounding,
        noisy=_noisy(solution, correction, errors),
        zero=zero,
    )


def _obstacle(solution: Solved) -> str | None:
    """Why nothing can be estimated; None where it can."""
    problem = solution.problem
    if solution.scheme is not None:
        return "in discrete time, values between the snapshots' points are not given to compare with"
    if all_residuals(problem).integrals:
        return (
            "an integral ties the solution at a point to that at all others, which the correction leaves out"
        )
    if not problem.equations:
        return "there are no equations"
    if problem.unknowns and not problem.data:
        return "the measurements, which determine the solution, are not at hand"
    return None


def _errors(
    solution: Solved, correction: Correction
) -> tuple[dict[str, float], dict[str, float], tuple[str, ...]]:
    """The correction of each field, with what noise does to it, as a share of the field; absolute, where that is zero.

    The second ones are to judge by: of a field that is zero, the share of its error in the terms that it is in.
    """
    weights = correction.weights
    errors, judged, zeros = {}, {}, []
    for name, change in correction.change.items():
        size = rms(_centred(solution, correction, name, correction.values[name] + change), weights)
        off = rms(_centred(solution, correction, name, change), weights)
        off = float(np.hypot(off, correction.noise.get(name, 0.0)))
        share, sensitivity = correction.shares.get(name, (None, None))
        zero = is_zero(size, off, share)
        zeros += [name] * zero
        errors[name] = off if zero else off / size if size > 0 else np.inf if off > 0 else 0.0
        judged[name] = sensitivity if zero and sensitivity is not None else errors[name]
    return errors, judged, tuple(zeros)


def _noisy(solution: Solved, correction: Correction, errors: Mapping[str, float]) -> tuple[str, ...]:
    """Fields that are wrong only if what measurements differ by from the solution is taken for an error."""
    return tuple(
        name
        for name in solution.problem.fields
        if solution.problem.data
        and not errors[name] < WRONG
        and _quiet_error(solution, correction, name) < WRONG
    )


def _quiet_error(solution: Solved, correction: Correction, name: str) -> float:
    change = correction.quiet[name]
    size = rms(_centred(solution, correction, name, correction.values[name] + change), correction.weights)
    off = rms(_centred(solution, correction, name, change), correction.weights)
    return off / size if size > 0 else np.inf


def _centred(solution: Solved, correction: Correction, name: str, values: np.ndarray) -> np.ndarray:
    """Values, less the mean where the field is known up to a constant."""
    problem = solution.problem
    return (
        _without_mean(problem.coordinates, correction, values) if name in problem.up_to_constant else values
    )


def _without_mean(coordinates: tuple[str, ...], correction: Correction, values: np.ndarray) -> np.ndarray:
    """Values less their mean over space, at each time."""
    times = correction.points[coordinates.index("t")] if "t" in coordinates else np.zeros_like(values)
    _, place = np.unique(times, return_inverse=True)
    total = np.bincount(place, correction.weights * values) / np.bincount(place, correction.weights)
    return values - total[place]


def _residuals(
    solution: Solved, residuals: Residuals, correction: Correction
) -> dict[str, dict[str, float | None]]:
    """Each residual's root mean square on fresh points and at those trained on, as shares of the terms' size."""
    from ._linearization import derivatives_of

    before = solution.result.estimate.residuals if solution.result.estimate is not None else {}
    found: dict[str, dict[str, float | None]] = {}
    for residual in residuals.residuals:
        if residual.measured is not None:
            continue
        name, size = residual.name, correction.sizes[residual.name]
        trained = solution.training_points.get(name)
        if trained is not None:
            at = np.concatenate(residual.place.placed(trained), axis=1)
            source = Tabulated(
                solution.problem.fields,
                residuals.truncation.indices,
                derivatives_of(solution, residuals, at),
            )
            unknowns = solution.model.parameters(solution.problem)
            one = Residuals(solution.problem, [residual])
            values = np.asarray(one.at(source, [jnp.asarray(trained)], unknowns)[name])
            training = float(np.sqrt(np.mean(values**2))) / size
        else:
            training = before.get(name, {}).get("training")
        found[name] = {"fresh": correction.fresh[name] / size, "training": training, "size": size}
    return found


def _agreement(solutions: Sequence[Solved]) -> Estimate:
    """What several solutions differ by: for independent errors, the distance of two is √2 times the error of one."""
    if len(solutions) < 2:
        raise InputError(f"an estimate from agreement needs two solutions or more, not {len(solutions)}")
    begun = time.perf_counter()
    first = solutions[0]
    if any(s.names != first.names or s.problem.bounds != first.problem.bounds for s in solutions):
        raise InputError("an estimate from agreement needs solutions of the same problem")
    grids = [solution.to_xarray() for solution in solutions]
    coordinates = first.problem.coordinates
    errors, warnings = {}, []
    for name in first.names:
        is_free = name in first.problem.up_to_constant
        arrays = [grid[name].values for grid in grids]
        arrays = [without_mean(coordinates, array) for array in arrays] if is_free else arrays
        middle = np.median(arrays, axis=0)
        pairs = [relative_error(a, b) for a, b in combinations(arrays, 2)]
        errors[name] = float(np.sqrt(np.mean(np.square(pairs)) / 2))
        off = [relative_error(array, middle) for array in arrays]
        far = [n for n, one in enumerate(off) if len(off) > 2 and one > BETWEEN * np.median(off)]
        warnings += [f"solution {n + 1} stands off in {name}, by {off[n]:.1g} (relative)" for n in far]
    found = Findings(errors, errors, {})
    warnings += [advice] if (advice := found.advice()) is not None else []
    return Estimate(
        errors,
        verdict=found.text(len(warnings) > 0),
        warnings=tuple(warnings),
        seconds=round(time.perf_counter() - begun, 2),
        status=found.verdict,
    )
