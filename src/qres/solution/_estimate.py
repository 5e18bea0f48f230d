"""How wrong a solution is, without knowing the right one: fresh points, and the correction that they ask for."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from qres._errors import InputError, number

from ._estimate_linear import Linear
from ._grid import relative_error, rms, without_mean

if TYPE_CHECKING:
    from ._estimate_correction import Correction
    from ._solution import Solution

_SIZES = {1: 300, 2: 5000, 3: 2000, 4: 1500}  # splines for one field, by the number of coordinates
_UNEXPLAINED = 0.3  # the share of the residuals from which on the splines are too few, and more are tried
_MORE = 2.5
_MORE_UP_TO = 2  # coordinates: with three, more splines take a minute
_WRONG = 0.1  # an error from here on is no solution
_ROUGH = 0.01
_SMALL_RESIDUAL = 0.03  # of the size of an equation's terms: what looks like a small loss
_BETWEEN = (
    10.0  # times the residual at the training points, on fresh ones: the points were fitted, not the equation
)
_ZERO = 1e-3  # of the largest field: a field below that, and below twice its error, is compared with one


@dataclass(frozen=True)
class Estimate:
    """What can be said of a solution's error without a reference.

    `errors` are the estimated relative L2 errors of fields and definitions, empty where nothing can be said.
    `residuals` hold, for each equation and condition, the root mean square on fresh points and at the training points,
    both as shares of `size`, that of the terms in it. `unexplained` is the share of the residuals that the correction
    behind the estimate leaves: near 1, the errors may be larger. `unknowns` is how far each unknown would move.
    """

    errors: Mapping[str, float]
    residuals: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unexplained: float = 0.0
    unknowns: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def estimate(solution: Solution | Sequence[Solution], effort: float = 1.0) -> Estimate:
    """The error of a solution, or of several of one problem, from nothing but the problem and the solutions.

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
    if (reason := _hindrance(solution)) is not None:
        return Estimate({}, verdict=f"not known: {reason}")
    from ._estimate_correction import Corrector  # SciPy: long to import, and after the training

    linear = Linear(solution.problem)
    size = effort * _SIZES[len(solution.problem.coordinates)] / len(solution.problem.fields) ** 0.5
    try:
        correction = Corrector(solution, linear, round(size)).find()
        if correction.unexplained > _UNEXPLAINED and len(solution.problem.coordinates) <= _MORE_UP_TO:
            correction = Corrector(solution, linear, round(_MORE * size)).find()
    except np.linalg.LinAlgError:
        return Estimate(
            {}, verdict="not known: the equations, linearised about the solution, have no single one"
        )
    errors = _errors(solution, correction)
    residuals = _residuals(solution, linear, correction)
    warnings = tuple(_warnings(errors, residuals))
    verdict = _verdict(errors, correction.unexplained, len(warnings) > 0)
    seconds = round(time.perf_counter() - begun, 2)
    return Estimate(
        errors, residuals, correction.unexplained, correction.unknowns, verdict, warnings, seconds
    )


def _hindrance(solution: Solution) -> str | None:
    """Why nothing can be estimated; None where it can."""
    problem = solution.problem
    if solution.scheme is not None:
        return "in discrete time, values between the snapshots' points are not given to compare with"
    if not problem.equations:
        return "there are no equations"
    if problem.unknowns and not problem.data:
        return "the measurements, which determine the solution, are not at hand"
    return None


def _errors(solution: Solution, correction: Correction) -> dict[str, float]:
    """The correction of each field, as a share of the corrected field."""
    problem, weights = solution.problem, correction.weights
    sizes, changes = {}, {}
    for name, change in correction.change.items():
        value = correction.values[name] + change
        if name in problem.up_to_constant:
            value, change = (_without_mean(problem.coordinates, correction, a) for a in (value, change))
        sizes[name], changes[name] = rms(value, weights), rms(change, weights)
    largest = max(sizes.values())

    def share(name: str) -> float:
        is_zero = sizes[name] < _ZERO * largest and sizes[name] < 2 * changes[name]
        return changes[name] / (1.0 if is_zero or sizes[name] == 0 else sizes[name])

    return {name: share(name) for name in sizes}


