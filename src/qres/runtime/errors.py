"""Input errors: one line that names the argument, its value and what is allowed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any


class InputError(ValueError):
    """What a person asked for cannot be done; the message is one line that says what and why."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class NotConverged(InputError):
    """A reference that was asked for does not converge; a run goes on without it."""


class Failure(Exception):
    """What was asked for was right, and could not be done to the end; one line says why, and what is kept where."""

    def __init__(self, message: str, solution: Any = None) -> None:
        super().__init__(printable(message))
        self.solution = solution  # that a caller need not lose


def printable(text: str) -> str:
    """A text on one line, in which a letter that a terminal would act on, or cannot show, is written as its escape.

    Names in files may hold such letters: some clear the screen, others turn the direction of writing.
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in line
    )


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


def one_of(value: Any, allowed: Collection[str], what: str) -> str:
    """The value itself, where it is one of those allowed."""
    if value not in allowed:
        hint = did_you_mean(str(value), allowed)
        raise InputError(
            f"{what} {shorten(repr(value))} is not known{hint or ';'} allowed: {listed(allowed)}"
        )
    return value


def whole_number(value: Any, least: int, what: str) -> int:
    """The value itself, where it is a whole number and large enough."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{what} must be a whole number of {least} or more, not {shorten(repr(value))}")
    return value


def number(value: Any, what: str, *, above: float | None = None, least: float | None = None) -> float:
    """The value itself, where it is a finite number, above or at least what is asked."""
    bound = (
        f" above {above:g}" if above is not None else f" of {least:g} or more" if least is not None else ""
    )
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or (above is not None and value <= above) or (least is not None and value < least):
        raise InputError(f"{what} must be a number{bound}, not {shorten(repr(value))}")
    return value
