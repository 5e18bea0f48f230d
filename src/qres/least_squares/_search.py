"""The features that suit a problem: reaches along the coordinates, found by solving it at small size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qres.fields import Model

from ._features import Features

_ROUNDS = (2.0, 2.0, 2.0**0.5)  # by which reaches are changed, round by round
_LEAST = 0.25  # radians over half the box: a smaller reach is as good as none
_BETTER = 0.8  # of the best so far: what counts as better


@dataclass(frozen=True)
class Trial:
    """One solve: its features, how many, the model, and the largest of its residuals at held-out points."""

    features: Features
    count: int
    model: Model
    residual: float

    def beats(self, other: Trial | None) -> bool:
        """Whether it is better than another by more than chance."""
        return other is None or self.residual < _BETTER * other.residual


Judge = Callable[[Features], Trial | None]  # None where there is no time left


def fitting_reach(count: int, dimensions: int) -> float:
    """The reach of so many sine features whose band a box of two units a side takes half of the features for."""
    return float(np.pi / 2 * (count / 2) ** (1 / dimensions))


def neighbours(features: Features, step: float) -> Iterator[Features]:
    """Features with other reaches: of all coordinates, of each by itself, and of one against another."""
    d = len(features.reach)
    for factor in (step, 1 / step):
        if d > 1:
            yield features.scaled((factor,) * d)
        for i in range(d):
            yield features.scaled(tuple(factor if i == k else 1.0 for k in range(d)))
        for i in range(d):
            for j in range(i + 1, d):
                yield features.scaled(
                    tuple(factor if k == i else 1 / factor if k == j else 1.0 for k in range(d))
                )


def search(
    judge: Judge, starts: Sequence[Features], *, enough: float = 0.0, resolved: float = np.inf
) -> Trial | None:
    """The best of several starts and what descent from it in the reaches finds.

    Args:
        judge: solves with some features.
        starts: to begin with.
        enough: a residual that ends the search.
        resolved: one above which no descent is made, as features that are too few all do about as badly.
    """
    best: Trial | None = None
    seen: set[Features] = set()

    def tried(features: Features) -> Trial | None:
        if features in seen or min(features.reach) < _LEAST:
            return None
        seen.add(features)
        return judge(features)

    for features in starts:
        found = tried(features)
        if found is not None and found.beats(best):
            best = found
    for step in _ROUNDS:
        if best is None or not enough < best.residual <= resolved:
            break
        for features in neighbours(best.features, step):
            found = tried(features)
            if found is not None and found.beats(best):
                best = found
    return best
