"""A maximal compatible subset of faces, where data on different faces contradict each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from qres.formulas import Formula
from qres.posed import Posed

from ._ansatz import Ansatz, satisfying
from ._candidates import Candidates, Face
from ._faces import blended
from ._proof import left_soft
from ._strategy import Refusal


@dataclass(frozen=True)
class CompatibleFaces:
    """Faces in the order in which they were stated, each where it is compatible with those before."""

    def attempt(self, posed: Posed, candidates: Candidates) -> Ansatz | Refusal:
        """The blended data of the faces that agree, and why the others are left out."""
        kept: list[Face] = []
        transform: dict[str, Formula] = {}
        reasons: dict[str, str] = {}
        for face in sorted(candidates.faces, key=lambda face: face.order):
            tried = blended([*kept, face], posed)
            if tried is None:
                reasons[face.condition.name] = "meets a condition before it where one of the two has no value"
            elif left_soft([each.condition for each in [*kept, face]], tried, posed):
                reasons[face.condition.name] = "does not agree with the conditions before it where they meet"
            else:
                kept.append(face)
                transform = tried
        return replace(satisfying(kept, transform), reasons=reasons) if transform else Refusal(reasons)
