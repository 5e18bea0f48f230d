"""Collocation points: built-in methods, and residual-based adaptive resampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int, PRNGKeyArray

from qres.runtime.errors import InputError, check_keys, number, whole_number
from qres.runtime.random import generator

from ._sampler import SAMPLERS


@dataclass(frozen=True)
class Sampling:
    """How many points, where, and how often they are resampled.

    The method "data" takes the points of the measurements; a method may also be the name of a registered sampler
    (`qres.extend.register_sampler`), which then draws the points of the equations.

    Every `resample_every` iterations the points of the equations are drawn from a pool `pool` times as large, with
    probability `∝ |r|^power / mean + floor` of the residual r (Wu et al. 2023): 0 keeps the points. With `adaptive`
    these numbers are the most: a run begins with fewer points for fewer iterations, and fresh points say when there
    should be more.
    """

    points: int = 4000
    condition_points: int = 100
    method: str = "lhs"
    resample_every: int = 400
    pool: int = 10
    power: float = 1.0
    floor: float = 0.2
    adaptive: bool = True

    def __post_init__(self) -> None:
        SAMPLERS.check(self.method)
        for name, least in (("points", 1), ("condition_points", 1), ("resample_every", 0), ("pool", 1)):
            whole_number(getattr(self, name), least, f"[sampling] {name}")
        for name in ("power", "floor"):
            number(getattr(self, name), f"[sampling] {name}", least=0)
        if not isinstance(self.adaptive, bool):
            raise InputError(f"[sampling] adaptive must be true or false, not {self.adaptive!r}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @staticmethod
    def from_dict(table: dict[str, Any]) -> Sampling:
        """The inverse of `to_dict`; an unknown key is an error."""
        return replace(Sampling(), **check_keys(table, Sampling.__dataclass_fields__, "[sampling]"))


def unit_points(method: str, count: int, dimension: int, key: PRNGKeyArray) -> Float[np.ndarray, "d n"]:
    """Points of the unit cube, features first. A grid has at least `count` points, the faces included."""
    if dimension == 0:
        return np.zeros((0, 1))
    if method == "grid":
        side = max(2, int(np.ceil(count ** (1 / dimension) - 1e-9)))
        axes = np.meshgrid(*[np.linspace(0, 1, side)] * dimension, indexing="ij")
        return np.stack([axis.ravel() for axis in axes])
    random = generator(key)
    if method == "sobol":
        from scipy.stats import qmc  # a second to import

        power = max(0, int(np.ceil(np.log2(count))))
        return qmc.Sobol(dimension, rng=random).random_base2(power)[:count].T
    within = random.random((dimension, count))
    if method == "uniform":
        return within
    # Latin hypercube: along each coordinate, one point in each of `count` equal parts.
    parts = random.permuted(np.tile(np.arange(count), (dimension, 1)), axis=1)
    return (parts + within) / count


def points_in(
    lower: tuple[float, ...],
    upper: tuple[float, ...],
    free: tuple[bool, ...],
    method: str,
    count: int,
    key: PRNGKeyArray,
) -> Float[np.ndarray, "d n"]:
    """Points of a box, or of a part of it: coordinates that are not free stand at their lower bound."""
    unit = unit_points(method, count, sum(free), key)
    rows = iter(unit)
    return np.stack(
        [
            a + (b - a) * next(rows) if is_free else np.full(unit.shape[1], a)
            for a, b, is_free in zip(lower, upper, free, strict=True)
        ]
    )


class Pool(NamedTuple):
    """A pool of fresh collocation points to choose from."""

    sampling: Sampling
    points: Float[np.ndarray, "d n"]
    size: Float[np.ndarray, " n"]  # of the residuals there, in their units
    excess: float  # their mean square over that at the points trained on
    resampled: Callable[[int, PRNGKeyArray], Float[np.ndarray, "d n"]] | None = (
        None  # by a sampler of the user's
    )

    def chosen(self, count: int, key: PRNGKeyArray) -> Float[np.ndarray, "d count"]:
        """`count` of the points, more of them where residuals are large."""
        if self.resampled is not None:
            return self.resampled(count, key)
        places = choose(key, self.points, self.size, count, self.sampling.power, self.sampling.floor)
        return self.points[:, places]


def choose(
    key: PRNGKeyArray,
    points: Float[np.ndarray, "d pool"],
    size: Float[np.ndarray, " pool"],
    count: int,
    power: float,
    floor: float,
) -> Int[np.ndarray, " count"]:
    """Which points of a pool to keep, without repetition, with probability `∝ size^power / mean + floor`.

    The pool is walked through along a curve that fills space, and a point is taken whenever the probabilities have
    summed up to one more. So every part of the domain gets its share; independent draws would scatter about it, and
    late in a run the error of the solution jumps with them.
    """
    sound = np.isfinite(size)  # where a formula has no value, nothing can be asked of it
    sharpened = np.where(sound, size, 0.0) ** power
    weight = np.where(sound, sharpened / max(np.mean(sharpened), np.finfo(float).tiny) + floor, 0.0)
    order = _along_curve(points)
    passed = np.cumsum(_shares(weight, count)[order])
    marks = (np.arange(count) + generator(key).random()) / count * passed[-1]
    return np.sort(order[np.searchsorted(passed, marks)])


def _shares(weight: Float[np.ndarray, " pool"], count: int) -> Float[np.ndarray, " pool"]:
    """Probabilities that sum up to a count, in proportion to weights where that is not more than one."""
    weight = weight + max(1e-12 * float(np.max(weight)), np.finfo(float).tiny)
    share = count * weight / np.sum(weight)
    while np.any(share > 1):
        rest = share < 1
        share[~rest] = 1.0
        share[rest] *= (count - np.count_nonzero(~rest)) / max(np.sum(share[rest]), np.finfo(float).tiny)
    return share


def _along_curve(points: Float[np.ndarray, "d n"]) -> Int[np.ndarray, " n"]:
    """The order of points along Morton's curve, which has neighbours in space near each other."""
    bits = min(16, 32 // len(points))
    lower, upper = points.min(axis=1, keepdims=True), points.max(axis=1, keepdims=True)
    cells = (points - lower) / np.where(upper > lower, upper - lower, 1.0) * (2**bits - 1)
    code = np.zeros(points.shape[1], np.uint32)
    for row, cell in enumerate(cells.astype(np.uint32)):
        for bit in range(bits):
            code |= (cell >> bit & 1) << (bit * len(points) + row)
    return np.argsort(code, kind="stable")


def points_on_face(count: int, free: int) -> int:
    """Points of a condition: as many along a line, more over a face."""
    return count if free <= 1 else count * 4 ** (free - 1)
