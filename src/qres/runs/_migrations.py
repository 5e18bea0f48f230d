"""Migrations of specifications from older formats to the current one.

Format 1 has no number: it is that of qres 0.1, and of users' files that say none. A newer format than this version
knows is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from qres.networks import FIRST_ARCHITECTURE
from qres.runtime.errors import InputError, shorten

FORMAT = 2
NONE = "none"  # TOML has no null
Tables = dict[str, Any]
_MOVED = ("seed", "holdout", "robust", "snapshots", "starts", "balance")


@dataclass(frozen=True)
class Migration:
    """One step from a format to the next.

    Args:
        rewrite: tables, as the next format has them, and the old names that were found.
        defaults: what a saved specification of the old format leaves out, as it was then.
    """

    rewrite: Callable[[Tables], tuple[Tables, tuple[str, ...]]]
    defaults: Mapping[str, Mapping[str, Any]]


def migrated(tables: Mapping[str, Any], *, saved: bool = False) -> tuple[Tables, tuple[str, ...]]:
    """Tables of any format as those of today's, and the old names that were found in them.

    Args:
        tables: of a file, presets included.
        saved: whether they are a run's: then what they leave out is as it was in their time, not as it is today.
    """
    number = _format_of(tables)
    result, old = {name: table for name, table in tables.items() if name != "format"}, ()
    for migration in MIGRATIONS[number - 1 :]:
        result, found = migration.rewrite(result)
        old += found
        if saved:
            sections = {**migration.defaults, **result}
            result |= {s: {**migration.defaults.get(s, {}), **result.get(s, {})} for s in sections}
    return {"format": FORMAT, **result}, old


def _format_of(tables: Mapping[str, Any]) -> int:
    found = tables.get("format", 1)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise InputError(f"format must be a whole number such as {FORMAT}, not {shorten(repr(found))}")
    if found > FORMAT:
        raise InputError(
            f"the file has format {found}, and this version of qres reads up to {FORMAT}: a newer one wrote it"
        )
    return found


def _training_apart(tables: Tables) -> tuple[Tables, tuple[str, ...]]:
    """What is not the optimizer's goes from `[optimizer]` to `[training]`, in presets too."""
    result, found = _moved(tables, "")
    presets = result.get("preset")
    if isinstance(presets, Mapping):
        changed = {}
        for name, preset in presets.items():
            changed[name], more = (
                _moved(preset, f"preset.{name}.") if isinstance(preset, Mapping) else (preset, ())
            )
            found += more
        result = {**result, "preset": changed}
    return result, found


def _moved(tables: Mapping[str, Any], prefix: str) -> tuple[Tables, tuple[str, ...]]:
    optimizer, training = tables.get("optimizer"), tables.get("training", {})
    if not isinstance(optimizer, Mapping) or not isinstance(training, Mapping):
        return dict(tables), ()
    old = [key for key in _MOVED if key in optimizer]
    if twice := [key for key in old if key in training]:
        raise InputError(
            f"{twice[0]} is stated twice, in [{prefix}optimizer] and in [{prefix}training], where it belongs"
        )
    if not old:
        return dict(tables), ()
    rest = {key: value for key, value in optimizer.items() if key not in old}
    moved = {**training, **{key: optimizer[key] for key in old}}
    return {**tables, "optimizer": rest, "training": moved}, tuple(f"{prefix}optimizer.{key}" for key in old)


MIGRATIONS = (
    Migration(
        _training_apart,
        {
            "network": FIRST_ARCHITECTURE,
            "optimizer": {"iterations": NONE, "time_limit": NONE, "pace": NONE},
            "training": {"snapshots": [], "starts": 1, "balance": True, "method": "train"},
        },
    ),
)
