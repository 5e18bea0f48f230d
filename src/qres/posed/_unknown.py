"""Unknown parameters of a problem: initial values, and transforms that enforce their bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from qres.runtime.errors import InputError, check_keys, shorten

Start = float | tuple[float, ...]


@dataclass(frozen=True)
class Free:
    """An unknown that may take any value: `value = raw`."""

    start: Start
    true: Start | None = None

    def __post_init__(self) -> None:
        _tidy(self)

    def raw(self) -> Float[np.ndarray, "*shape"]:
        """The start as the optimizer sees it."""
        return np.asarray(self.start, dtype=float)

    def value(self, raw: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """The unknown, from what the optimizer sees."""
        return raw


@dataclass(frozen=True)
class Positive:
    """An unknown above zero: `value = exp(raw)`."""

    start: Start
    true: Start | None = None

    def __post_init__(self) -> None:
        _tidy(self)
        if np.min(self.start) <= 0:
            raise InputError(f"a positive unknown must start above zero, not at {self.start}")

    def raw(self) -> Float[np.ndarray, "*shape"]:
        """The start as the optimizer sees it."""
        return np.log(np.asarray(self.start, dtype=float))

    def value(self, raw: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """The unknown, from what the optimizer sees."""
        return jnp.exp(raw)


@dataclass(frozen=True)
class Between:
    """An unknown inside an interval: `value = low + (high - low) sigmoid(raw)`."""

    start: Start
    low: float
    high: float
    true: Start | None = None

    def __post_init__(self) -> None:
        _tidy(self)
        for side in ("low", "high"):
            object.__setattr__(self, side, _number(getattr(self, side), f"{side} of an unknown"))
        if not self.low < self.high:
            raise InputError(f"an unknown between {self.low:g} and {self.high:g}: the interval is empty")
        if not self.low < np.min(self.start) <= np.max(self.start) < self.high:
            raise InputError(
                f"an unknown between {self.low:g} and {self.high:g} must start inside, not at {self.start}"
            )

    def raw(self) -> Float[np.ndarray, "*shape"]:
        """The start as the optimizer sees it."""
        share = (np.asarray(self.start, dtype=float) - self.low) / (self.high - self.low)
        return np.log(share) - np.log1p(-share)

    def value(self, raw: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """The unknown, from what the optimizer sees."""
        return self.low + (self.high - self.low) * jax.nn.sigmoid(raw)


Unknown = Free | Positive | Between


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise InputError(f"{where} must be a finite number, not {shorten(repr(value))}")
    return float(value)


def _start(value: Any, where: str) -> Start:
    if isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 1 and len(value):
        return tuple(_number(entry, where) for entry in value)
    return _number(value, where)


def _tidy(unknown: Unknown) -> None:
    object.__setattr__(unknown, "start", _start(unknown.start, "start of an unknown"))
    if unknown.true is not None:
        object.__setattr__(unknown, "true", _start(unknown.true, "true value of an unknown"))
        if np.shape(unknown.true) != np.shape(unknown.start):
            raise InputError(
                f"an unknown's true value must have the shape of its start, "
                f"not {unknown.true} for {unknown.start}"
            )


def as_unknown(value: Any, where: str) -> Unknown:
    """An unknown, from one, from its start, or from a file's table: `{ start = 1, between = [0, 10] }`."""
    if isinstance(value, Unknown):
        return value
    try:
        if not isinstance(value, Mapping):
            return Free(_start(value, "start"))
        return _from_table(value)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _from_table(value: Mapping[str, Any]) -> Unknown:
    table = check_keys(value, ("start", "positive", "between", "true"), "its table")
    if "start" not in table:
        raise InputError("a start value is missing: { start = 1.0 }")
    start, true = _start(table["start"], "start"), table.get("true")
    positive = table.get("positive", False)
    if not isinstance(positive, bool):
        raise InputError(f"positive must be true or false, not {shorten(repr(positive))}")
    if "between" not in table:
        return Positive(start, true) if positive else Free(start, true)
    between = table["between"]
    if positive or not isinstance(between, list | tuple) or len(between) != 2:
        raise InputError("between must be [low, high], without positive")
    return Between(start, between[0], between[1], true)


def vectors_of(unknowns: Mapping[str, Unknown]) -> dict[str, int]:
    """The unknowns that are several numbers, with how many."""
    return {name: len(one.start) for name, one in unknowns.items() if isinstance(one.start, tuple)}


def values_near_start(
    unknowns: Mapping[str, Unknown], step: float = 0.0
) -> dict[str, Float[Array, "*shape"]]:
    """Each unknown at its start, or a step off it, as a start such as 0 may be too special to try."""
    return {name: unknown.value(jnp.asarray(unknown.raw() + step)) for name, unknown in unknowns.items()}


def unknown_to_dict(unknown: Unknown) -> dict[str, Any]:
    """The unknown as a table that `as_unknown` reads back."""
    table: dict[str, Any] = {"start": _plain(unknown.start)}
    match unknown:
        case Positive():
            table["positive"] = True
        case Between(low=low, high=high):
            table["between"] = [low, high]
    return table if unknown.true is None else table | {"true": _plain(unknown.true)}


def _plain(value: Start) -> float | list[float]:
    return list(value) if isinstance(value, tuple) else value
