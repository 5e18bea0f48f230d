"""A problem solved by least squares on random features, of which there are more until the residual stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qres.fields import Model
from qres.posed.evaluator import Residuals, Term
from qres.problems import Problem
from qres.residuals import create_model
from qres.runtime.jax_config import configure
from qres.runtime.memory import free_memory

from ._bandwidth import Band, given_band
from ._features import Features, feature_network
from ._linearised import Lineariser
from ._newton import newton, worst_residual
from ._points import Arrays, draw_points
from ._search import Trial, fitting_reach, search
from ._system import System

_FIRST = {1: 64, 2: 256, 3: 512}  # features that the search for their reaches is made with, by dimensions
_MOST_COLUMNS = 4200
_UNRESOLVED = 0.03  # a residual above which the features are too few to show which ones suit
_ENOUGH = 1e-11
_GROWS_FROM = 1e-7  # a residual from which more features gain more than others do
_GAIN = 0.7  # of the residual with half as many features: where it does not fall below that, more do not help
_MEMORY = 0.4  # of what is free may be taken by one system
_SEARCHED = 2100  # columns up to which a solve is so quick that several reaches are tried
_STEPS, _FURTHER_STEPS = 15, 4  # of Newton's method from rest, and from a solution
_WORTH = 0.2  # a residual below which a solution is worth beginning with
_MARGIN = 3.0  # radians over half the box: what is added to the band of what is given
_BEHIND = 30.0  # times the best residual: features that are so far behind are given up
Tell = Callable[[Trial], object]


@dataclass(frozen=True)
class Found:
    """What came out.

    Args:
        model: the fields, as any other model: its network has one hidden layer, of random weights.
        residuals: the root mean square of each residual at held-out points, as a share of its terms.
        squares: the mean square of each there.
        features: the features that were chosen.
        count: how many there are.
        solves: how many systems were solved.
        points: of the last system, by the name of the residual.
    """

    model: Model
    residuals: Mapping[str, float]
    squares: Mapping[str, float]
    features: Features
    count: int
    solves: int
    points: Mapping[str, np.ndarray]

    @property
    def residual(self) -> float:
        """The largest of the residuals."""
        return max(self.residuals.values())


class FeatureSolver:
    """Solves one problem by least squares on random features.

    Args:
        problem: whose fields are to be found.
        seed: of features and points.
        terms: loss terms of the user's own, by name.
        is_over: whether there is no time left, for a solve that takes so many seconds.
        tell: is told of every solve.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        seed: int = 0,
        terms: Mapping[str, Term] | None = None,
        is_over: Callable[[float], bool] = lambda seconds: False,
        tell: Tell = lambda trial: None,
    ) -> None:
        configure()
        self.problem, self.seed = problem, seed
        residuals = Residuals.of(problem, conditions=problem.soft_conditions, data=problem.data, terms=terms)
        self.system = System(problem, Lineariser(problem, residuals))
        self.affine = self.system.lineariser.affine
        self.solves = 0
        self._is_over, self._tell = is_over, tell
        self._about: tuple[Model, float] | None = None  # about which a nonlinear problem is linearised
        self._pace = 0.0  # seconds for a column squared and a row

    def solve(self, features: Features | None = None, most: int = _MOST_COLUMNS) -> Found | None:
        """The best of growing numbers of features; None where none gives anything finite.

        Args:
            features: those to use; by default they are searched for.
            most: columns that a system may have.
        """
        most = min(most, self._most_columns())
        count = min(_FIRST.get(len(self.problem.coordinates), 512), most // len(self.problem.fields))
        if features is None:
            leaders = self._leaders(count, min(most, _SEARCHED))
        else:
            leaders = [one for one in [self.trial(features, count)] if one is not None]
        best = _best(leaders)
        while best is not None and best.residual > _ENOUGH and 2 * self._columns(leaders[0].count) <= most:
            leaders = [more for one in leaders if (more := self._grown(one)) is not None]
            more = _best(leaders)
            stays = more is None or more.residual > _GAIN * best.residual
            best = _best([best, *leaders])
            if stays:
                break
            leaders = [one for one in leaders if one.residual <= _BEHIND * min(x.residual for x in leaders)]
        return None if best is None else self._found(best)

    def _columns(self, count: int) -> int:
        return count * len(self.problem.fields)

    def _most_columns(self) -> int:
        """How many columns a system of three times as many rows may have, in the memory there is."""
        return max(64, int((_MEMORY * free_memory() / (8 * 2 * 5)) ** 0.5))

    def _leaders(self, count: int, most: int) -> list[Trial]:
        """The best features of each family, from a search with as many as show which ones suit."""
        found: list[Trial] = []
        while True:
            points, held = self._points(count), self._held(count)
            resolved = False
            for place, starts in enumerate(self._families(count)):
                if len(found) > place:
                    starts = [found[place].features, *starts]
                one = search(
                    lambda f: self._trial(f, count, points, held),  # noqa: B023
                    starts,
                    enough=_GROWS_FROM,
                    resolved=_UNRESOLVED,
                )
                if one is not None:
                    found[place : place + 1] = [one]
                    resolved |= one.residual <= _UNRESOLVED
                if one is not None and one.residual <= _ENOUGH:
                    return [one]
            if not found or resolved or 2 * self._columns(count) > most:
                return found
            count *= 2

    def _families(self, count: int) -> list[list[Features]]:
        """Broad steps; sines with all of the band that so many resolve, and with the band of what is given."""
        d = len(self.problem.coordinates)
        reach, band = fitting_reach(count, d), self._band
        low, high = (np.minimum(ends, 4.0 * count) for ends in band)
        middle, half = (low + high) / 2, (high - low) / 2 + _MARGIN
        narrow = low > half + _MARGIN  # a band far from zero is drawn from by itself
        sines = [
            Features("mlp", "sin", (reach,) * d),
            Features("mlp", "sin", tuple((1.25 * high + _MARGIN).tolist())),
        ]
        if np.any(narrow):
            widths = np.where(narrow, half, 1.25 * high + _MARGIN)
            centre = np.where(narrow, middle, 0.0)
            sines.append(Features("mlp", "sin", tuple(widths.tolist()), tuple(centre.tolist())))
        return [sines, [Features("mlp", "tanh", (reach / 16,) * d)]]

    @cached_property
    def _band(self) -> Band:
        return given_band(self.problem, self.system.lineariser)

    def _grown(self, one: Trial) -> Trial | None:
        """Twice as many features, of the same reach or a wider one."""
        count, d = 2 * one.count, len(one.features.reach)
        tried = [self.trial(one.features.scaled((2 ** (1 / d),) * d), count)]
        if self._columns(count) <= _SEARCHED:
            tried.append(self.trial(one.features, count))
        return _best([trial for trial in tried if trial is not None])

    def trial(self, features: Features, count: int) -> Trial | None:
        """One solve; None where there is no time for it, or nothing finite is found."""
        return self._trial(features, count, self._points(count), self._held(count))

    def _trial(self, features: Features, count: int, points: Arrays, held: Arrays) -> Trial | None:
        work = self._columns(count) ** 2 * sum(x.shape[1] for x in points)
        if self._is_over(self._pace * work):
            return None
        begun = time.perf_counter()
        network = feature_network(self.problem, features, count, self.seed)
        model = create_model(self.problem, network)
        solved = self._linear(model, points, held) if self.affine else self._nonlinear(model, points, held)
        self._pace, self.solves = (time.perf_counter() - begun) / work, self.solves + 1
        if solved is None:
            return None
        found = Trial(features, count, *solved)
        self._tell(found)
        return found

    def _linear(self, model: Model, points: Arrays, held: Arrays) -> tuple[Model, float] | None:
        solved = self.system.solved(model, points)
        return None if solved is None else (solved, worst_residual(self.system, solved, held))

    def _nonlinear(self, model: Model, points: Arrays, held: Arrays) -> tuple[Model, float] | None:
        """From the best solution so far, which may have other features, once there is one that is worth it."""
        about = None if self._about is None else self._about[0]
        found = newton(
            self.system, model, points, held, about=about, steps=_STEPS if about is None else _FURTHER_STEPS,
            enough=_ENOUGH, is_over=lambda: self._is_over(0.0),
        )  # fmt: skip
        if found is not None and found[1] < (_WORTH if self._about is None else self._about[1]):
            self._about = found
        return found

    def _points(self, count: int) -> Arrays:
        return draw_points(self.problem, self.system.lineariser.residuals, count, self.seed, "points")

    def _held(self, count: int) -> Arrays:
        return draw_points(
            self.problem, self.system.lineariser.residuals, max(100, count // 3), self.seed, "held"
        )

    def _found(self, best: Trial) -> Found:
        residuals, points = self.system.lineariser.residuals, self._points(best.count)
        named = {one.name: x for group, x in zip(residuals.groups, points, strict=True) for one in group}
        held = self.system.residuals(best.model, self._held(best.count))
        shares = {name: off / size for name, (off, size) in held.items()}
        squares = {name: off**2 for name, (off, _) in held.items()}
        return Found(best.model, shares, squares, best.features, best.count, self.solves, named)


def _best(trials: Sequence[Trial]) -> Trial | None:
    return min(trials, key=lambda one: one.residual, default=None)
