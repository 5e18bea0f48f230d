"""The residuals of a problem for given fields: the one evaluator, whatever the fields come from."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from qres.data import Data
from qres.formulas import Formula, Integral, Values, free_coordinates, integrals_through
from qres.jets import Jet, Recording, Truncation, factorial, namespace

from .._condition import Condition
from .._posed import Posed
from ._integrals import WithIntegrals, recorded_integrals, rule_of
from ._residual import Residual, Term, condition_residual, data_residuals, equation_residual, term_residual
from ._sources import FieldSource, Outputs, coordinate_jets, recorded_coordinates

Group = tuple[Residual, ...]
Rows = dict[str, Any]  # by residual, an array `(rows, n)`, of JAX or NumPy as the points are


class Slopes(NamedTuple):
    """A residual, and its slope in every derivative of every field at each location, and in every unknown."""

    residual: Float[np.ndarray, " n"]
    fields: list[Float[np.ndarray, "fields indices n"]]
    unknowns: Float[np.ndarray, "unknowns n"]


class Residuals:
    """Residuals of one problem, those at the same points in one group.

    Points are given as one array `(d, n)` a group, of JAX or of NumPy; residuals come out in kind. All points of all
    groups and locations go through the source of the fields side by side.

    Args:
        posed: whose fields, definitions, constants and unknowns the residuals name.
        residuals: in any order.
        wanted: definitions that are to be there besides.
    """

    def __init__(self, posed: Posed, residuals: Sequence[Residual], wanted: Sequence[str] = ()) -> None:
        self.posed, self.residuals, self.wanted = posed, tuple(residuals), tuple(wanted)
        groups: dict[Any, list[Residual]] = {}
        for one in residuals:
            data = None if one.measured is None else id(one.measured.data)
            term = None if one.term is None else id(one.term)
            groups.setdefault((one.place.locations, id(one.place.surface), data, term), []).append(one)
        self.groups: tuple[Group, ...] = tuple(map(tuple, groups.values()))
        self._programs: dict[str, Callable[..., Any]] = {}

    @staticmethod
    def of(
        posed: Posed,
        *,
        equations: bool = True,
        conditions: Sequence[Condition] = (),
        data: Sequence[Data] = (),
        terms: Mapping[str, Term] | None = None,
        wanted: Sequence[str] = (),
    ) -> Residuals:
        """The equations, some of the conditions, measurements, and terms of the user's by name."""
        found = [equation_residual(posed, one) for one in posed.equations] if equations else []
        found += [condition_residual(posed, one) for one in conditions]
        found += data_residuals(posed, data)
        found += [term_residual(posed, name, term) for name, term in (terms or {}).items()]
        return Residuals(posed, found, wanted)

    @cached_property
    def integrals(self) -> tuple[Integral, ...]:
        """The integrals in the residuals, and in definitions that they or others name."""
        formulas = [one.formula.residual for one in self.residuals if isinstance(one.formula, Formula)]
        return integrals_through(self.posed.definitions, formulas, self.wanted)

    @property
    def nodes(self) -> int:
        """How many nodes integrals have for each point; those that are the same for all points do not count."""
        scope = self.posed.scope
        return sum(
            rule_of(self.posed, one).weights.size
            for one in self.integrals
            if free_coordinates(one, scope.coordinates, scope.differentiable)
        )

    def _complete(
        self, source: FieldSource, unknowns: Values, at_nodes: FieldSource | None = None
    ) -> FieldSource:
        """The source, with the integrals where there are any."""
        if not self.integrals:
            return source
        return WithIntegrals(self.posed, source, self.integrals, unknowns, at_nodes)

    def everywhere(
        self, fields: Mapping[str, Any], coordinates: Values, unknowns: Values | None = None
    ) -> list[Any]:
        """The residuals, as stated, where all places have the same fields: jets, or recordings that note the needs.

        Of jets nothing is known elsewhere: integrals of them count as zero.
        """
        unknowns = self.posed.start if unknowns is None else unknowns
        if self.integrals:
            rest = recorded_integrals(self.posed, self.integrals)
            known = any(isinstance(value, Recording) for value in fields.values())
            fields = {**(rest if known else dict.fromkeys(rest, 0.0)), **fields}
        names = self.posed.names(fields, coordinates, unknowns)
        return [one.everywhere(names) for one in self.residuals]

    def needed(self, source: FieldSource) -> Truncation:
        """The derivatives that residuals and wanted definitions take, of the outputs of a source of recordings."""
        coordinates = recorded_coordinates(self.posed.coordinates)
        # All fields count: an ansatz may differentiate outputs for a field that no residual has in it.
        own = self._complete(source, self.posed.start)(coordinates)
        fields = self.posed.defined(own, coordinates, self.posed.start)
        wanted = [fields[name] for name in (*own, *self.wanted)]
        results = [*self.everywhere(fields, coordinates), *wanted]
        asked = [result.needs for result in results if isinstance(result, Recording)]
        return Truncation.closure(self.posed.coordinates, frozenset().union(*asked))

    @cached_property
    def truncation(self) -> Truncation:
        """The derivatives of the fields that are in the residuals."""
        return self.needed(Outputs.recorded(self.posed))

    def names(
        self,
        source: FieldSource,
        truncation: Truncation,
        points: Any,
        unknowns: Values,
        at_nodes: FieldSource | None = None,
    ) -> Values:
        """All that a formula may name, at points; `at_nodes` is the source for integrals, where it is another one."""
        coordinates = coordinate_jets(self.posed.coordinates, truncation, points)
        fields = self._complete(source, unknowns, at_nodes)(coordinates)
        return self.posed.names(fields, coordinates, unknowns)

    def at(
        self,
        source: FieldSource,
        points: Sequence[Any],
        unknowns: Values,
        *,
        truncation: Truncation | None = None,
        targets: Sequence[Any] | None = None,
        at_nodes: FieldSource | None = None,
    ) -> Rows:
        """Each residual at the points of its group.

        Args:
            source: of the fields.
            points: an array for each group.
            unknowns: by name.
            truncation: what the source must carry; by default the derivatives of the fields that are in the residuals.
            targets: for each group what is measured there, a row a residual; zeros where nothing is.
            at_nodes: the source of the fields in integrals, where the other one is for these points only.
        """
        truncated = truncation or self.truncation
        return self.from_names(
            lambda x: self.names(source, truncated, x, unknowns, at_nodes), points, targets=targets
        )

    def from_names(
        self,
        names: Callable[[Any], Values],
        points: Sequence[Any],
        *,
        targets: Sequence[Any] | None = None,
        rows: int = 1,
    ) -> Rows:
        """Each residual, `(rows, n)`, from a function that gives all names at the points of all groups."""
        arrays = [self._placed(group, x) for group, x in zip(self.groups, points, strict=True)]
        parts = iter(_split(names, [x for each in arrays for x in each]))
        found: Rows = {}
        for number, (group, x) in enumerate(zip(self.groups, points, strict=True)):
            names_at = [next(parts) for _ in arrays[number]]
            for row, residual in enumerate(group):
                value = residual.value(names_at)
                if targets is not None and residual.measured is not None:
                    value = value - targets[number][row : row + 1]
                found[residual.name] = rows_at(value, x, rows)
        return found

    def slopes(
        self,
        source: FieldSource,
        points: Sequence[Any],
        unknowns: Values,
        at_nodes: FieldSource | None = None,
    ) -> dict[str, Slopes]:
        """Each residual, less what is measured, with its slopes by the fields of the source and by the unknowns.

        Slopes are those at the point: integrals, whose fields `at_nodes` gives, count as numbers.
        """
        numbers = {name: jnp.asarray(value, dtype=float) for name, value in unknowns.items()}
        arrays = [self._placed(group, jnp.asarray(x)) for group, x in zip(self.groups, points, strict=True)]
        flat = [x for each in arrays for x in each]
        coordinates = coordinate_jets(self.posed.coordinates, self.truncation, _joined(flat))
        given = self._complete(source, numbers, at_nodes)(coordinates)
        fields = {name: _filled(given[name]) for name in self.posed.fields}
        integrals = {one.text: given[one.text] for one in self.integrals}
        parts, others = iter(_parts(fields, flat)), iter(_parts(integrals, flat))
        found = {}
        for group, each in zip(self.groups, arrays, strict=True):
            there = [next(parts) for _ in each]
            more = [next(others) for _ in each]
            for residual in group:
                program = self._programs.setdefault(residual.name, jax.jit(self._program(residual)))
                found[residual.name] = self._slopes(residual, *program(there, each, numbers, more))
        return found

    def _program(self, residual: Residual) -> Callable[..., Any]:
        """A residual and slopes: each point's depends on that point only, so one gradient of the sum has all."""

        def at(fields: Any, points: Any, unknowns: Any, more: Any) -> Array:
            names_at = [
                self.posed.names(
                    {**there, **integrals},
                    coordinate_jets(self.posed.coordinates, self.truncation, x),
                    unknowns,
                )
                for there, x, integrals in zip(fields, points, more, strict=True)
            ]
            return rows_at(residual.value(names_at), points[0])[0]

        def program(fields: Any, points: Any, unknowns: Any, more: Any) -> Any:
            def total(given: Any) -> tuple[Array, Array]:
                found = at(given, points, unknowns, more)
                return jnp.sum(found), found

            grad, value = jax.grad(total, has_aux=True)(fields)
            moved = jax.jacfwd(lambda u: at(fields, points, u, more)) if unknowns else dict
            return value, grad, moved(unknowns)

        return program

    def _slopes(self, residual: Residual, value: Array, grad: Any, moved: Any) -> Slopes:
        n = len(value)
        columns = [np.asarray(moved[name]).reshape(n, -1).T for name in self.posed.unknowns]
        target = 0.0 if residual.measured is None else residual.measured.target
        factors = [factorial(index) for index in self.truncation.indices]
        return Slopes(
            np.asarray(value) - target,
            [
                np.stack(
                    [
                        [np.asarray(c)[0] / k for c, k in zip(there[name].coefficients, factors, strict=True)]
                        for name in self.posed.fields
                    ]
                )
                for there in grad
            ],
            np.concatenate([np.zeros((0, n)), *columns]),
        )

    def _placed(self, group: Group, points: Any) -> list[Any]:
        return group[0].place.placed(points)


