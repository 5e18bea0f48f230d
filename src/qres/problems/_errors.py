"""Wrong input: one class of error, whose message is one line that names the culprit and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any


class InputError(ValueError):
    """What a person asked for cannot be done; the message is one line that says what and why."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


def shorten(text: str, limit: int = 80) -> str:
    """A text fit for a message: on one line, its middle left out where it is long."""
    text = " ".join(text[: 20 * limit].split()) if len(text) > 20 * limit else " ".join(text.split())
    return text if len(text) <= limit else f"{text[: limit // 2]} … {text[-limit // 3 :]}"


def listed(names: Iterable[str]) -> str:
    """Names in a row, or "none"."""
    return ", ".join(names) or "none"


def did_you_mean(name: str, known: Collection[str]) -> str:
    """A suggestion to end a message with: "; did you mean 'x'?", or nothing where no known name is near."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    if not near:
        near = [other for other in known if other.lower() == name.lower()][:1]
    return f"; did you mean {near[0]!r}?" if near else ""


def check_keys(table: Any, allowed: Collection[str], where: str) -> Mapping[str, Any]:
    """The table itself, once it is one and holds no key but the allowed ones."""
    if not isinstance(table, Mapping):
        raise InputError(f"{where} must be a table of {listed(allowed)}, not {shorten(repr(table))}")
    for key in table:
        if key not in allowed:
            hint = did_you_mean(str(key), allowed)
            raise InputError(
                f"unknown key {shorten(str(key))!r} in {where}{hint or ';'} allowed: {listed(allowed)}"
            )
    return table
