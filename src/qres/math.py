"""The functions of formulas, for numbers, arrays, fields and derivatives: `qres.math.exp(-u * u)`.

They are in `qres` too, `qres.exp`; from here, `from qres.math import exp, where` takes some of them.
"""

from qres.jets import (
    abs,
    acos,
    asin,
    atan,
    cos,
    cosh,
    elu,
    erf,
    exp,
    gelu,
    heaviside,
    log,
    max,
    min,
    sech,
    sigmoid,
    sign,
    silu,
    sin,
    sinh,
    softplus,
    sqrt,
    tan,
    tanh,
    where,
)

__all__ = [
    "abs", "acos", "asin", "atan", "cos", "cosh", "elu", "erf", "exp", "gelu", "heaviside", "log", "max",
    "min", "sech", "sigmoid", "sign", "silu", "sin", "sinh", "softplus", "sqrt", "tan", "tanh", "where",
]  # fmt: skip
