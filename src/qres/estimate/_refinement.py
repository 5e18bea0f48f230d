"""Where the splines are: graded towards layers that the equations ask for, and finer where residuals are left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from qres.fields import default_axes
from qres.posed.evaluator import Residuals, Tabulated
from qres.reference import mesh

from ._grids import Sampled
from ._linearization import derivatives_of, finite
from ._solved import Solved
from .splines import Space, Splines, space_for

_LAYER = 1 / 3  # of a layer's width: the interval at its foot
_RATIO = 2.0  # of neighbouring intervals in a layer
_THINNEST = 1e-9  # of the box
_STRONGEST = 8.0  # times as many intervals as elsewhere, at most, where residuals are left


def first_space(solution: Solved, residuals: Residuals, size: int) -> Space:
    """About `size` products, narrower where fields bend, and graded towards ends where equations ask for layers."""
    problem = solution.problem
    axes = default_axes(problem)
    points, shape = mesh(axes)
    derivatives = derivatives_of(solution, residuals, points)
    coarse = [row.reshape(shape) for row in derivatives[:, 0]]
    order = max(max(index) for index in residuals.truncation.indices)
    space = space_for(coarse, axes, problem.periodic, max(4, order + 2), size)
    widths = _layer_widths(solution, residuals, derivatives, points)
    return Space(
        tuple(
            one if one.periodic else Splines(_graded(one.breaks, width), one.degree, False)
            for one, width in zip(space.splines, widths, strict=True)
        )
    )


def _layer_widths(
    solution: Solved, residuals: Residuals, derivatives: np.ndarray, points: np.ndarray
) -> Float[np.ndarray, " d"]:
    """The length in each coordinate at which derivatives of different order along it balance in an equation.

    A layer of `eps u_xx = u` is `sqrt(eps)` wide, one of `b_t = -m b` is `1/m`.
    """
    problem, indices = solution.problem, residuals.truncation.indices
    equations = Residuals(
        problem, [r for r in residuals.residuals if r.place.is_inside and r.measured is None]
    )
    source = Tabulated(problem.fields, indices, jnp.asarray(derivatives))
    found = np.full(len(problem.coordinates), np.inf)
    slopes = equations.slopes(source, [points], solution.model.parameters(problem))
    for one in slopes.values():
        strength = np.sqrt(np.mean(finite(one.fields[0]) ** 2, axis=-1))
        for axis in range(len(found)):
            along = {
                index[axis]: number
                for number, index in enumerate(equations.truncation.indices)
                if sum(index) == index[axis]
            }
            for high, low in ((h, k) for h in along for k in along if k < h):
                strong, weak = strength[:, along[high]], strength[:, along[low]]
                both = (strong > 0) & (weak > 0)
                if both.any():
                    width = float(np.min((strong[both] / weak[both]) ** (1 / (high - low))))
                    found[axis] = min(found[axis], width)
    return found


def _graded(breaks: Float[np.ndarray, " n"], width: float) -> Float[np.ndarray, " m"]:
    """Interval ends with further ones near both ends, where a layer is narrower than the intervals there."""
    length = breaks[-1] - breaks[0]
    least = max(width, _THINNEST * length) * _LAYER
    first, last = breaks[1] - breaks[0], breaks[-1] - breaks[-2]
    if not np.isfinite(width) or least >= min(first, last):
        return breaks
    count = int(np.ceil(np.log(max(first, last) / least) / np.log(_RATIO)))
    steps = least * _RATIO ** np.arange(count)
    low, high = breaks[0] + steps[steps < first], breaks[-1] - steps[steps < last]
    return np.unique(np.concatenate([breaks, low, high]))


def refined(
    space: Space, places: Sequence[Sampled], left: Sequence[Float[np.ndarray, " n"]], factor: float
) -> Space:
    """A space with `factor` times as many intervals in each coordinate, most of them where residuals are left."""
    shape = tuple(len(one.gauss()[0]) for one in space.splines)
    square = np.zeros(shape)
    for place, part in zip(places, left, strict=True):
        if place.residual.place.is_inside and place.grid.own is None:
            square += (part**2).reshape(shape)
    return Space(
        tuple(
            Splines(_split(one.breaks, square, axis, factor), one.degree, one.periodic)
            for axis, one in enumerate(space.splines)
        )
    )


def _split(
    breaks: Float[np.ndarray, " n"], square: np.ndarray, axis: int, factor: float
) -> Float[np.ndarray, " m"]:
    """Intervals cut into parts: all alike by half of the factor's gain, the other half as residuals ask."""
    count = len(breaks) - 1
    marginal = square.sum(axis=tuple(k for k in range(square.ndim) if k != axis))
    share = marginal.reshape(count, -1).sum(axis=1)
    total = share.sum()
    if not total > 0:
        share, total = np.ones(count), float(count)
    weight = np.minimum(np.sqrt(share / total * count), _STRONGEST)
    weight = 1 + weight / weight.mean()
    parts = np.maximum(1, np.round(factor * count * weight / weight.sum())).astype(int)
    cuts = [np.linspace(a, b, n, endpoint=False) for (a, b), n in zip(pairwise(breaks), parts, strict=True)]
    return np.append(np.concatenate(cuts), breaks[-1])
