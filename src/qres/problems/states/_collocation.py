"""Residuals of Chebyshev series, in NumPy: what an eigenvalue problem asks of the coefficients of a state."""

from __future__ import annotations

from collections.abc import Mapping
from math import factorial
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.polynomial import chebyshev

from qres.ansatz import ChebyshevSeries
from qres.jets import Jet, Recording
from qres.posed import Posed
from qres.posed.evaluator import Residuals

Vector = Float[np.ndarray, " n"]
States = Float[np.ndarray, "states n+1"]  # coefficients, and the value of the unknown


class Collocation:
    """The residuals of a problem of one field and one unknown for series of so many coefficients.

    Args:
        posed: the problem.
        size: the number of coefficients.
    """

    def __init__(self, posed: Posed, size: int) -> None:
        ((self.low, self.high),) = posed.bounds.values()
        self.posed, self.size = posed, size
        (self.field,), (self.unknown,) = posed.fields, tuple(posed.unknowns)
        norms = [c for c in posed.conditions if c.kind == "integral"]
        ends = [c for c in posed.conditions if c.kind != "integral"]
        angles = np.pi * (np.arange(size - len(ends)) + 0.5) / max(size - len(ends), 1)
        self.points = (self.low + (self.high - self.low) * (1 - np.cos(angles)) / 2)[None]
        self._inside = Residuals.of(posed)
        self._ends = Residuals.of(posed, equations=False, conditions=ends)
        self._norms = Residuals.of(posed, equations=False, conditions=norms)
        self.truncation = Residuals.of(posed, conditions=posed.conditions).truncation

    def series(self, coefficients: Vector, error: float = 0.0) -> ChebyshevSeries:
        """The function that coefficients stand for."""
        return ChebyshevSeries(coefficients, (self.low,), self.high - self.low, error)

    def inside(self, states: States) -> Float[np.ndarray, "states n"]:
        """The equation at the points of collocation, for each of several states."""
        return self._at(self._inside, states, self.points)

    def ends(self, states: States) -> Float[np.ndarray, "states conditions"]:
        """The conditions at places."""
        return self._at(self._ends, states, self.points[:, :1])

    def norms(self, states: States) -> Float[np.ndarray, "states conditions"]:
        """The conditions on integrals, state by state, as each has nodes of its own."""
        rows = [self._at(self._norms, states[k : k + 1], self.points[:, :1]) for k in range(len(states))]
        return np.concatenate(rows)

    def _at(self, residuals: Residuals, states: States, points: np.ndarray) -> np.ndarray:
        """Residuals of all states at points, which stand in a row, those of one state after those of another."""
        many, n = len(states), points.shape[1]
        columns = states[:, :-1].T

        def source(coordinates: Mapping[str, Any]) -> dict[str, Any]:
            (x,) = coordinates.values()
            if isinstance(x, Recording):
                return {self.field: Recording.field(self.posed.coordinates)}
            place = 2 * (x.value.reshape(-1, many, x.value.size // many if many == 1 else n) - self.low)
            place = place / (self.high - self.low) - 1
            series = [self._values(place, columns, k) for (k,) in x.truncation.indices]
            return {self.field: Jet(x.truncation, [one.reshape(1, -1) for one in series])}

        values = np.repeat(states[:, -1], n)[None] if many > 1 else states[0, -1]
        found = residuals.at(
            source,
            [np.tile(points, (1, many))] * len(residuals.groups),
            {self.unknown: values},
            truncation=self.truncation,
        )
        rows = [found[one.name].reshape(many, n) for one in residuals.residuals]
        return np.concatenate(rows, axis=1) if rows else np.zeros((many, 0))

    def _values(self, place: np.ndarray, columns: np.ndarray, order: int) -> np.ndarray:
        """A Taylor coefficient of each state at its points."""
        c = chebyshev.chebder(columns, order, axis=0) if order else columns
        polynomials = chebyshev.chebvander(place, len(c) - 1)  # locations, states, points, polynomials
        found = np.einsum("lspk,ks->lsp", polynomials, c)
        return found * (2 / (self.high - self.low)) ** order / factorial(order)
