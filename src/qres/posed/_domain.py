"""The box of a problem, and its constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qres.formulas import Scope, check_name
from qres.runtime.errors import InputError, shorten

from ._condition import fixed_number

MOST_COORDINATES = 4


def read_constants(stated: Any) -> dict[str, float]:
    """Constants as floats; each is a number, or an expression that may refer to those before it."""
    constants: dict[str, float] = {}
    for key, value in table(stated, "constants").items():
        name = check_name(key, "constant")
        constants[name] = fixed_number(value, Scope((), constants=dict(constants)), f"constant {name!r}")
    return constants


def read_domain(stated: Any, constants: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """The interval of each coordinate; a bound is a number, or an expression of constants."""
    intervals = table(stated, "domain")
    if not 1 <= len(intervals) <= MOST_COORDINATES:
        raise InputError(f"domain: 1 to {MOST_COORDINATES} coordinates are possible, not {len(intervals)}")
    return {
        check_name(key, "coordinate"): _interval(key, value, constants) for key, value in intervals.items()
    }


def _interval(name: str, value: Any, constants: Mapping[str, float]) -> tuple[float, float]:
    where = f"domain of {name!r}"
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InputError(f"{where} must be two bounds, [low, high], not {shorten(repr(value))}")
    scope = Scope((), constants=constants)
    low, high = (fixed_number(bound, scope, where) for bound in value)
    if not low < high:
        what = "empty" if low == high else "reversed"
        raise InputError(f"{where}: the interval [{low:g}, {high:g}] is {what}; the lower bound comes first")
    return low, high


def table(stated: Any, where: str) -> Mapping[str, Any]:
    """The mapping itself, or an empty one for None."""
    if stated is None:
        return {}
    if not isinstance(stated, Mapping):
        raise InputError(f"{where} must be a table of names and values, not {shorten(repr(stated))}")
    return stated


def sequence(stated: Any, where: str) -> tuple[Any, ...]:
    """The entries of a list or tuple; a single text or function is a list of one; None is empty."""
    if stated is None:
        return ()
    if isinstance(stated, list | tuple):
        return tuple(stated)
    if isinstance(stated, Mapping | int | float):
        raise InputError(f"{where} must be a list, not {shorten(repr(stated))}")
    return (stated,)
