"""Quadrature rules of integrals in formulas: composite Gauss–Legendre rules, as fine as smooth fields need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

NODES = {1: 16, 2: 10, 3: 8}  # of a panel, along each variable
PANELS = {1: (1, 2, 4, 8, 16, 32), 2: (1, 2, 4, 8), 3: (1, 2)}


class Rule(NamedTuple):
    """Nodes in the unit cube, a row for each variable, and weights that add up to one."""

    nodes: Float[np.ndarray, "m q"]
    weights: Float[np.ndarray, " q"]


def composite(variables: int, panels: int) -> Rule:
    """A product of Gauss–Legendre rules on so many panels along each variable."""
    x, w = np.polynomial.legendre.leggauss(NODES[variables])
    line = ((np.arange(panels)[:, None] + (1 + x) / 2) / panels).ravel()
    weights = np.tile(w / 2 / panels, panels)
    axes = np.meshgrid(*[line] * variables, indexing="ij")
    factors = np.meshgrid(*[weights] * variables, indexing="ij")
    return Rule(np.stack([axis.ravel() for axis in axes]), np.prod([f.ravel() for f in factors], axis=0))
