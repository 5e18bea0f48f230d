"""Points placed on a face, an edge or a corner of the box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qres.jets import namespace


def placed(points: Any, location: Sequence[float | None]) -> Any:
    """Points, `(d, n)`, of JAX or NumPy, with the coordinates that a location fixes."""
    arrays = namespace(points)
    rows = [
        arrays.full_like(row, value) if value is not None else row
        for row, value in zip(points, location, strict=True)
    ]
    return arrays.stack(rows)
