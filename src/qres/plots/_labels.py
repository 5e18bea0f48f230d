"""Names as mathematics: lambda_1 is λ with the index 1, u_xx a second derivative."""

from __future__ import annotations

import re
import unicodedata

_MOST_LETTERS = 28


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
    return f"${_math(name)}$" if _is_name(name) else plain(name)


def error_label(name: str) -> str:
    """`|û - u|` for a letter, words for anything longer."""
    if not _is_name(name) or len(symbol(name)[0]) > 1:
        return f"error of {label(name)}"
    hat = _math(name, r"\hat")
    return f"$|{hat} - {_math(name)}|$"


def equals(name: str, value: float) -> str:
    """A name and its value, `$t = 0.5$`, with a power of ten where that is shorter."""
    mantissa, _, exponent = f"{float(f'{value:.3g}'):g}".partition("e")
    power = rf" \times 10^{{{int(exponent)}}}" if exponent else ""
    return f"{label(name)} = ${mantissa}{power}$"


def plain(text: str) -> str:
    """Text in which nothing is mathematics, and which leaves room for the picture."""
    short = text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
    return short.replace("$", r"\$")


def _math(name: str, accent: str = "") -> str:
    letter, index = symbol(name)
    base = f"{accent}{{{_upright(letter)}}}" if accent else _upright(letter)
    return base + (f"_{{{_upright(index, 3)}}}" if index else "")


def _is_name(text: str) -> bool:
    return len(text) <= _MOST_LETTERS and re.fullmatch(r"[^\W\d_]\w*", text) is not None


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
