"""The elementary functions of formulas and networks, of numbers, arrays, jets and recordings alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _arrays as arrays
from . import _compose as laws
from ._jet import Jet
from ._recording import Recording


@dataclass(frozen=True)
class Elementary:
    """A function of one argument: on arrays in kind, on jets by its law, on recordings by what it needs."""

    name: str
    on_arrays: Callable[[Any], Any]
    on_jets: Callable[[Jet], Jet]

    def __call__(self, z: Any) -> Any:
        """The function of a number, an array, a jet or a recording."""
        if isinstance(z, Jet):
            return self.on_jets(z)
        return z if isinstance(z, Recording) else self.on_arrays(z)

    def __repr__(self) -> str:
        return self.name


def _lawful(name: str, on_arrays: Callable[[Any], Any], law: laws.Law) -> Elementary:
    return Elementary(name, on_arrays, lambda jet: jet.apply(law))


def _absolute(jet: Jet) -> Jet:
    return jet * arrays.namespace(jet.value).sign(jet.value)


sin = _lawful("sin", arrays.sin, laws.SIN)
cos = _lawful("cos", arrays.cos, laws.COS)
exp = _lawful("exp", arrays.exp, laws.EXP)
log = _lawful("log", arrays.log, laws.LOG)
sqrt = _lawful("sqrt", arrays.sqrt, laws.SQRT)
sinh = _lawful("sinh", arrays.sinh, laws.SINH)
cosh = _lawful("cosh", arrays.cosh, laws.COSH)
tanh = _lawful("tanh", arrays.tanh, laws.TANH)
sigmoid = _lawful("sigmoid", jax.nn.sigmoid, laws.SIGMOID)
softplus = _lawful("softplus", jax.nn.softplus, laws.SOFTPLUS)
elu = _lawful("elu", jax.nn.elu, laws.ELU)
erf = Elementary("erf", arrays.erf, lambda z: 2 * (z * 2.0**0.5).apply(laws.NORMAL) - 1)
tan = Elementary("tan", arrays.tan, lambda z: z.apply(laws.SIN) / z.apply(laws.COS))
sech = Elementary("sech", lambda z: 1 / arrays.cosh(z), lambda z: z.apply(laws.COSH).apply(laws.RECIPROCAL))
gelu = Elementary("gelu", lambda z: z * arrays.normal(z), lambda z: z * z.apply(laws.NORMAL))
silu = Elementary("silu", jax.nn.silu, lambda z: z * z.apply(laws.SIGMOID))
absolute = Elementary("abs", arrays.absolute, _absolute)
identity = Elementary("identity", lambda z: z, lambda z: z)

#: What formulas may call.
FUNCTIONS: dict[str, Elementary] = {
    f.name: f
    for f in (
        sin,
        cos,
        tan,
        exp,
        log,
        sqrt,
        sinh,
        cosh,
        tanh,
        sech,
        sigmoid,
        softplus,
        gelu,
        elu,
        silu,
        erf,
        absolute,
    )
}
#: What networks may use between their layers.
ACTIVATIONS: dict[str, Elementary] = {
    f.name: f for f in (tanh, sin, cos, exp, sigmoid, softplus, gelu, elu, silu, identity)
}

_UFUNCS: dict[np.ufunc, Callable[..., Any]] = {
    np.sin: sin, np.cos: cos, np.tan: tan, np.exp: exp, np.log: log, np.sqrt: sqrt,
    np.sinh: sinh, np.cosh: cosh, np.tanh: tanh, np.absolute: absolute,
    np.add: lambda a, b: a + b, np.subtract: lambda a, b: a - b, np.multiply: lambda a, b: a * b,
    np.divide: lambda a, b: a / b, np.power: lambda a, b: a**b, np.negative: lambda a: -a,
    np.square: lambda a: a * a, np.reciprocal: lambda a: 1 / a,
}  # fmt: skip


def from_numpy(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's function of jets or recordings, where there is one of ours."""
    if method != "__call__" or options or ufunc not in _UFUNCS:
        return NotImplemented
    return _UFUNCS[ufunc](*(jnp.asarray(a) if isinstance(a, np.ndarray | np.generic) else a for a in inputs))
