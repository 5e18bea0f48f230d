"""A Chebyshev series of one coordinate as a known part of an ansatz."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from numpy.polynomial import chebyshev

from qres.jets import Jet, Recording


@dataclass(frozen=True, eq=False)
class ChebyshevSeries:
    """`Σ c_k T_k(ξ)` with `x = origin + width (1 + ξ)/2`, as a function of the coordinate: numbers, arrays or jets.

    Args:
        coefficients: c.
        origin: of the interval.
        width: of the interval.
        error: of the series, relative, as far as it is known; what is added to it need not be larger.
    """

    coefficients: Float[np.ndarray, " n"]
    origin: tuple[float, ...]
    width: float
    error: float

    def __call__(self, x: Any) -> Any:
        """The series; of a jet, which must be the coordinate's own, with its derivatives."""
        if isinstance(x, Recording):
            return x
        if not isinstance(x, Jet):
            return self.derivative(x, 0)
        series = [self.derivative(x.value, k) / factorial(k) for (k,) in x.truncation.indices]
        return Jet(x.truncation, series)

    def derivative(self, x: Any, order: int) -> Any:
        """A derivative at an array of points."""
        c = chebyshev.chebder(self.coefficients, order) if order else self.coefficients
        place, factor = 2 * (x - self.origin[0]) / self.width - 1, (2 / self.width) ** order
        if isinstance(place, np.ndarray | float | np.floating):
            return factor * chebyshev.chebval(place, c)

        def step(carry: tuple[Any, Any], one: Any) -> tuple[tuple[Any, Any], None]:
            return (one + 2 * place * carry[0] - carry[1], carry[0]), None

        zero = jnp.zeros_like(place)
        (b, last), _ = jax.lax.scan(step, (zero, zero), jnp.asarray(c[:0:-1]))  # Clenshaw's recurrence
        return factor * (c[0] + place * b - last)
