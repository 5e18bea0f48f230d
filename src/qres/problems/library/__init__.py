"""The built-in problems: TOML files in the format that users write."""

from __future__ import annotations

from pathlib import Path

from qres.runtime.errors import InputError, did_you_mean, listed, shorten

_FOLDER = Path(__file__).parent


def names() -> tuple[str, ...]:
    """What there is."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


def path(name: str) -> Path:
    """The file of a built-in problem."""
    if name not in names():
        hint = did_you_mean(name, names())
        raise InputError(
            f"no built-in problem {shorten(name, 40)!r}{hint or ';'} there are {listed(names())}"
        )
    return _FOLDER / f"{name}.toml"
