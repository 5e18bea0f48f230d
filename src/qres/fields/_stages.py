"""Fields at all stages of a step: jets with one row per stage, and the right-hand sides `N[u]`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.formulas import Values
from qres.jets import Jet, Truncation, rows
from qres.posed import time_factors, without_time
from qres.posed.evaluator import Outputs, Residuals, Transformed, rows_at
from qres.problems import Problem, one_step
from qres.runtime.errors import InputError

from ._model import Model, recorded_fields
from ._scheme import TIME, Scheme

Rates = Callable[[Values, Float[Array, "d n"]], list[Array]]


class Stages:
    """The outputs of a network as fields of a problem at the times of a scheme.

    A formula of the problem runs on jets over all coordinates whose coefficients in time are zero: their rows are the
    stages, and so `t` is a column of their times.
    """

    def __init__(self, problem: Problem, scheme: Scheme) -> None:
        self.scheme = scheme
        self.problem = one_step(problem, scheme.edges[0], scheme.edges[-1])
        self.place = problem.coordinates.index(TIME)

    def in_space(self, truncation: Truncation) -> Truncation:
        """What conditions or definitions need of the fields, checked: a derivative in time is none of a stage's."""
        if any(index[self.place] for index in truncation.indices):
            raise InputError(
                f"problem {self.problem.name!r}: in discrete time, stages have no time derivative to ask for"
            )
        return truncation

    def equations(self) -> tuple[Truncation, Rates]:
        """`N[u]` of each field at the stages, as a function of all names and the number of points; and what it needs.

        It comes from the residuals where all time derivatives are zero, which are `-A N[u]`.
        """
        inverse = np.linalg.inv(time_factors(self.problem))
        stages, equations = len(self.scheme.stage_times), Residuals.of(self.problem)

        def rates(names: Values, points: Float[Array, "d n"]) -> list[Float[Array, "stages n"]]:
            here = {k: rows(v, 0, stages) if isinstance(v, Jet) else v for k, v in names.items()}
            residuals = [rows_at(one.everywhere(here), points, stages) for one in equations.residuals]
            return [_combined(row, residuals) for row in -inverse]

        return equations.needed(recorded_fields(self.problem)), rates

    def names(self, model: Model, truncation: Truncation, points: Float[Array, "d n"]) -> dict[str, Any]:
        """Every name that a formula may use, at points of space: fields are jets with a row for each output's time."""
        raw = self._outputs(model, truncation, points)
        count = len(self.scheme.times)
        outputs = {}
        for number, name in enumerate(self.problem.fields):
            offset, scale = model.scales[number]
            output = rows(raw, number * count, (number + 1) * count)
            outputs[name] = output if (offset, scale) == (0.0, 1.0) else output * scale + offset
        coordinates = self.coordinates(truncation, points, jnp.asarray(self.scheme.times)[:, None])
        unknowns = model.parameters(self.problem)
        source = Transformed(self.problem, self.problem.transform, Outputs(outputs), unknowns)
        fields = source(coordinates)
        still = {name: without_time(fields[name], self.place) for name in self.problem.fields}
        return self.problem.names(still, coordinates, unknowns)

    def coordinates(self, truncation: Truncation, points: Float[Array, "d n"], t: Array) -> dict[str, Jet]:
        """The coordinates as jets: those of space a row, the time whatever shape it has."""
        space = iter(range(len(points)))
        return {
            name: Jet.coordinate(truncation, name, t if name == TIME else points[(i := next(space)) : i + 1])
            for name in self.problem.coordinates
        }

    def _outputs(self, model: Model, truncation: Truncation, points: Float[Array, "d n"]) -> Jet:
        """The network's jet over space, as one over all coordinates that does not move in time."""
        names = tuple(name for name in truncation.coordinates if name != TIME)
        space = Truncation.closure(names, [self._in_space(k) for k in truncation.indices])
        raw = model.jets(space, points)
        coefficients = [
            None if k[self.place] else raw.coefficients[space.position[self._in_space(k)]]
            for k in truncation.indices
        ]
        return Jet(truncation, coefficients)

    def _in_space(self, index: tuple[int, ...]) -> tuple[int, ...]:
        return index[: self.place] + index[self.place + 1 :]


def _combined(factors: np.ndarray, residuals: Sequence[Array]) -> Array:
    terms = [float(f) * r for f, r in zip(factors, residuals, strict=True) if abs(f) > 1e-12]
    return sum(terms[1:], terms[0])