def rows_at(result: Any, points: Any, rows: int = 1) -> Any:
    """A formula's value in each row at each point, whatever it came out as: a jet, an array or a number."""
    arrays = namespace(points)
    value = result.value if isinstance(result, Jet) else arrays.asarray(result, points.dtype)
    return arrays.broadcast_to(value, (rows, points.shape[1]))


def _joined(arrays: Sequence[Any]) -> Any:
    return arrays[0] if len(arrays) == 1 else namespace(arrays[0]).concatenate(arrays, axis=1)


def _split(names: Callable[[Any], Values], arrays: Sequence[Any]) -> list[Values]:
    """All names at each of several arrays of points, which are evaluated together."""
    return _parts(names(_joined(arrays)), arrays) if arrays else []


def _parts(names: Values, arrays: Sequence[Any]) -> list[Values]:
    if len(arrays) == 1:
        return [names]
    edges = [0, *itertools.accumulate(x.shape[1] for x in arrays)]
    return [
        {k: _columns(v, a, b) if isinstance(v, Jet) else v for k, v in names.items()}
        for a, b in itertools.pairwise(edges)
    ]


def _columns(jet: Jet, start: int, stop: int) -> Jet:
    """Some of the points; what is constant over the points stays so."""

    def part(c: Any) -> Any:
        return c if c is None or np.shape(c)[-1:] in ((), (1,)) else c[:, start:stop]

    return Jet(jet.truncation, [part(c) for c in jet.coefficients])


def _filled(jet: Jet) -> Jet:
    """The same with an array for every coefficient."""
    shape = jet.value.shape
    return Jet(
        jet.truncation,
        [jnp.zeros(shape) if c is None else jnp.broadcast_to(c, shape) for c in jet.coefficients],
    )
