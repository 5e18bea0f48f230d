"""Residuals near a solution: of equations, conditions and measurements, with their slopes in every derivative."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.fields import value_of
from qres.formulas import Equation
from qres.geometry import spread_points, surface_points
from qres.jets import Jet, Recording, Truncation, factorial, needed
from qres.posed import Condition
from qres.problems import Problem
from qres.residuals import condition_values
from qres.runtime.random import seed_key

Location = tuple[float | None, ...]
Derivatives = Float[np.ndarray, "fields indices n"]
Names = Mapping[str, Any]
_ON_SURFACE = 200  # points of a condition, along a line
_SEED = 7_000_003  # of those points: no run of a small seed has them


@dataclass(frozen=True)
class Term:
    """One residual: at each of some locations, or at points of its own, with values where these are measured.

    `certainty` is how much each point of its own counts, on average 1.
    """

    name: str
    locations: tuple[Location, ...]
    residual: Callable[[Sequence[Names]], Any]
    points: Float[np.ndarray, "d n"] | None = None
    target: Float[np.ndarray, " n"] | None = None
    certainty: Float[np.ndarray, " n"] | float = 1.0

    def placed(self, points: Float[np.ndarray, "d n"]) -> list[Float[np.ndarray, "d n"]]:
        """The points at each location."""
        columns = [
            np.array([np.nan if value is None else value for value in place]) for place in self.locations
        ]
        return [np.where(np.isnan(column)[:, None], points, column[:, None]) for column in columns]


class Slopes(NamedTuple):
    """A residual, and its slope in every derivative of every field at each location, and in every unknown."""

    residual: Float[np.ndarray, " n"]
    fields: list[Derivatives]
    unknowns: Float[np.ndarray, "unknowns n"]


class Linear:
    """A problem's residuals as functions of the derivatives of its fields, whatever these come from."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.terms = _terms(problem)
        self._programs: dict[str, Any] = {}

    @cached_property
    def truncation(self) -> Truncation:
        """The derivatives that equations and conditions have in them."""
        problem = self.problem
        coordinates = {name: Recording.field(problem.coordinates) for name in problem.coordinates}
        unknowns = problem.start

        def run(fields: Mapping[str, Recording]) -> list[Any]:
            defined = problem.defined(fields, coordinates, unknowns)
            names = {**problem.constants, **unknowns, **coordinates, **defined}
            return [*(t.residual([names] * len(t.locations)) for t in self.terms), *defined.values()]

        return needed(run, problem.fields, problem.coordinates)

    def names(self, derivatives: Any, points: Any, unknowns: Mapping[str, Any]) -> dict[str, Any]:
        """All that a formula may name, from the derivatives of the fields."""
        problem, truncation = self.problem, self.truncation
        derivatives, points = jnp.asarray(derivatives), jnp.asarray(points)
        coordinates = {
            name: Jet.coordinate(truncation, name, points[i : i + 1])
            for i, name in enumerate(problem.coordinates)
        }
        fields = {
            name: Jet(
                truncation,
                [row[i : i + 1] / factorial(index) for i, index in enumerate(truncation.indices)],
            )
            for name, row in zip(problem.fields, derivatives, strict=True)
        }
        defined = problem.defined(fields, coordinates, unknowns)
        return {**problem.constants, **unknowns, **coordinates, **defined}

    def residual(
        self, term: Term, derivatives: Sequence[Any], points: Sequence[Any], unknowns: Mapping[str, Any]
    ) -> Float[Array, " n"]:
        """A term's residual at points."""
        names_at = [self.names(d, x, unknowns) for d, x in zip(derivatives, points, strict=True)]
        return value_of(term.residual(names_at), jnp.asarray(points[0]))[0]

    def slopes(
        self,
        term: Term,
        derivatives: Sequence[Derivatives],
        points: Sequence[np.ndarray],
        unknowns: Mapping[str, Any],
    ) -> Slopes:
        """A term's residual and slopes: each point's depends on that point only, so one gradient of the sum has all."""
        if term.name not in self._programs:

            def program(derivatives: Any, points: Any, unknowns: Any) -> Any:
                def total(given: Any) -> tuple[Array, Array]:
                    found = self.residual(term, given, points, unknowns)
                    return jnp.sum(found), found

                grad, residual = jax.grad(total, has_aux=True)(list(derivatives))
                moved = (
                    jax.jacfwd(lambda u: self.residual(term, derivatives, points, u)) if unknowns else dict
                )
                return residual, grad, moved(unknowns)

            self._programs[term.name] = jax.jit(program)
        numbers = {name: jnp.asarray(value, dtype=float) for name, value in unknowns.items()}
        residual, grad, moved = self._programs[term.name](list(derivatives), list(points), numbers)
        n = len(residual)
        columns = [np.asarray(moved[name]).reshape(n, -1).T for name in self.problem.unknowns]
        return Slopes(
            np.asarray(residual) - (0.0 if term.target is None else term.target),
            [np.asarray(array) for array in grad],
            np.concatenate([np.zeros((0, n)), *columns]),
        )


def _terms(problem: Problem) -> tuple[Term, ...]:
    everywhere = ((None,) * len(problem.coordinates),)

    def of_equation(equation: Equation) -> Term:
        return Term(equation.name, everywhere, lambda names_at: equation.residual(names_at[0]))

    def of_condition(condition: Condition) -> Term:
        def residual(names_at: Sequence[Names]) -> Any:
            return condition_values(problem, [condition], names_at)[0]

        points = None
        if condition.surface is not None:
            count = spread_points(_ON_SURFACE, len(problem.coordinates) - 1)
            points = surface_points(problem, condition.surface, count, seed_key(_SEED))
        return Term(condition.name, condition.locations, residual, points)

    found = [*map(of_equation, problem.equations), *map(of_condition, problem.conditions)]
    for number, data in enumerate(problem.data):
        for name in data.measured((*problem.fields, *problem.definitions)):
            found.append(
                Term(
                    f"data {number + 1}, {name}",
                    everywhere,
                    lambda names_at, name=name: names_at[0][name],
                    data.points(problem.coordinates),
                    data.columns[name],
                    data.certainty([name])[0],
                )
            )
    return tuple(found)
