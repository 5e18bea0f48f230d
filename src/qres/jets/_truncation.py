"""The Taylor coefficients of a jet, and the index tables of their arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from qres.runtime.errors import InputError

MultiIndex = tuple[int, ...]


def below(index: MultiIndex) -> Iterator[MultiIndex]:
    """All multi-indices that are nowhere larger, the index itself included."""
    return itertools.product(*(range(order + 1) for order in index))


def plus(a: MultiIndex, b: MultiIndex) -> MultiIndex:
    """The sum of two multi-indices."""
    return tuple(i + j for i, j in zip(a, b, strict=True))


def minus(a: MultiIndex, b: MultiIndex) -> MultiIndex:
    """The difference of two multi-indices."""
    return tuple(i - j for i, j in zip(a, b, strict=True))


def factorial(index: MultiIndex) -> int:
    """`k! = k_1! k_2! …`, the ratio of a derivative to its Taylor coefficient."""
    return math.prod(math.factorial(order) for order in index)


def index_of(name: str, coordinates: tuple[str, ...]) -> MultiIndex | None:
    """The multi-index that a run of coordinate names spells (`"xxt"`), or None where it spells none.

    Raises InputError when it can be read in two ways that differ.
    """
    readings = set(_readings(name, coordinates))
    if len(readings) > 1:
        raise InputError(
            f"derivative {name!r} can be read in several ways with coordinates {', '.join(coordinates)}"
        )
    return readings.pop() if readings else None


def _readings(name: str, coordinates: tuple[str, ...]) -> Iterator[MultiIndex]:
    if not name:
        yield (0,) * len(coordinates)
    for place, coordinate in enumerate(coordinates):
        if name.startswith(coordinate):
            unit = tuple(int(place == other) for other in range(len(coordinates)))
            for rest in _readings(name[len(coordinate) :], coordinates):
                yield plus(unit, rest)


Combination = tuple[tuple[float, MultiIndex], ...]


def weight_of(combination: Combination, index: MultiIndex) -> float:
    """The factor of a multi-index in a combination."""
    return sum(a for a, k in combination if k == index)


@dataclass(frozen=True)
class Truncation:
    """A downward-closed set of multi-indices over named coordinates, in graded order.

    Build it with `Truncation.closure`, which closes and orders whatever indices it is given. After the coefficients of
    these may come linear combinations of further, highest ones, `Σ a_k u_k`, which have no coefficients of their own
    (`combined`): sums, products and elementary functions are linear in each highest coefficient, and so in these.
    """

    coordinates: tuple[str, ...]
    indices: tuple[MultiIndex, ...]
    combinations: tuple[Combination, ...] = ()

    @staticmethod
    def closure(coordinates: tuple[str, ...], indices: Iterable[MultiIndex]) -> Truncation:
        """The smallest truncation that holds the value and all the indices given."""
        return _closure(coordinates, frozenset(indices))

    def __len__(self) -> int:
        return len(self.indices) + len(self.combinations)

    @property
    def highest(self) -> tuple[MultiIndex, ...]:
        """The multi-indices that no other one of the set is above of, but for the value."""
        return tuple(
            k
            for k in self.indices
            if any(k) and not any(k != other and k in below(other) for other in self.indices)
        )

    def combined(self, combinations: tuple[Combination, ...]) -> Truncation:
        """The same with combinations in place of all the highest coefficients."""
        highest = self.highest
        return Truncation(self.coordinates, tuple(k for k in self.indices if k not in highest), combinations)

    @cached_property
    def position(self) -> dict[MultiIndex, int]:
        """Where each multi-index stands."""
        return {index: place for place, index in enumerate(self.indices)}

    @cached_property
    def products(self) -> tuple[tuple[tuple[float, int, int], ...], ...]:
        """For each coefficient of a product, the terms `(factor, i, j)` that are summed: `(ab)_k = Σ a_j b_{k-j}`."""

        def terms(k: MultiIndex) -> list[tuple[float, MultiIndex, MultiIndex]]:
            return [(1.0, j, minus(k, j)) for j in below(k)]

        return self._tables(terms)

    @cached_property
    def integrals(self) -> tuple[tuple[tuple[float, int, int], ...], ...]:
        """For each k but 0, the terms `(factor, j, k-j)` of `y_k = Σ (j_m/k_m) z_j d_{k-j}`, from `∂_m y = d ∂_m z`.

        m may be any coordinate with `k_m > 0`; the one with the fewest terms is taken.
        """

        def along(m: int, k: MultiIndex) -> list[tuple[float, MultiIndex, MultiIndex]]:
            return [(j[m] / k[m], j, minus(k, j)) for j in below(k) if j[m] > 0]

        return self._tables(
            lambda k: min((along(m, k) for m in range(len(k)) if k[m] > 0), key=len, default=[])
        )

    def _tables(
        self, terms: Callable[[MultiIndex], list[tuple[float, MultiIndex, MultiIndex]]]
    ) -> tuple[tuple[tuple[float, int, int], ...], ...]:
        """Terms by position. In a combination, those with a highest coefficient make up one with the combination."""
        tables = [
            tuple((factor, self.position[i], self.position[j]) for factor, i, j in terms(k))
            for k in self.indices
        ]
        zero = (0,) * len(self.coordinates)
        for place, combination in enumerate(self.combinations, start=len(self.indices)):
            _, first = combination[0]
            ends = [(1.0, place if i == first else 0, place if j == first else 0) for _, i, j in terms(first)
                    if zero in (i, j)]  # fmt: skip
            inner = [
                (a * factor, self.position[i], self.position[j])
                for a, k in combination
                for factor, i, j in terms(k)
                if zero not in (i, j)
            ]
            tables.append((*ends, *inner))
        return tuple(tables)

    def shifted(self, index: MultiIndex) -> Truncation:
        """What is left to a derivative: all k with k + index in the set."""
        return _shifted(self, index)

    def intersection(self, other: Truncation) -> Truncation:
        """What two jets have in common, and so what their product or sum carries."""
        if self is other or self == other:
            return self
        if self.coordinates != other.coordinates:
            raise ValueError(
                f"jets over different coordinates cannot be combined: {self.coordinates} and {other.coordinates}"
            )
        return _meet(self, other)


@cache
def _closure(coordinates: tuple[str, ...], indices: frozenset[MultiIndex]) -> Truncation:
    zero = (0,) * len(coordinates)
    for index in indices:
        if len(index) != len(coordinates) or min(index, default=0) < 0:
            raise ValueError(f"{index} is not a multi-index over the coordinates {coordinates}")
    closed = {zero}.union(*(below(index) for index in indices))
    return Truncation(coordinates, tuple(sorted(closed, key=lambda k: (sum(k), tuple(-i for i in k)))))


@cache
def _shifted(truncation: Truncation, index: MultiIndex) -> Truncation:
    kept = tuple(k for k in truncation.indices if plus(k, index) in truncation.position)
    return Truncation(truncation.coordinates, kept)


@cache
def _meet(a: Truncation, b: Truncation) -> Truncation:
    return Truncation(a.coordinates, tuple(k for k in a.indices if k in b.position))
