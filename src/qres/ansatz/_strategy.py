"""The protocol of ansatz strategies: each builds an ansatz from candidates, or reports why it does not apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from qres.posed import Posed

from ._ansatz import Ansatz
from ._candidates import Candidates


@dataclass(frozen=True)
class Refusal:
    """A strategy does not apply; `reasons` say by name why conditions that it is about stay soft."""

    reasons: Mapping[str, str] = field(default_factory=dict)


class Strategy(Protocol):
    """One way to build conditions into the fields. It returns an ansatz that it has proved (`_proof.py`)."""

    def attempt(self, posed: Posed, candidates: Candidates) -> Ansatz | Refusal:
        """An ansatz that satisfies some of the candidates for every network, or why there is none."""
        ...
