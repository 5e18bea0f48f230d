"""Elementary functions of a series, each from the differential equation that it satisfies.

For `y = f(z)` the chain rule says `∂y = s ∂z` with the slope `s = f'(z)`, itself a series. So y follows coefficient by
coefficient from lower coefficients of s, and s from y: for tanh, `s = 1 - y²`. The same slope is all that the
derivative of the whole operation needs, `ẏ = s ż` as a product of series, which is why one rule serves every function
here and reverse mode stays as cheap as the forward pass (Griewank and Walther, Evaluating Derivatives, chapter 13).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp

from ._arrays import Values, acos, array, asin, atan, cos, cosh, exp, log, normal, sin, sinh, sqrt, tanh
from ._series import Coefficient, Series, integral_at, multiply, product, product_at, scale, square_at, total
from ._truncation import Truncation


@dataclass(frozen=True)
class Recurrence:
    """An elementary function: its value and first slopes, and how the slopes go on.

    `start(z_0)` gives `y_0` and the zeroth coefficients of the slopes; `advance(truncation, k, y, z, slopes)` gives
    coefficient k of the slopes, from `y` up to k and `z`. The first slope is `f'(z)`; more may help to compute it.
    """

    start: Callable[[Values], tuple[Values, tuple[Values, ...]]]
    advance: Callable[..., tuple[Coefficient, ...]]


def _expand(
    recurrence: Recurrence, truncation: Truncation, z: Series
) -> tuple[tuple[Coefficient, ...], list[Coefficient]]:
    """The series of f(z) and of f'(z)."""
    assert z[0] is not None
    value, first = recurrence.start(array(z[0]))
    y: list[Coefficient] = [value]
    slopes: tuple[list[Coefficient], ...] = tuple([slope] for slope in first)
    for k in range(1, len(truncation)):
        y.append(integral_at(truncation, k, slopes[0], z))
        for slope, coefficient in zip(slopes, recurrence.advance(truncation, k, y, z, slopes), strict=True):
            slope.append(coefficient)
    return tuple(y), slopes[0]


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def compose(recurrence: Recurrence, truncation: Truncation, z: Series) -> tuple[Coefficient, ...]:
    """The series of f(z)."""
    return _expand(recurrence, truncation, z)[0]


@compose.defjvp
def _compose_jvp(recurrence: Recurrence, truncation: Truncation, primals: Any, tangents: Any) -> Any:
    (z,), (dz,) = primals, tangents
    y, slope = _expand(recurrence, truncation, z)
    return y, product(truncation, slope, dz)


def _negative(a: Coefficient) -> Coefficient:
    return scale(-1.0, a)


def _quotient_at(t: Truncation, k: int, slope: Series, divisor: Series) -> Coefficient:
    """Coefficient k of a series s with `s · divisor` constant."""
    terms = total(scale(c, multiply(divisor[i], slope[j])) for c, i, j in t.products[k] if i != 0)
    return multiply(_negative(terms), 1 / array(divisor[0]))


def _tanh_start(z: Values) -> tuple[Values, tuple[Values]]:
    y = tanh(z)
    return y, (1 - y * y,)


def _sigmoid_start(z: Values) -> tuple[Values, tuple[Values]]:
    y = jax.nn.sigmoid(z)
    return y, (y * (1 - y),)


def _softplus_start(z: Values) -> tuple[Values, tuple[Values, Values]]:
    s = jax.nn.sigmoid(z)
    return jax.nn.softplus(z), (s, s * (1 - s))


def _exp_start(z: Values) -> tuple[Values, tuple[Values]]:
    y = exp(z)
    return y, (y,)


def _sqrt_start(z: Values) -> tuple[Values, tuple[Values]]:
    y = sqrt(z)
    return y, (0.5 / y,)


def _other_leg(z: Values) -> Values:
    """`sqrt(1 - z²)`, to all digits near one."""
    return sqrt((1 - z) * (1 + z))


def _asin_start(z: Values) -> tuple[Values, tuple[Values, Values]]:
    c = _other_leg(z)
    return asin(z), (1 / c, c)


def _acos_start(z: Values) -> tuple[Values, tuple[Values, Values]]:
    c = _other_leg(z)
    return acos(z), (-1 / c, c)


def _atan_start(z: Values) -> tuple[Values, tuple[Values, Values]]:
    d = 1 + z * z
    return atan(z), (1 / d, d)


