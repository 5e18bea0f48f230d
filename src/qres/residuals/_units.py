"""The unit of each residual: the power of ten that it is divided by in the loss.

It is that of half a wave over each coordinate, as large as the fields are. A network that has learnt nothing yet is
flatter by an order or two: divided by the size of its residuals, equations would outweigh the measurements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from qres.fields import Model
from qres.networks import Network
from qres.problems import Problem

from ._block import Block, Segment
from ._scales import correction_share
from ._trial import TrialResidual, power_of_ten, size_of, trial_residuals

_LEAST = 0.41  # equations whose terms are from here to ten times that are left as they are


def residual_sizes(problem: Problem, model: Model, blocks: Sequence[Block]) -> dict[str, float]:
    """How large the terms of each residual are; 1 for a network that is not to be scaled."""
    sizes = {name: 1.0 for block in blocks for name in block.names}
    if isinstance(model.network, Network) and not model.network.architecture.scaled:
        return sizes
    for block in blocks:
        for segment in block.segments:
            sizes |= _data_sizes(problem, model, segment)
    return sizes | term_sizes(trial_residuals(problem, problem.soft_conditions), problem, model)


def term_sizes(residuals: Iterable[TrialResidual], problem: Problem, model: Model) -> dict[str, float]:
    """The sizes of the largest terms of residuals.

    They are compared with what is left of the residual where all fields are at rest: of `k*(u - 293)` what varies with
    u counts, and not how far 293 is from 0.
    """
    moving = {
        name: (offset, scale / correction_share(problem, name))
        for name, (offset, scale) in zip(problem.fields, model.scales, strict=True)
    }
    rest = {name: (offset, 0.0) for name, (offset, _) in moving.items()}
    sizes = {}
    with np.errstate(all="ignore"):
        for residual in residuals:
            pairs = zip(residual.terms(moving), residual.terms(rest), strict=True)
            found = [size_of(residual.total(rest)), *(size_of(new - old) for new, old in pairs)]
            sizes[residual.name] = power_of_ten(max(s for s in found if np.isfinite(s)), _LEAST)
    return sizes


def _data_sizes(problem: Problem, model: Model, segment: Segment) -> dict[str, float]:
    """Data are scaled by their standard deviation; where it is zero, of the field's scale, or of their size."""
    if segment.data is None:
        return {}
    fields = segment.data.measured((*problem.fields, *problem.definitions))
    scales = {name: scale for name, (_, scale) in zip(problem.fields, model.scales, strict=True)}
    sizes = {}
    for name, field in zip(segment.names, fields, strict=True):
        values = segment.data.columns[field]
        size = float(np.std(values)) or scales.get(field) or float(np.max(np.abs(values)))
        sizes[name] = power_of_ten(size)
    return sizes
