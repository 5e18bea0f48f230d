"""Names as mathematics: lambda_1 is λ with the index 1, u_xx a second derivative."""

from __future__ import annotations

import re

from qres.results.display import symbol

_MOST_LETTERS = 28


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


def _upright(text: str, longest: int = 1) -> str:
    """Words are upright, letters italic; in an index a few letters together are a derivative."""
    if len(text) <= longest:
        return text
    return r"\mathrm{" + text.replace("_", r"\_").replace(" ", r"\ ") + "}"
