"""How long to measure: in full, or just to see that everything works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """Rounds, and seconds for each variant in a round."""

    rounds: int
    seconds: float
    points: int  # of collocation, where the issue says 10000
    seeds: int
    quick: bool = False


FULL = Pace(rounds=12, seconds=0.6, points=10_000, seeds=3)
QUICK = Pace(rounds=2, seconds=0.05, points=1_000, seeds=1, quick=True)
