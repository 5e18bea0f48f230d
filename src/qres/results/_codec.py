"""The JSON codec: strict JSON, with an exact encoding of numbers that are not finite.

JSON has no NaN and no infinities. Here they are the strings "NaN", "Infinity" and "-Infinity", which `float()` of
Python and `Number()` of JavaScript read; a text that says the same gets a backslash in front, so that reading is exact.
Files of earlier releases have bare NaN and Infinity instead, and are read as well.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_ESCAPE = "\\"


def dumps(value: Any, *, indent: int | None = None, compact: bool = False, sort_keys: bool = False) -> str:
    """Plain data as strict JSON.

    Args:
        value: of dictionaries with texts as keys, lists, tuples, texts, numbers, booleans and None.
        indent: spaces of each level; None for a single line.
        compact: without spaces.
        sort_keys: the same text whatever the order of the keys.
    """
    separators = (",", ":") if compact else None
    return json.dumps(
        _encoded(value), indent=indent, separators=separators, sort_keys=sort_keys, allow_nan=False
    )


def loads(text: str | bytes) -> Any:
    """What `dumps` wrote; `ValueError` where the text is not JSON."""
    return _decoded(json.loads(text))


def _encoded(value: Any) -> Any:
    if isinstance(value, str):
        return _ESCAPE + value if value.lstrip(_ESCAPE) in _NUMBERS else value
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {key: _encoded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_encoded(inner) for inner in value]
    return value


def _decoded(value: Any) -> Any:
    if isinstance(value, str):
        return _NUMBERS[value] if value in _NUMBERS else _unescaped(value)
    if isinstance(value, dict):
        return {key: _decoded(inner) for key, inner in value.items()}
    return [_decoded(inner) for inner in value] if isinstance(value, list) else value


def _unescaped(text: str) -> str:
    return text[1:] if text.startswith(_ESCAPE) and text.lstrip(_ESCAPE) in _NUMBERS else text
