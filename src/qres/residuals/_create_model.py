"""A model with outputs and unknowns scaled to the problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qres.fields import Model
from qres.networks import Network
from qres.problems import Problem

from ._scales import field_scales
from ._unknown_units import unknown_units


def create_model(
    problem: Problem,
    network: Any,
    scales: Sequence[tuple[float, float]] | None = None,
    units: Sequence[float] | None = None,
) -> Model:
    """The network with every unknown at its start; scales and units that are not given come from the problem."""
    if isinstance(network, Network) and not network.architecture.scaled:
        return Model.create(problem, network, [(0.0, 1.0)] * len(problem.fields), ())
    if scales is None:
        scales = tuple(field_scales(problem).values())
    if units is None:
        units = unknown_units(problem, dict(zip(problem.fields, scales, strict=True)))
    return Model.create(problem, network, scales, units)
