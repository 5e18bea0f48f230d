"""Kinks carried by dispersive waves, with scattering of the long waves by variable coefficients."""

from __future__ import annotations

from dataclasses import dataclass

from qres.ansatz.kinks import scattered_waves_of
from qres.posed import Posed

from ._ansatz import Ansatz
from ._candidates import Candidates
from ._split_kink import split_off_kink
from ._strategy import Refusal


@dataclass(frozen=True)
class KinkScattering:
    """Initial data without their kink, and what the equations make of it (`_waves.py`)."""

    def attempt(self, posed: Posed, candidates: Candidates) -> Ansatz | Refusal:
        """The ansatz, where periodic initial data have a kink and the equations evolve it so."""
        return split_off_kink(posed, candidates, "waves", scattered_waves_of)
