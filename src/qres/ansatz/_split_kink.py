"""Initial data with a kink, taken apart: `u = g̃ + w + (t/T) N`, with smooth data and what comes of the kink."""

from __future__ import annotations

from collections.abc import Mapping

from qres.formulas import Background, Expression, Name, minus, number, plus, power, times
from qres.posed import Posed

from ._kinks import find_kink
from ._smoothing import smoothing_of
from ._waves import waves_of


def carried(
    data: Mapping[str, Expression], posed: Posed
) -> tuple[dict[str, Expression], dict[str, Expression]] | None:
    """The initial data without their kink, and what comes of it, by field; None where there is none to carry.

    Args:
        data: what every field is at the lower end of t, as formulas of the other coordinate.
        posed: the problem's bounds, periodic coordinates, equations, definitions and unknowns.
    """
    kink = find_kink(data, posed)
    if kink is None:
        return None
    name, found = "waves", waves_of(kink)
    if found is None:
        name, found = "smoothing", smoothing_of(kink)
    if found is None:
        return None
    parabola = _parabola(kink.space, *kink.bounds[kink.space])
    smooth = {
        field: plus(data[field], times(number(float(jump) / (2 * kink.period)), parabola))
        for field, jump in zip(posed.fields, kink.jumps, strict=True)
    }
    return smooth, {
        field: Background(f"{name}_{field}", function, posed.coordinates)
        for field, function in zip(posed.fields, found, strict=True)
    }


def _parabola(x: str, low: float, high: float) -> Expression:
    """`P² B₂((x - low)/P) = (x - low)² - P (x - low) + P²/6`, whose slope jumps by -2P."""
    period, xi = high - low, minus(Name(x), number(low))
    return plus(plus(power(xi, 2), times(number(-period), xi)), number(period**2 / 6))
