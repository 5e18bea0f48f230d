"""Jets of any callable by nested forward differentiation: slower than built-in layers, and the oracle of the tests."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from qres.runtime.jax_config import configure

from ._jet import Jet
from ._series import scale
from ._truncation import MultiIndex, Truncation, factorial


def partial_derivative(
    function: Callable[[Array], Array], index: MultiIndex
) -> Callable[[Float[Array, "d n"]], Float[Array, "m n"]]:
    """`∂^index f` of a function that treats each column (point) alone, by one `jvp` an order."""
    for place, order in enumerate(index):
        for _ in range(order):
            function = _along(function, place)
    return function


def _along(function: Callable[[Array], Array], place: int) -> Callable[[Array], Array]:
    def derivative(points: Array) -> Array:
        direction = jnp.zeros_like(points).at[place].set(1.0)
        return jax.jvp(function, (points,), (direction,))[1]

    return derivative


def lift(
    function: Callable[[Float[Array, "d n"]], Float[Array, "m n"]],
    truncation: Truncation,
    points: Float[Array, "d n"],
) -> Jet:
    """The jet of any function of points, features first: row i of `points` is coordinate i."""
    configure()
    coefficients = [
        scale(1 / factorial(index), partial_derivative(function, index)(points))
        for index in truncation.indices
    ]
    return Jet(truncation, coefficients)
