"""Initial data with a kink: `u = g̃ + w + (t/T) N`, with smoothed data g̃ and the evolution w of the kink."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qres.ansatz.kinks import Kink
from qres.formulas import Background, Expression, Formula, Name, minus, number, plus, power, text_of, times
from qres.posed import Posed

from ._ansatz import Ansatz, satisfying
from ._candidates import Candidates
from ._faces import blended
from ._proof import holds
from ._strategy import Refusal


def split_off_kink(
    posed: Posed,
    candidates: Candidates,
    name: str,
    evolution: Callable[[Kink], Sequence[Callable[..., Any]] | None],
) -> Ansatz | Refusal:
    """The ansatz of initial data with a kink, or a refusal where there is none, or the equations do not evolve it so.

    Args:
        posed: the problem.
        candidates: of which all faces are initial data.
        name: of the known functions, in front of their field.
        evolution: what comes of a kink, one function of the coordinates for each field; None where it does not apply.
    """
    kink = candidates.kink
    found = None if kink is None else evolution(kink)
    if kink is None or found is None:
        return Refusal()
    parabola = _parabola(kink.space, *kink.bounds[kink.space])
    pieces = {
        field: times(number(float(jump) / (2 * kink.period)), parabola)
        for field, jump in zip(posed.fields, kink.jumps, strict=True)
    }
    smooth = [replace(face, data=plus(face.data, pieces[face.field])) for face in candidates.faces]
    transform = blended(smooth, posed)
    # At first a background is the kink itself, up to the waves that are left out: that it is a parabola is proved.
    initially = {field: times(number(-1.0), piece) for field, piece in pieces.items()}
    if not transform or not holds(satisfying(candidates.faces, _added(initially, transform)), posed):
        return Refusal()
    later = {
        field: Background(f"{name}_{field}", function, posed.coordinates)
        for field, function in zip(posed.fields, found, strict=True)
    }
    return satisfying(candidates.faces, _added(later, transform))


def _added(kinks: Mapping[str, Expression], transform: Mapping[str, Formula]) -> dict[str, Formula]:
    sums = {field: plus(kinks[field], formula.left) for field, formula in transform.items()}
    return {field: Formula(text_of(total), total) for field, total in sums.items()}


def _parabola(x: str, low: float, high: float) -> Expression:
    """`P² B₂((x - low)/P) = (x - low)² - P (x - low) + P²/6`, whose slope jumps by -2P."""
    period, xi = high - low, minus(Name(x), number(low))
    return plus(plus(power(xi, 2), times(number(-period), xi)), number(period**2 / 6))
