"""Background functions of an ansatz (the evolution of a kink), serialized as JSON and arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from qres.runtime.errors import InputError, one_of

from ._plane_waves import PlaneWaves
from ._scattering import ScatteredWaves
from ._series import ChebyshevSeries
from ._smoothing import Smoothing
from ._waves import Waves

KINDS: dict[str, type[Any]] = {
    "plane": PlaneWaves,
    "scattered": ScatteredWaves,
    "smoothing": Smoothing,
    "series": ChebyshevSeries,
}
_MOST_PARTS = 1000


def background_state(function: Any, name: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """A function of the coordinates as plain data; its arrays have names that begin with the one given."""
    parts = function.parts if isinstance(function, Waves) else (function,)
    arrays: dict[str, np.ndarray] = {}
    kept = []
    for number, part in enumerate(parts):
        kind = next(kind for kind, cls in KINDS.items() if isinstance(part, cls))
        values: dict[str, Any] = {}
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, np.ndarray):
                arrays[f"{name}.{number}.{field.name}"] = _real(value)
                values[field.name] = {"array": "complex" if np.iscomplexobj(value) else "real"}
            else:
                values[field.name] = [value.real, value.imag] if isinstance(value, complex) else value
        kept.append({"kind": kind, "values": values})
    return {"waves": isinstance(function, Waves), "parts": kept}, arrays


def background_from(
    state: Mapping[str, Any], name: str, arrays: Mapping[str, np.ndarray], coordinates: tuple[str, ...]
) -> Callable[..., Any]:
    """The function that was saved."""
    if not 1 <= len(state["parts"]) <= _MOST_PARTS:
        raise InputError(f"{name} has {len(state['parts'])} parts")
    parts = []
    for number, part in enumerate(state["parts"]):
        cls = KINDS[one_of(part["kind"], KINDS, "a kind of background,")]
        values = {}
        for field in fields(cls):
            value = part["values"][field.name]
            if isinstance(value, Mapping):
                value = _complex(arrays[f"{name}.{number}.{field.name}"], value["array"] == "complex")
            elif field.name == "factor":
                value = complex(*value)
            elif isinstance(value, list):
                value = tuple(float(one) for one in value)
            values[field.name] = value
        if len(values["origin"]) != len(coordinates):
            raise InputError(f"{name} is about {len(values['origin'])} coordinates, not {len(coordinates)}")
        parts.append(cls(**values))
    if not state["waves"] and len(parts) != 1:
        raise InputError(f"{name} has {len(parts)} parts, of one")
    return Waves(tuple(parts)) if state["waves"] else parts[0]


def _real(array: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs, which the file can hold."""
    return np.stack([np.real(array), np.imag(array)], axis=-1) if np.iscomplexobj(array) else array


def _complex(array: np.ndarray, is_complex: bool) -> np.ndarray:
    return array[..., 0] + 1j * array[..., 1] if is_complex else array
