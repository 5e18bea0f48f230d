"""What a sweep may vary, by name: `width`, `network.width`, `problem.constants.nu`."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from qres._errors import InputError, did_you_mean, listed, shorten
from qres.networks import Architecture
from qres.objectives import Sampling
from qres.training._specification import _OPTIMIZER_KEYS as OPTIMIZER_KEYS

from ._job import MEASURED, SECTIONS

Place = tuple[str, ...]
Tables = Mapping[str, Any]
_ALSO: dict[str, Place] = {
    "network": ("network", "kind"),
    "optimizer": ("optimizer", "stages"),
    "noise": (MEASURED, "noise"),
    "data_points": (MEASURED, "points"),
    "hard": ("problem", "hard"),
}
_KNOWN: dict[str, tuple[str, ...]] = {
    "network": tuple(Architecture.__dataclass_fields__),
    "optimizer": tuple(key for key in OPTIMIZER_KEYS if key != "seed"),
    "sampling": tuple(Sampling.__dataclass_fields__),
    MEASURED: ("points", "noise"),
}
_SHORT: dict[str, Place] = {
    key: (section, key) for section in ("network", "optimizer", "sampling") for key in _KNOWN[section]
} | _ALSO


def place(name: str, tables: Tables) -> Place:
    """The section, key and inner keys that a name means for a file with these tables.

    Args:
        name: short, or with dots.
        tables: of the file; its constants have short names, too.
    """
    constants = _table(_table(tables, "problem"), "constants")
    if name in ("seed", "seeds", "optimizer.seed"):
        raise InputError(f"{name!r} is not varied by name: say how many seeds, with --seeds 5")
    if "." in name:
        return _dotted(name, constants)
    short = {**{key: ("problem", "constants", key) for key in constants}, **_SHORT}
    name = name.replace("-", "_")
    if name not in short:
        raise _unknown(name, [*short, *(section + "." for section in SECTIONS)])
    return short[name]


def _dotted(name: str, constants: Tables) -> Place:
    found = tuple(part.strip() for part in name.split("."))
    section, key = found[:2]
    if section not in SECTIONS:
        raise _unknown(name, [f"{known}.{'.'.join(found[1:])}" for known in SECTIONS])
    if not all(found) or (len(found) > 2 and section != "problem"):
        raise InputError(f"{shorten(repr(name))} cannot be varied: write section.key, such as network.width")
    if section in _KNOWN and key not in _KNOWN[section]:
        raise _unknown(name, [f"{section}.{known}" for known in _KNOWN[section]])
    if found[:2] == ("problem", "constants") and (len(found) != 3 or found[2] not in constants):
        raise _unknown(name, [f"problem.constants.{known}" for known in constants])
    return found


def _unknown(name: str, known: list[str]) -> InputError:
    hint = did_you_mean(name, known)
    return InputError(f"{shorten(repr(name))} cannot be varied{hint or ';'} allowed: {listed(known)}")


def _table(tables: Tables, key: str) -> Tables:
    found = tables.get(key, {})
    return found if isinstance(found, Mapping) else {}


def lay(overrides: dict[str, dict[str, Any]], where: Place, value: Any, tables: Tables) -> None:
    """Set a value among overrides; an inner table begins from the file's, as overrides replace it as a whole."""
    section, key, *inner = where
    table = overrides.setdefault(section, {})
    if not inner:
        table[key] = value
        return
    nested = table[key] = deepcopy(table.get(key, _table(tables, section).get(key, {})))
    for part in inner[:-1]:
        nested = nested.setdefault(part, {}) if isinstance(nested, dict) else None
    if not isinstance(nested, dict):
        raise InputError(
            f"{'.'.join(where)} cannot be varied: {section}.{key} of the file is not a table of such keys"
        )
    nested[inner[-1]] = value


def short_name(where: Place) -> str:
    """The inverse of `place`, for tables and figures."""
    for name, found in _ALSO.items():
        if found == where:
            return name
    return (
        where[-1]
        if _SHORT.get(where[-1]) == where or where[:2] == ("problem", "constants")
        else ".".join(where)
    )
