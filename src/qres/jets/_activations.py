"""Activations: built-in ones, and user-defined functions with a rule for their Taylor series."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

from qres.runtime.errors import InputError
from qres.runtime.registry import Registry

from ._compose import Recurrence
from ._functions import Elementary, cos, elu, erf, exp, gelu, identity, sigmoid, silu, sin, softplus, tanh
from ._jet import Jet
from ._series import Coefficient, Series, integral_at
from ._truncation import Truncation

Function = Callable[[Any], Any]
Derivative = Callable[[Any, Any], Any]

#: What networks may use between their layers.
ACTIVATIONS: Registry[Elementary] = Registry(
    "activation",
    {f.name: f for f in (tanh, sin, cos, exp, sigmoid, softplus, gelu, elu, silu, erf, identity)},
)
_TRIED = ((-1.3, -0.2), (0.4, 1.7))  # values that a function is checked at


def register_activation(name: str, function: Function, derivative: Derivative | None = None) -> None:
    """Give an activation a name, for `Architecture(activation=name)`.

    Args:
        name: lower-case letters, digits, `_`, `-` and `.`.
        function: `f(z)` of a JAX array, each number alone.
        derivative: `f'(z)` as a function of z and y = f(z), in arithmetic and functions of qres: for tanh,
            `lambda z, y: 1 - y**2`. Taylor coefficients then follow from it, each from the lower ones. Without it
            they come from nested derivatives of the function, which are as exact and take longer.
    """
    if derivative is None:

        def on_jets(jet: Jet) -> Jet:
            return jet.apply(_nested(function, _order(jet.truncation)))
    else:
        recurrence = _by_derivative(function, derivative)

        def on_jets(jet: Jet) -> Jet:
            return jet.apply(recurrence)

    ACTIVATIONS.register(
        name, Elementary(name, function, on_jets, cache(lambda: _verify(name, function, derivative)))
    )


def _slope(function: Function) -> Function:
    return lambda z: jax.jvp(function, (z,), (jnp.ones_like(z),))[1]


def _order(truncation: Truncation) -> int:
    """The highest order of a derivative."""
    combined = [k for combination in truncation.combinations for _, k in combination]
    return max(sum(k) for k in (*truncation.indices, *combined))


@cache
def _nested(function: Function, order: int) -> Recurrence:
    """`f, f', f'', …` by nested differentiation; the series of each follows from the next one's."""
    derivatives = [function]
    for _ in range(order + 1):
        derivatives.append(_slope(derivatives[-1]))

    def start(z: Any) -> tuple[Any, tuple[Any, ...]]:
        value, *slopes = [derivative(z) for derivative in derivatives]
        return value, tuple(slopes)

    def advance(
        t: Truncation, k: int, y: Series, z: Series, s: tuple[Series, ...]
    ) -> tuple[Coefficient, ...]:
        # Order n of f' needs order n - 1 of f'', and so on down to the value of the last: its series is not needed.
        return (*(integral_at(t, k, following, z) for following in s[1:]), None)

    return Recurrence(start, advance)


def _by_derivative(function: Function, derivative: Derivative) -> Recurrence:
    """The law of `y' = derivative(z, y)`."""

    def start(z: Any) -> tuple[Any, tuple[Any]]:
        y = function(z)
        return y, (derivative(z, y),)

    def advance(t: Truncation, k: int, y: Series, z: Series, s: tuple[Series, ...]) -> tuple[Coefficient]:
        so_far = [*y, *[None] * (len(t) - len(y))]
        slope = derivative(Jet(t, z), Jet(t, so_far))
        return (slope.coefficients[k] if isinstance(slope, Jet) else None,)

    return Recurrence(start, advance)


def _verify(name: str, function: Function, derivative: Derivative | None) -> None:
    """An error where a function does not act on each number alone, or its derivative is another's."""
    z = jnp.array(_TRIED)
    found = jnp.asarray(function(z))
    alone = [jnp.ravel(function(number)) for number in z.reshape(-1, 1, 1)]
    if found.shape != z.shape or not jnp.allclose(jnp.ravel(found), jnp.concatenate(alone), equal_nan=True):
        raise InputError(f"activation {name!r} must act on each number of an array alone")
    if derivative is not None and not jnp.allclose(derivative(z, found), _slope(function)(z), rtol=1e-4):
        raise InputError(f"activation {name!r}: the derivative given is not that of the function")
