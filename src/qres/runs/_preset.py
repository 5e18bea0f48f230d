"""Presets: named sets of overrides of a file's settings, such as those of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qres.runtime.errors import InputError, check_keys, listed, one_of

OVERRIDDEN = ("problem", "time", "network", "optimizer", "training", "sampling", "weights")
Tables = dict[str, Any]


def with_preset(tables: Mapping[str, Any], name: str | None) -> Tables:
    """The tables of a file with those of a preset laid over them, key by key, and without the presets.

    `[preset.paper.network]` overrides keys of `[network]`, and so on; `base = "paper"` in `[preset.other]` begins from
    another preset. A table inside a section, such as `[problem.data]`, is replaced as a whole.
    """
    presets = tables.get("preset", {})
    for each in check_keys(presets, list(presets), "[preset]"):
        _check(presets, each)
    result = {section: table for section, table in tables.items() if section != "preset"}
    if name is None:
        return result
    if name not in presets:
        if not presets:
            raise InputError(f"preset {name!r}: the problem has no presets")
        one_of(name, list(presets), "preset")
    for each in _lineage(presets, name):
        result = overlaid(result, {key: table for key, table in presets[each].items() if key != "base"})
    return result


def overlaid(tables: Mapping[str, Any], overrides: Mapping[str, Mapping[str, Any]]) -> Tables:
    """The tables with others laid over them, key by key."""
    return {**tables, **{section: {**tables.get(section, {}), **over} for section, over in overrides.items()}}


def _check(presets: Mapping[str, Any], name: str) -> None:
    preset = check_keys(presets[name], ("base", *OVERRIDDEN), f"[preset.{name}]")
    for section in OVERRIDDEN:
        if not isinstance(preset.get(section, {}), Mapping):
            raise InputError(f"[preset.{name}.{section}] must be a table of keys and values")
    _lineage(presets, name)


def _lineage(presets: Mapping[str, Any], name: str) -> list[str]:
    """The presets that one is made of, the furthest first."""
    found = [name]
    while (base := presets[found[0]].get("base")) is not None:
        if base not in presets:
            raise InputError(
                f"[preset.{found[0]}] base {base!r} is not a preset; there are {listed(presets)}"
            )
        if base in found:
            raise InputError(f"presets that are based on one another in a circle: {listed(found)}")
        found.insert(0, base)
    return found
