"""The elementary functions of formulas and networks, of numbers, arrays, jets and recordings alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _arrays as arrays
from . import _compose as recurrences
from ._choices import CHOICES
from ._jet import Jet
from ._numpy import UFUNCS
from ._recording import Recording
from ._symbolic import Symbolic


@dataclass(frozen=True)
class Elementary:
    """A function of one argument: on arrays in kind, on jets by its law, on recordings by what it needs."""

    name: str
    on_arrays: Callable[[Any], Any]
    on_jets: Callable[[Jet], Jet]
    verify: Callable[[], None] = field(default=lambda: None, compare=False, repr=False)  # of one of a user's

    def __call__(self, z: Any) -> Any:
        """The function of a number, an array, a jet or a recording."""
        if isinstance(z, Jet):
            return self.on_jets(z)
        if isinstance(z, Recording):
            return z.of_function()
        return z.called(self.name, (z,)) if isinstance(z, Symbolic) else self.on_arrays(z)

    def __repr__(self) -> str:
        return self.name


def _by_recurrence(
    name: str, on_arrays: Callable[[Any], Any], recurrence: recurrences.Recurrence
) -> Elementary:
    return Elementary(name, on_arrays, lambda jet: jet.apply(recurrence))


def _sign(jet: Jet) -> Jet:
    return Jet.constant(jet.truncation, arrays.sign(jet.value))


def _step(z: Any) -> Any:
    return 0.5 * (1.0 + z)


sin = _by_recurrence("sin", arrays.sin, recurrences.SIN)
cos = _by_recurrence("cos", arrays.cos, recurrences.COS)
exp = _by_recurrence("exp", arrays.exp, recurrences.EXP)
log = _by_recurrence("log", arrays.log, recurrences.LOG)
sqrt = _by_recurrence("sqrt", arrays.sqrt, recurrences.SQRT)
sinh = _by_recurrence("sinh", arrays.sinh, recurrences.SINH)
cosh = _by_recurrence("cosh", arrays.cosh, recurrences.COSH)
tanh = _by_recurrence("tanh", arrays.tanh, recurrences.TANH)
sigmoid = _by_recurrence("sigmoid", arrays.sigmoid, recurrences.SIGMOID)
softplus = _by_recurrence("softplus", arrays.softplus, recurrences.SOFTPLUS)
elu = Elementary("elu", arrays.elu, lambda z: z.apply(recurrences.ELU))
asin = _by_recurrence("asin", arrays.asin, recurrences.ASIN)
acos = _by_recurrence("acos", arrays.acos, recurrences.ACOS)
atan = _by_recurrence("atan", arrays.atan, recurrences.ATAN)
erf = Elementary("erf", arrays.erf, lambda z: 2 * (z * 2.0**0.5).apply(recurrences.NORMAL) - 1)
tan = Elementary("tan", arrays.tan, lambda z: z.apply(recurrences.SIN) / z.apply(recurrences.COS))
sech = Elementary(
    "sech", lambda z: 1 / arrays.cosh(z), lambda z: z.apply(recurrences.COSH).apply(recurrences.RECIPROCAL)
)
gelu = Elementary("gelu", lambda z: z * arrays.normal(z), lambda z: z * z.apply(recurrences.NORMAL))
silu = Elementary("silu", arrays.silu, lambda z: z * z.apply(recurrences.SIGMOID))
absolute = Elementary("abs", arrays.absolute, Jet.__abs__)
abs = absolute
sign = Elementary("sign", arrays.sign, _sign)
heaviside = Elementary("heaviside", lambda z: _step(arrays.sign(z)), lambda z: _step(_sign(z)))
identity = Elementary("identity", lambda z: z, lambda z: z)

#: What formulas may call with one argument.
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
        asin,
        acos,
        atan,
        sigmoid,
        softplus,
        gelu,
        elu,
        silu,
        erf,
        absolute,
        sign,
        heaviside,
    )
}

UFUNCS.update({
    np.sin: sin, np.cos: cos, np.tan: tan, np.exp: exp, np.log: log, np.sqrt: sqrt,
    np.sinh: sinh, np.cosh: cosh, np.tanh: tanh, np.absolute: absolute,
    np.arcsin: asin, np.arccos: acos, np.arctan: atan, np.sign: sign,
    np.heaviside: lambda z, at_zero: heaviside(z) + (at_zero - 0.5) * (1 - sign(z) ** 2),
    np.minimum: CHOICES["min"], np.maximum: CHOICES["max"],
    np.less: lambda a, b: a < b, np.less_equal: lambda a, b: a <= b,
    np.greater: lambda a, b: a > b, np.greater_equal: lambda a, b: a >= b,
    np.logical_and: lambda a, b: a & b, np.logical_or: lambda a, b: a | b,
    np.bitwise_and: lambda a, b: a & b, np.bitwise_or: lambda a, b: a | b,
    np.logical_not: lambda a: ~a, np.invert: lambda a: ~a,
    np.add: lambda a, b: a + b, np.subtract: lambda a, b: a - b, np.multiply: lambda a, b: a * b,
    np.divide: lambda a, b: a / b, np.power: lambda a, b: a**b, np.negative: lambda a: -a,
    np.square: lambda a: a * a, np.reciprocal: lambda a: 1 / a,
})  # fmt: skip
