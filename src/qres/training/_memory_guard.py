"""The memory a run needs, checked against what is free before anything is allocated."""

from __future__ import annotations

import math
from itertools import pairwise

from qres.runs import Specification
from qres.runtime.memory import check_memory

_NUMBER = 8  # bytes
_COPIES = 4  # of the weights: themselves, a gradient, a step and the pass that makes them


def check_size(specification: Specification) -> None:
    """An error where the network or its points cannot fit into memory, in whatever way they are trained."""
    architecture, sampling = specification.architecture, specification.sampling
    widths = architecture.hidden or (architecture.width,) * architecture.depth
    weights = sum(one * other for one, other in pairwise(widths)) or max(widths)
    check_memory(
        _COPIES * _NUMBER * weights,
        f"a network of {len(widths)} hidden layers of up to {max(widths)} neurons",
        "choose a smaller --width or --depth",
    )
    dimensions = len(specification.problem.coordinates)
    if sampling.method == "grid":
        points = max(2, math.ceil(sampling.points ** (1 / dimensions))) ** dimensions
    else:
        points = sampling.points * (1 + (sampling.pool if sampling.resample_every else 0))
    check_memory(
        2 * _NUMBER * dimensions * points,
        f"sampling with {sampling.points} points (and a pool of {sampling.pool} times as many)",
        "choose fewer --points",
    )
    conditions = len(specification.problem.soft_conditions)
    check_memory(
        2 * _NUMBER * dimensions * sampling.condition_points * conditions,
        f"[sampling] condition_points = {sampling.condition_points}",
        "choose fewer",
    )
