"""The protocol of a solution, as the estimate uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from jaxtyping import Float

from qres.fields import Chain, Model, Request, Scheme
from qres.problems import Problem
from qres.results import Result

if TYPE_CHECKING:
    import xarray as xr


class Solved(Protocol):
    """Fields that were found for a problem, as `qres.Solution` has them."""

    problem: Problem
    model: Model
    scheme: Scheme | None
    chain: Chain | None
    result: Result
    training_points: dict[str, np.ndarray]

    @property
    def names(self) -> tuple[str, ...]: ...

    def evaluate(
        self, points: Float[np.ndarray, "d n"], requests: tuple[Request, ...]
    ) -> Float[np.ndarray, "rows n"]: ...

    def to_xarray(self, grid: Mapping[str, Any] | None = None, *names: str) -> xr.Dataset: ...
