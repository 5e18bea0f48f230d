"""Files: a problem and how to solve it, as TOML."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from qres.runtime.errors import InputError, check_keys, shorten

SECTIONS = ("problem", "time", "network", "optimizer", "training", "sampling", "weights", "preset", "run")
LARGEST_FILE = 1_000_000


def read_toml(path: str | Path) -> dict[str, Any]:
    """The sections of a file, and its `format`; what is in them is checked where it is used."""
    path = Path(path)
    shown = shorten(str(path))
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(
                f"{shown} has {path.stat().st_size:,} bytes; at most {LARGEST_FILE:,} are allowed"
            )
        text = path.read_bytes().decode("utf-8")
        tables = tomllib.loads(text)
    except FileNotFoundError:
        raise InputError(f"no such file: {shown}") from None
    except IsADirectoryError:
        raise InputError(f"{shown} is a folder, not a file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{shown} is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{shown} is not valid TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{shown} is nested too deeply") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {shown}: {error}") from None
    check_keys(tables, ("format", *SECTIONS), shown)
    for section, table in tables.items():
        if section != "format" and not isinstance(table, dict):
            raise InputError(f"{shown}: {section} must be a section, [{section}], not {shorten(repr(table))}")
    if "problem" not in tables:
        raise InputError(f"{shown} has no [problem] section")
    return tables