def _without_mean(coordinates: tuple[str, ...], correction: Correction, values: np.ndarray) -> np.ndarray:
    """Values less their mean over space, at each time."""
    times = correction.points[coordinates.index("t")] if "t" in coordinates else np.zeros_like(values)
    _, place = np.unique(times, return_inverse=True)
    total = np.bincount(place, correction.weights * values) / np.bincount(place, correction.weights)
    return values - total[place]


def _residuals(
    solution: Solution, linear: Linear, correction: Correction
) -> dict[str, dict[str, float | None]]:
    """Each residual's root mean square on fresh points and at those trained on, as shares of the terms' size."""
    before = solution.summary.get("estimate", {}).get("residuals", {})
    found: dict[str, dict[str, float | None]] = {}
    for term in linear.terms:
        if term.target is not None:
            continue
        size = correction.sizes[term.name]
        trained = solution.training_points.get(term.name)
        if trained is not None:
            points = term.placed(trained)
            derivatives = [correction.derivatives(x) for x in points]
            unknowns = solution.model.parameters(solution.problem)
            residual = np.asarray(linear.residual(term, derivatives, points, unknowns))
            training = float(np.sqrt(np.mean(residual**2))) / size
        else:
            training = before.get(term.name, {}).get("training")
        fresh = correction.fresh[term.name] / size
        found[term.name] = {"fresh": fresh, "training": training, "size": size}
    return found


def _warnings(errors: Mapping[str, float], residuals: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What the reader should know: fitted points instead of an equation; a small residual of a wrong answer."""
    said = []
    wrong = [f"{name} {error:.1g}" for name, error in errors.items() if not error < _WRONG]
    fitted = {
        name: one["fresh"] / one["training"]
        for name, one in residuals.items()
        if one["training"] and one["fresh"] > _BETWEEN * one["training"]
    }
    between = ", ".join(f"{name} {ratio:.2g} times" for name, ratio in fitted.items())
    rough = any(not error < _ROUGH for error in errors.values())
    seen = [one["training"] if one["training"] is not None else one["fresh"] for one in residuals.values()]
    if fitted and rough:
        said.append(
            "small loss, but the answer does not hold: between the training points the residuals are larger "
            f"than at them ({between}); use more points, or draw them anew (resample_every)"
        )
    elif fitted:
        said.append(f"between the training points the residuals are larger than at them: {between}")
    if wrong and not (fitted and rough) and max(seen, default=1.0) < _SMALL_RESIDUAL:
        said.append(
            "small loss, but the answer does not hold: the residuals are small, and still leave room for an error "
            f"of {', '.join(wrong)} (relative); train on, or give initial and boundary conditions more weight"
        )
    return said


def _verdict(errors: Mapping[str, float], unexplained: float, warned: bool) -> str:
    """The estimate in words."""
    about = "at least" if unexplained > 2 * _UNEXPLAINED else "about"
    parts = ", ".join(f"{name} {error:.1e}" for name, error in errors.items())
    worst = max(errors.values()) if all(np.isfinite(list(errors.values()))) else np.inf
    word = "does not hold" if not worst < _WRONG else "rough" if worst >= _ROUGH else "holds"
    return f"{word}: relative error {about} {parts}" + (
        ", but see the warning" if warned and worst < _WRONG else ""
    )


def _agreement(solutions: Sequence[Solution]) -> Estimate:
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
        far = [n for n, one in enumerate(off) if len(off) > 2 and one > _BETWEEN * np.median(off)]
        warnings += [f"solution {n + 1} stands off in {name}, by {off[n]:.1g} (relative)" for n in far]
    verdict = _verdict(errors, 0.0, len(warnings) > 0)
    return Estimate(
        errors, verdict=verdict, warnings=tuple(warnings), seconds=round(time.perf_counter() - begun, 2)
    )
