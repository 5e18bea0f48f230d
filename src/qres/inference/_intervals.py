"""Standard errors of the unknowns, their correlation, and combinations that the data do not determine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from qres.loss import Batch, DiscreteObjective, Objective
from qres.optimizers import memory_bytes
from qres.posed import Free

from ._covariance import unknown_covariance

_CONFOUNDED = 0.995  # correlations from here on mean that only a combination is determined
_ZERO = 0.1  # of the size at which an unknown matters: known so well, it may well be zero
_LOOSE = 1.0  # a standard error of this share of the value, and more, means that the value is not determined


@dataclass(frozen=True)
class Intervals:
    """Standard errors of the unknowns; empty where they cannot be computed."""

    stderr: dict[str, Any] = field(default_factory=dict)
    correlation: dict[str, dict[str, float]] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def find_intervals(objective: Objective | DiscreteObjective, theta: jax.Array, batch: Batch) -> Intervals:
    """Intervals of all unknowns at a fit, from the Gauss–Newton Jacobian of the whole problem."""
    problem = objective.problem
    if not problem.unknowns or not problem.data:
        return Intervals()
    if 6 * 8 * objective.engine.size**2 > memory_bytes() / 4:
        why = f"intervals need a dense matrix, and {objective.engine.size} parameters are too many for the memory here"
        return Intervals(warnings=(why,))
    if isinstance(objective, DiscreteObjective):
        why = "no intervals in discrete time, where a measurement counts once a stage; qres identify --bootstrap N has"
        return Intervals(warnings=(why,))
    rows = [row for row in objective.data_rows() if objective.weights[row.name] > 0]
    terms = {name: float(term) for name, term in objective.engine.terms(theta, batch).items()}
    if not rows or not np.isfinite(sum(terms.values())):
        return Intervals()
    weights = {row.name: objective.weights[row.name] / objective.sizes[row.name] ** 2 for row in rows}
    found = unknown_covariance(
        objective.engine,
        theta,
        batch,
        count=sum(np.size(unknown.start) for unknown in problem.unknowns.values()),
        squares={row.name: terms[row.name] / weights[row.name] for row in rows},
        points={row.name: row.points for row in rows},
        weights={row.name: weights[row.name] / row.points for row in rows},
        known_noise={row.name: row.noise for row in rows if row.noise is not None},
    )
    times = Counter(row.field for row in rows)
    noise = {
        row.field if times[row.field] == 1 else f"{row.field} ({row.name})": found.noise[row.name]
        for row in rows
    }
    return _described(objective, theta, found.covariance, noise)


def _described(
    objective: Objective, theta: jax.Array, covariance: np.ndarray, noise: dict[str, float]
) -> Intervals:
    """From raw unknowns to the user's, by the slope of each transform; then what deserves a warning."""
    problem, model = objective.problem, objective.model(theta)
    raw = model.unknowns
    names, slopes, values, scales = [], [], [], []
    units = dict(zip(problem.unknowns, model.units or [1.0] * len(problem.unknowns), strict=True))
    for name in sorted(problem.unknowns):  # the order in which a dictionary is flattened

        def value(raw: Any, name: str = name) -> Any:
            return model.unknown(problem, name, raw)

        slope = jax.jvp(value, (raw[name],), (np.ones_like(raw[name]),))[1]
        labels = [name] if np.ndim(raw[name]) == 0 else [f"{name}[{i}]" for i in range(np.size(raw[name]))]
        names += labels
        slopes += np.ravel(slope).tolist()
        values += np.ravel(value(raw[name])).tolist()
        # What a number that is free is compared with where it is zero: the size at which its terms matter.
        scales += [units[name] if isinstance(problem.unknowns[name], Free) else 0.0] * len(labels)
    scaled = covariance * np.outer(slopes, slopes)
    stderr = np.sqrt(np.maximum(np.diag(scaled), 0.0))
    correlation = scaled / np.maximum(np.outer(stderr, stderr), np.finfo(float).tiny)
    places = {name: place for place, name in enumerate(names)}
    stated = sorted(names, key=lambda name: list(problem.unknowns).index(name.partition("[")[0]))
    return Intervals(
        stderr=_regrouped(problem.unknowns, dict(zip(names, stderr.tolist(), strict=True))),
        correlation={a: {b: float(correlation[places[a], places[b]]) for b in stated} for a in stated},
        noise=noise,
        warnings=tuple(_warnings(names, values, scales, stderr, correlation)),
    )


def _regrouped(unknowns: Any, flat: dict[str, float]) -> dict[str, Any]:
    """A number for a scalar unknown, a list for a vector."""
    return {
        name: flat[name] if name in flat else [flat[f"{name}[{i}]"] for i in range(np.size(unknown.start))]
        for name, unknown in unknowns.items()
    }


def _warnings(
    names: list[str], values: list[float], scales: list[float], stderr: np.ndarray, correlation: np.ndarray
) -> list[str]:
    notes = []
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            if abs(correlation[i, j]) > _CONFOUNDED:
                notes.append(
                    f"{b} and {a} cannot be told apart by these data (correlation {correlation[i, j]:+.4f}): "
                    "only a combination of them is determined"
                )
    for name, value, scale, error in zip(names, values, scales, stderr, strict=True):
        if error < _ZERO * scale and not error < _LOOSE * abs(value):
            notes.append(f"{name} is zero within its standard error, {error:.2g}")
        elif not error < _LOOSE * abs(value):
            notes.append(
                f"{name} is not identifiable: its standard error, {error:.2g}, is as large as its value, {value:.2g}"
            )
    return notes
