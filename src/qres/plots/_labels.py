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


def math(name: str, accent: str = "") -> str:
    r"""As `label`, without the dollar signs, to stand inside a formula.

    Args:
        name: a name, of letters, digits and underscores.
        accent: over the letter, such as `\hat`.
    """
    letter, index = symbol(name)
    base = f"{accent}{{{_upright(letter)}}}" if accent else _upright(letter)
    return base + (f"_{{{_upright(index, 3)}}}" if index else "")


def error_label(name: str) -> str:
    """`|û - u|` for a letter, words for a word."""
    if len(symbol(name)[0]) > 1:
        return f"error of {label(name)}"
    hat = math(name, r"\hat")
    return f"$|{hat} - {math(name)}|$"


def equals(name: str, value: float) -> str:
    """A name and its value, `$t = 0.5$`, with a power of ten where that is shorter."""
    mantissa, _, exponent = f"{float(f'{value:.3g}'):g}".partition("e")
    power = rf" \times 10^{{{int(exponent)}}}" if exponent else ""
    return f"${math(name)} = {mantissa}{power}$"


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
