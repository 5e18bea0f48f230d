"""Numbers and durations formatted as HTML."""

from __future__ import annotations

import math

MINUS = "−"


def number(value: float | None, digits: int = 3) -> str:
    """A number with a power of ten where it is far from 1.

    Args:
        value: None is a dash.
        digits: significant ones.
    """
    if value is None:
        return "–"
    if not math.isfinite(value):
        return "not finite"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        short = f"{value:.{digits}g}"
        return short.replace("-", MINUS) if abs(float(short)) < 10**digits else f"{value:,.0f}"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return _power(f"{float(mantissa):g}", int(exponent))


def rounded(value: float, scale: float | None) -> str:
    """A number with as many decimals as two digits of `scale` have; six digits where there is no scale.

    Args:
        value: what is written.
        scale: its uncertainty.
    """
    if not math.isfinite(value):
        return "not finite"
    if not scale or not math.isfinite(scale):
        return number(value, 6)
    if value and not 1e-3 <= abs(value) < 1e5:
        exponent = math.floor(math.log10(abs(value)))
        places = max(0, 1 + exponent - math.floor(math.log10(scale)))
        mantissa = f"{value / 10.0**exponent:.{min(places, 12)}f}"
        return _power(mantissa, exponent)
    return _sign(f"{value:.{min(max(0, 1 - math.floor(math.log10(scale))), 12)}f}")


def duration(seconds: float | None) -> str:
    """Seconds as s, min and h."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _power(mantissa: str, exponent: int) -> str:
    return f"{_sign(mantissa)}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10<sup>{_sign(str(exponent))}</sup>"


def _sign(text: str) -> str:
    return text.replace("-", MINUS)
