"""Recordings of all names of a problem: the derivatives that its formulas need."""

from __future__ import annotations

from typing import Any

import numpy as np

from qres.jets import Recording

from ._posed import Posed


def recordings(posed: Posed) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Recordings in place of outputs, coordinates and unknowns, each by its name; a vector is an array of them."""

    def noted(name: str) -> Recording:
        return Recording.field(posed.coordinates, name)

    unknowns = {
        name: np.array([noted(f"{name}[{i}]") for i in range(len(unknown.start))])
        if isinstance(unknown.start, tuple)
        else noted(name)
        for name, unknown in posed.unknowns.items()
    }
    return {n: noted(n) for n in posed.fields}, {n: noted(n) for n in posed.coordinates}, unknowns