def _over(
    t: Truncation, k: int, s: tuple[Series, ...], divisor: Coefficient
) -> tuple[Coefficient, Coefficient]:
    """Coefficient k of the slope s with `s · divisor` constant, and of the divisor."""
    return _quotient_at(t, k, s[0], [*s[1], divisor]), divisor


def _normal_start(z: Values) -> tuple[Values, tuple[Values, Values]]:
    density = exp(-0.5 * z * z) / sqrt(2 * jnp.pi)
    return normal(z), (density, -z * density)


def _normal_advance(
    t: Truncation, k: int, y: Series, z: Series, s: tuple[Series, ...]
) -> tuple[Coefficient, Coefficient]:
    density = [*s[0], integral_at(t, k, s[1], z)]
    return density[k], _negative(product_at(t, k, z, density))


def _softplus_advance(
    t: Truncation, k: int, y: Series, z: Series, s: tuple[Series, ...]
) -> tuple[Coefficient, ...]:
    sigmoid = integral_at(t, k, s[1], z)
    so_far = [*s[0], sigmoid]
    return sigmoid, total((sigmoid, _negative(square_at(t, k, so_far))))


TANH = Recurrence(_tanh_start, lambda t, k, y, z, s: (_negative(square_at(t, k, y)),))
SIGMOID = Recurrence(_sigmoid_start, lambda t, k, y, z, s: (total((y[k], _negative(square_at(t, k, y)))),))
SOFTPLUS = Recurrence(_softplus_start, _softplus_advance)
EXP = Recurrence(_exp_start, lambda t, k, y, z, s: (y[k],))
LOG = Recurrence(lambda z: (log(z), (1 / z,)), lambda t, k, y, z, s: (_quotient_at(t, k, s[0], z),))
SQRT = Recurrence(_sqrt_start, lambda t, k, y, z, s: (_quotient_at(t, k, s[0], y),))
RECIPROCAL = Recurrence(
    lambda z: (1 / z, (-1 / (z * z),)), lambda t, k, y, z, s: (_negative(square_at(t, k, y)),)
)
SIN = Recurrence(
    lambda z: (sin(z), (cos(z),)),
    lambda t, k, y, z, s: (_negative(integral_at(t, k, y, z)),),
)
COS = Recurrence(
    lambda z: (cos(z), (-sin(z),)),
    lambda t, k, y, z, s: (_negative(integral_at(t, k, y, z)),),
)
SINH = Recurrence(
    lambda z: (sinh(z), (cosh(z),)),
    lambda t, k, y, z, s: (integral_at(t, k, y, z),),
)
COSH = Recurrence(
    lambda z: (cosh(z), (sinh(z),)),
    lambda t, k, y, z, s: (integral_at(t, k, y, z),),
)
# The slopes are ±1/c with c = sqrt(1 - z²), for which ∂c = ∓z ∂y.
ASIN = Recurrence(_asin_start, lambda t, k, y, z, s: _over(t, k, s, _negative(integral_at(t, k, z, y))))
ACOS = Recurrence(_acos_start, lambda t, k, y, z, s: _over(t, k, s, integral_at(t, k, z, y)))
ATAN = Recurrence(_atan_start, lambda t, k, y, z, s: _over(t, k, s, square_at(t, k, z)))
# The distribution function of the normal law; its slope, the density φ, obeys ∂φ = -zφ ∂z.
NORMAL = Recurrence(_normal_start, _normal_advance)
ELU = Recurrence(
    lambda z: (jax.nn.elu(z), (exp(jnp.minimum(z, 0)),)),
    lambda t, k, y, z, s: (multiply(jnp.where(array(z[0]) > 0, 0.0, 1.0), y[k]),),
)


@cache
def power(exponent: float) -> Recurrence:
    """`z^p` for any real p, from `z · slope = p y`."""

    def advance(t: Truncation, k: int, y: Series, z: Series, s: tuple[Series, ...]) -> tuple[Coefficient]:
        terms = total(scale(c, multiply(z[i], s[0][j])) for c, i, j in t.products[k] if i != 0)
        rest = total((scale(exponent, y[k]), _negative(terms)))
        return (multiply(rest, 1 / array(z[0])),)

    return Recurrence(lambda z: (z**exponent, (exponent * z ** (exponent - 1),)), advance)
