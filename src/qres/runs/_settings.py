"""Settings of a file by name, `width`, `network.width`, `problem.constants.nu`, and their overrides."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from qres.geometry import Sampling
from qres.networks import Architecture
from qres.runtime.errors import InputError, did_you_mean, listed, shorten

from ._preset import OVERRIDDEN

OPTIMIZER_KEYS = ("stages", "iterations", "time_limit", "tolerance", "pace")
TRAINING_KEYS = ("method", "seed", "holdout", "robust", "snapshots", "starts", "balance", "terms")
Place = tuple[str, ...]
Tables = Mapping[str, Any]
_KNOWN: dict[str, tuple[str, ...]] = {
    "network": tuple(Architecture.__dataclass_fields__),
    "optimizer": OPTIMIZER_KEYS,
    "training": TRAINING_KEYS,
    "sampling": tuple(Sampling.__dataclass_fields__),
}
_STATED = (
    "equations", "domain", "conditions", "periodic", "constants", "definitions", "transform", "inside",
)  # fmt: skip
_SHORT: dict[str, Place] = {
    **{key: (section, key) for section, keys in _KNOWN.items() for key in keys},
    **{key: ("problem", key) for key in ("name", "hard", "periodic", "inside", "reference")},
    "network": ("network", "kind"),
    "optimizer": ("optimizer", "stages"),
}


def place(name: str, tables: Tables) -> Place:
    """The section, key and inner keys that a name means for a file with these tables.

    Args:
        name: short, or with dots.
        tables: of the file; its constants have short names, too.
    """
    constants = _table(_table(tables, "problem"), "constants")
    if "." in name:
        return _dotted(name, constants)
    if name in constants and name in _SHORT:
        raise InputError(f"{name}: say which is meant, problem.constants.{name} or {'.'.join(_SHORT[name])}")
    if name in constants:
        return ("problem", "constants", name)
    name = name.replace("-", "_")
    if name not in _SHORT:
        raise unknown(name, [*constants, *_SHORT, *(section + "." for section in OVERRIDDEN)])
    return _SHORT[name]


def _dotted(name: str, constants: Tables) -> Place:
    found = tuple(part.strip() for part in name.split("."))
    section, key = found[:2]
    if section not in OVERRIDDEN:
        raise unknown(name, [f"{known}.{'.'.join(found[1:])}" for known in OVERRIDDEN])
    if not all(found) or (len(found) > 2 and section != "problem"):
        raise InputError(f"{shorten(repr(name))} is no setting: write section.key, such as network.width")
    if section in _KNOWN and key not in _KNOWN[section]:
        raise unknown(name, [f"{section}.{known}" for known in _KNOWN[section]])
    if found[:2] == ("problem", "constants") and (len(found) != 3 or found[2] not in constants):
        raise unknown(name, [f"problem.constants.{known}" for known in constants])
    return found


def unknown(name: str, known: list[str]) -> InputError:
    """An error for a name that is no setting, with the one that is perhaps meant."""
    hint = did_you_mean(name, known)
    return InputError(f"{shorten(repr(name))} is no setting{hint or ';'} allowed: {listed(known)}")


def _table(tables: Tables, key: str) -> Tables:
    found = tables.get(key, {})
    return found if isinstance(found, Mapping) else {}


def set_override(overrides: dict[str, dict[str, Any]], where: Place, value: Any, tables: Tables) -> None:
    """Set a value among overrides; an inner table begins from the file's, as overrides replace it as a whole.

    A reference that is stored, for the problem as the file has it, does not hold for another, and is left out.
    """
    section, key, *inner = where
    table = overrides.setdefault(section, {})
    if section == "problem" and key in _STATED and _is_stored(_table(tables, "problem").get("reference")):
        table.setdefault("reference", None)
    if not inner:
        table[key] = value
        return
    nested = table[key] = deepcopy(table.get(key, _table(tables, section).get(key, {})))
    for part in inner[:-1]:
        nested = nested.setdefault(part, {}) if isinstance(nested, dict) else None
    if not isinstance(nested, dict):
        raise InputError(
            f"{'.'.join(where)} is no setting: {section}.{key} of the file is not a table of such keys"
        )
    nested[inner[-1]] = value


def _is_stored(reference: Any) -> bool:
    return reference is not None and reference != "spectral"


def overrides_from(tables: Tables, settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What lies over the tables of a file with these settings, by section."""
    overrides: dict[str, dict[str, Any]] = {}
    for name, value in settings.items():
        set_override(overrides, place(name, tables), value, tables)
    return drop_hidden_widths(overrides, tables)


def drop_hidden_widths(overrides: dict[str, dict[str, Any]], tables: Tables) -> dict[str, dict[str, Any]]:
    """Overrides with the file's `hidden` widths put aside where another width or depth is asked for."""
    network = overrides.get("network", {})
    asked = ("width" in network or "depth" in network) and "hidden" not in network
    if asked and "hidden" in _table(tables, "network"):
        return {**overrides, "network": {**network, "hidden": None}}
    return overrides


def short_name(where: Place) -> str:
    """The inverse of `place`, for tables and figures."""
    shorter = [name for name, found in _SHORT.items() if found == where]
    if shorter:
        return shorter[-1]
    return where[-1] if where[:2] == ("problem", "constants") else ".".join(where)
