"""Names as mathematics: lambda_1 is λ with the index 1."""

from __future__ import annotations

import unicodedata
from html import escape


def symbol(name: str) -> tuple[str, str]:
    """A name as its letter and its index, Greek where it spells a Greek letter: ("λ", "1"); no index is "".

    Args:
        name: of a field, a derivative, a coordinate, an unknown, or a term of the loss.
    """
    base, _, index = name.partition("_")
    if not base or not index:
        return _greek(name), ""
    return _greek(base), " ".join(_greek(part) for part in index.split("_") if part)


def name(text: str) -> str:
    """A name as HTML: an italic letter, Greek where it spells one, with its index."""
    letter, index = symbol(text)
    style = "i" if len(letter) == 1 else "span"
    lower = f"<sub>{escape(index)}</sub>" if index else ""
    return f"<{style}>{escape(letter)}</{style}>{lower}"


def _greek(name: str) -> str:
    size = "CAPITAL" if name[:1].isupper() else "SMALL"
    spelled = "LAMDA" if name.lower() == "lambda" else name.upper()
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {spelled}")
    except KeyError:
        return name
