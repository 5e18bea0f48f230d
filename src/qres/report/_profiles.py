"""The residuals of a solution over each coordinate, on points that were not trained on."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from qres.geometry import region_points
from qres.plots import Profile
from qres.posed.evaluator import Residuals, Tabulated
from qres.runtime.random import stream
from qres.solution import Solution

_POINTS = 4000
_PARTS = 25  # of the interval of each coordinate
_MOST = 6  # residuals that a panel can tell apart


def residual_profiles(solution: Solution) -> list[Profile]:
    """The root mean square of each equation in parts of each coordinate's interval, as a share of its terms.

    Empty in discrete time, without equations, and where windows do not come to the end. Of many equations, those with
    the largest residuals are shown.
    """
    problem = solution.problem
    if not problem.equations or solution.scheme is not None or solution.is_partial:
        return []
    free = (True,) * len(problem.coordinates)
    points = region_points(problem, [(None,) * len(free)], free, "uniform", _POINTS, stream(0, "profiles"))
    # A fit that is not finite has residuals without any value.
    found = {n: r for n, r in _relative_residuals(solution, points).items() if not np.isnan(r).all()}
    if not found:
        return []
    chosen = sorted(found, key=lambda name: -np.nanmean(found[name] ** 2))[:_MOST]
    return [
        _profile(name, points[place], problem.bounds[name], {n: found[n] for n in found if n in chosen})
        for place, name in enumerate(problem.coordinates)
    ]


def _relative_residuals(
    solution: Solution, points: Float[np.ndarray, "d n"]
) -> dict[str, Float[np.ndarray, " n"]]:
    """Each equation at points, divided by the root mean square of the largest of its terms."""
    problem = solution.problem
    equations = Residuals.of(problem)
    terms = [term for residual in equations.residuals for term in residual.terms]
    everything = Residuals(problem, [*equations.residuals, *terms])
    indices = everything.truncation.indices
    values = solution.evaluate(points, tuple((name, index) for name in problem.fields for index in indices))
    source = Tabulated(
        problem.fields, indices, values.reshape(len(problem.fields), len(indices), points.shape[1])
    )
    rows = everything.at(source, [jnp.asarray(points)], solution.model.parameters(problem))
    found = {}
    for residual in equations.residuals:
        sizes = [float(np.sqrt(np.mean(np.asarray(rows[term.name]) ** 2))) for term in residual.terms]
        found[residual.name] = np.asarray(rows[residual.name])[0] / (max(sizes) or 1.0)
    return found


def _profile(
    name: str,
    at: Float[np.ndarray, " n"],
    bounds: tuple[float, float],
    residuals: dict[str, Float[np.ndarray, " n"]],
) -> Profile:
    edges = np.linspace(*bounds, _PARTS + 1)
    part = np.clip(np.digitize(at, edges) - 1, 0, _PARTS - 1)
    count = np.bincount(part, minlength=_PARTS)
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = {
            residual: np.sqrt(np.bincount(part, values**2, minlength=_PARTS) / count)
            for residual, values in residuals.items()
        }
    return Profile(name, (edges[1:] + edges[:-1]) / 2, sizes)
