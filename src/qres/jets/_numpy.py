"""NumPy functions of jets and recordings, dispatched to ours.

The table is filled where our functions are made, which need jets: so a jet needs only this table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import jax.numpy as jnp
import numpy as np

from qres.runtime.errors import InputError

UFUNCS: dict[np.ufunc, Callable[..., Any]] = {}


def from_numpy(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's function of jets or recordings, where there is one of ours."""
    if method != "__call__" or options or ufunc not in UFUNCS:
        return NotImplemented
    return UFUNCS[ufunc](*(jnp.asarray(a) if isinstance(a, np.ndarray | np.generic) else a for a in inputs))


def refuse(function: Callable[..., Any]) -> NoReturn:
    """A function of NumPy that is none of its elementwise ones, called with jets or recordings."""
    name = getattr(function, "__name__", repr(function))
    raise InputError(
        f"np.{name} does not take fields; what does is qres.min, qres.max, qres.where, functions such as qres.exp, "
        "and np.exp and the like"
    )
