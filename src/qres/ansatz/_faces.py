"""Values on faces of the box: `u = g + D N`, which satisfies them whatever the network N returns.

D vanishes on the constrained faces of the box; g takes their data, blended over the box by Boolean sums
(W. J. Gordon, SIAM J. Numer. Anal. 8, 1971): for one coordinate
after another, `g ← g + P (data - g on its faces)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qres.formulas import Expression, Formula, text_of
from qres.posed import Posed

from ._ansatz import Ansatz, satisfying
from ._blending import blend
from ._candidates import Candidates, Face
from ._proof import holds
from ._strategy import Refusal


@dataclass(frozen=True)
class Faces:
    """All faces at once, where their data agree with one another."""

    def attempt(self, posed: Posed, candidates: Candidates) -> Ansatz | Refusal:
        """The blended data of all faces."""
        transform = blended(candidates.faces, posed)
        if not transform:
            return Refusal()
        found = satisfying(candidates.faces, transform)
        return found if holds(found, posed) else Refusal()


def blended(
    faces: Iterable[Face], posed: Posed, released: Mapping[tuple[str, str], float] | None = None
) -> dict[str, Formula] | None:
    """`g + D N` for each field that has faces; None where data have no value at an edge, as `sin(x)/x` has none at 0.

    Args:
        faces: with their data.
        posed: the problem.
        released: by field and coordinate, the time scale on which g is released (`_release.py`).
    """
    try:
        return _transform(list(faces), posed, released or {})
    except ArithmeticError:
        return None


def _transform(
    faces: Sequence[Face], posed: Posed, released: Mapping[tuple[str, str], float]
) -> dict[str, Formula]:
    transform = {}
    for field in posed.fields:
        along: dict[str, dict[tuple[bool, int], Expression]] = {}
        mine = sorted((face for face in faces if face.field == field), key=lambda face: -face.order)
        # The coordinate with derivatives comes first, as g is yet zero there.
        for coordinate in dict.fromkeys([*(face.coordinate for face in mine if face.order), *posed.bounds]):
            data = {(face.upper, face.order): face.data for face in mine if face.coordinate == coordinate}
            if data:
                along[coordinate] = data
        if along:
            soon = {c: time for (f, c), time in released.items() if f == field}
            expression = blend(field, along, posed.bounds, posed.constants, soon)
            transform[field] = Formula(text_of(expression), expression)
    return transform
