"""Defaults of the architecture at the time of format 1."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

FIRST_ARCHITECTURE: Mapping[str, Any] = MappingProxyType(
    {
        "kind": "qres",
        "width": 20,
        "depth": 4,
        "activation": "tanh",
        "initializer": "xavier",
        "scaled": True,
        "harmonics": 2,
        "periodic_embedding": True,
        "fourier_features": 0,
        "fourier_scale": 1.0,
        "fourier_from": "random",
        "bias_inside": False,
        "quadratic_scale": 1.0,
        "n": 5.0,
    }
)
