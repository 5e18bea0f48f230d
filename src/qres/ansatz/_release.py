"""Fast initial transients: the time scale on which a solution departs from its initial value and velocity.

With `u = g + (t/T)² N`, an output N of size one moves u by as much over the whole time T. A wave of many periods asks
for an N of size a hundred at first that falls as 1/t², which no network learns well. There the factor is `tanh(t/τ)²`
instead, with the time τ in which u moves by its own size, and N is of that size throughout. Measured on
`examples/wave-modes.toml`: an error of 0.1 after five minutes became 2e-5 after one, with two seeds of three. Where
only values are given, the factor t/T is better left alone: N falls as 1/t there, and convection at speed 50 was learnt
more slowly with a tanh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from qres.formulas import Formula
from qres.jets import Jet
from qres.posed import Posed, rows_of, values_near_start
from qres.posed.evaluator import Outputs, Residuals, Transformed

from ._ansatz import Ansatz, satisfying
from ._candidates import Candidates, Face
from ._faces import blended
from ._proof import holds
from ._strategy import Refusal

Rows = Float[np.ndarray, "rows n"]
_POINTS = 64
_FAST = 10.0  # times its own size that a solution would move by, at its first pace, over the whole of a coordinate


@dataclass(frozen=True)
class ReleasedFaces:
    """All faces at once, where fields leave the value and slope given at the lower end of a coordinate fast."""

    def attempt(self, posed: Posed, candidates: Candidates) -> Ansatz | Refusal:
        """The blended data of all faces, with `tanh(t/τ)` in place of t/T."""
        both = {coordinate: _with_slopes(coordinate, candidates.faces, posed) for coordinate in posed.bounds}
        if not any(both.values()):
            return Refusal()
        plain = blended(candidates.faces, posed)
        # Data without a value, or that contradict one another, say nothing of how fast a solution leaves them.
        if plain is None or not holds(satisfying(candidates.faces, plain), posed):
            return Refusal()
        released: dict[tuple[str, str], float] = {}
        for coordinate, fields in both.items():
            time = release(plain, coordinate, fields, posed) if fields else None
            released |= {(field, coordinate): time for field in fields} if time else {}
        transform = blended(candidates.faces, posed, released) if released else None
        if transform is None:
            return Refusal()
        found = satisfying(candidates.faces, transform)
        return found if holds(found, posed) else Refusal()


def _with_slopes(coordinate: str, faces: Sequence[Face], posed: Posed) -> list[str]:
    """The fields whose value and slope are given at the lower end of a coordinate, and nothing at the upper."""
    mine = [face for face in faces if face.coordinate == coordinate]
    given = {f: [face.upper for face in mine if face.field == f] for f in posed.fields}
    return [f for f, sides in given.items() if sides == [False, False]]


def release(
    transform: Mapping[str, Formula],
    coordinate: str,
    fields: Sequence[str],
    posed: Posed,
) -> float | None:
    """The time τ in which one of the fields leaves what is given at the lower end of a coordinate; None if it is long.

    The outputs that the equations ask for at that end would move the fields so far over the whole coordinate; set
    against their sizes, that is the pace. What one field does first, others that are coupled to it do next, so the
    fastest counts for all.

    Args:
        transform: `g + (t/T)² N` for each of the fields.
        coordinate: along which their values and slopes are given at the lower end, and nothing at the upper.
        fields: which they are.
        posed: the problem's bounds, equations, definitions and unknowns.
    """
    unknowns, equations = values_near_start(posed.unknowns), Residuals.of(posed)

    def source(raw: Outputs) -> Transformed:
        return Transformed(posed, transform, raw, unknowns)

    truncation = equations.needed(source(Outputs.recorded(posed)))

    def at(end: int, moved: str | None) -> tuple[Rows, Rows]:
        """Residuals and fields at an end of the coordinate, with outputs 0 but for one that is 1."""
        points = _points(coordinate, posed.bounds[coordinate][end], posed.bounds)
        coordinates = {name: Jet.coordinate(truncation, name, values) for name, values in points.items()}
        raw = {
            name: Jet.constant(truncation, np.full(_POINTS, float(name == moved))) for name in posed.fields
        }
        values = source(Outputs(raw))(coordinates)
        found = equations.everywhere(values, coordinates, unknowns)
        return rows_of(found, _POINTS), rows_of([values[name] for name in fields], _POINTS)

    still, values = at(0, None)
    slopes = np.stack([at(0, name)[0] - still for name in fields], axis=1)
    outputs = -np.einsum("nfe,en->fn", np.linalg.pinv(slopes.transpose(2, 0, 1)), still)
    response = np.stack([at(1, name)[1][k] for k, name in enumerate(fields)]) - at(1, None)[1]
    moves, sizes = [_rms(row) for row in outputs * response], [_rms(row) for row in values]
    largest = max(sizes)
    pace = max(move / (size or largest) for move, size in zip(moves, sizes, strict=True)) if largest else 0.0
    low, high = posed.bounds[coordinate]
    return float(f"{(high - low) / pace**0.5:.2g}") if pace > _FAST else None


def _points(
    coordinate: str, value: float, bounds: Mapping[str, tuple[float, float]]
) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    drawn = {name: random.uniform(low, high, _POINTS) for name, (low, high) in bounds.items()}
    return drawn | {coordinate: np.full(_POINTS, value)}


def _rms(values: np.ndarray) -> float:
    """0 where there is something that has no value, which proves nothing."""
    return float(np.sqrt(np.mean(values**2))) if np.all(np.isfinite(values)) else 0.0
