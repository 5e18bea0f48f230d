"""Names as mathematics: lambda_1 is λ with the index 1, u_xx a second derivative."""

from __future__ import annotations

import re
import unicodedata


def symbol(name: str) -> tuple[str, str]:
    """A name as its letter and its index, Greek where it spells a Greek letter: ("λ", "1"); no index is "".

    Args:
        name: of a field, a derivative, a coordinate, an unknown, or a term of the loss.
    """
    base, _, index = name.partition("_")
    if not base or not index:
        return _greek(name), ""
    return _greek(base), " ".join(_greek(part) for part in index.split("_") if part)


def label(name: str) -> str:
    r"""A name as Matplotlib's mathematics: `lambda_1` is `$λ_{1}$`; what is no name stays plain text."""
    letter, index = symbol(name)
    if not re.fullmatch(r"\w+", letter) or not re.fullmatch(r"[\w ]*", index):
        return plain(name)
    return f"${math(name)}$"


def math(name: str) -> str:
    """As `label`, without the dollar signs, to stand inside a formula."""
    letter, index = symbol(name)
    return _upright(letter) + (f"_{{{_upright(index, 3)}}}" if index else "")


def plain(text: str) -> str:
    """Text in which nothing is mathematics."""
    return text.replace("$", r"\$")


def _greek(name: str) -> str:
    size = "CAPITAL" if name[:1].isupper() else "SMALL"
    spelled = "LAMDA" if name.lower() == "lambda" else name.upper()
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {spelled}")
    except KeyError:
        return name


def _upright(text: str, longest: int = 1) -> str:
    """Words are upright, letters italic; in an index a few letters together are a derivative."""
    if len(text) <= longest:
        return text
    return r"\mathrm{" + text.replace("_", r"\_").replace(" ", r"\ ") + "}"
