"""Choice of the ansatz: strategies in order of preference; the first with a verified ansatz is used."""

from __future__ import annotations

from dataclasses import replace

from qres.posed import Posed
from qres.runtime.errors import InputError

from ._ansatz import Ansatz
from ._candidates import find_candidates
from ._compatible_faces import CompatibleFaces
from ._faces import Faces
from ._kink_scattering import KinkScattering
from ._kink_smoothing import KinkSmoothing
from ._kink_waves import KinkWaves
from ._proof import proved
from ._release import ReleasedFaces
from ._strategy import Strategy
from ._surfaces import Surfaces

STRATEGIES: tuple[Strategy, ...] = (
    Surfaces(),
    KinkScattering(),
    KinkWaves(),
    KinkSmoothing(),
    ReleasedFaces(),
    Faces(),
    CompatibleFaces(),
)


def choose_ansatz(posed: Posed) -> Ansatz:
    """The ansatz of the first strategy that has one; its reasons say why other conditions stay soft."""
    candidates = find_candidates(posed)
    reasons = dict(candidates.reasons)
    for strategy in STRATEGIES:
        found = strategy.attempt(posed, candidates)
        reasons |= found.reasons
        if isinstance(found, Ansatz):
            return proved(replace(found, reasons=reasons), posed)
    why = "; ".join(f"{name} {reason}" for name, reason in reasons.items()) or "there are none"
    raise InputError(f"hard = true, but no condition can be built into the network: {why}")
