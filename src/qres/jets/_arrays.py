"""Elementary functions of numbers, NumPy arrays and JAX arrays; the result has the kind of the argument.

Formulas are also tried on a few points before anything is trained; in NumPy that has nothing to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax, nn

from qres.runtime.jax_config import configure

Function = Callable[[Any], Any]
Values = Array | np.ndarray


def _in_kind(on_numpy: Function, on_jax: Function) -> Function:
    def function(z: Any) -> Any:
        if not isinstance(z, np.ndarray | int | float):
            return on_jax(z)
        with np.errstate(all="ignore"):  # as JAX: what has no value is not a number
            result = on_numpy(z)
        return result if isinstance(z, np.ndarray) else float(result)

    return function


sin = _in_kind(np.sin, jnp.sin)
cos = _in_kind(np.cos, jnp.cos)
tan = _in_kind(np.tan, jnp.tan)
exp = _in_kind(np.exp, jnp.exp)
log = _in_kind(np.log, jnp.log)
sqrt = _in_kind(np.sqrt, jnp.sqrt)
sinh = _in_kind(np.sinh, jnp.sinh)
cosh = _in_kind(np.cosh, jnp.cosh)
tanh = _in_kind(np.tanh, jnp.tanh)
asin = _in_kind(np.arcsin, jnp.arcsin)
acos = _in_kind(np.arccos, jnp.arccos)
atan = _in_kind(np.arctan, jnp.arctan)
absolute = _in_kind(np.abs, jnp.abs)
sign = _in_kind(np.sign, jnp.sign)


def _by_jax(function: Function) -> Function:
    """A function that NumPy has not: what is no array of JAX becomes one, in float64."""

    def in_float64(z: Any) -> Array:
        if not isinstance(z, Array):
            configure()
        return function(z)

    return in_float64


# The error functions of `lax`: `jax.scipy.special` takes longer to import than all of the jets. The distribution
# function of the normal law is `erfc(-z/√2)/2`, which holds in both tails.
erf = _by_jax(lambda z: lax.erf(1.0 * jnp.asarray(z)))
normal = _by_jax(lambda z: 0.5 * lax.erfc(-(0.5**0.5) * jnp.asarray(z)))
sigmoid = _by_jax(nn.sigmoid)
softplus = _by_jax(nn.softplus)
silu = _by_jax(nn.silu)
elu = _by_jax(nn.elu)


def namespace(z: Any) -> ModuleType:
    """`numpy` for NumPy's arrays, else `jax.numpy`."""
    return np if isinstance(z, np.ndarray) else jnp


def array(z: Any) -> Any:
    """A number as an array; an array as it is."""
    return z if isinstance(z, np.ndarray) else jnp.asarray(z)
