"""Values of integrals in formulas: fields at the nodes of a quadrature rule, for any source of fields.

The fields go through their source at the nodes as they do at points. Axes of arrays are: a row, the points outside, the
nodes, and further nodes where integrals are nested; an axis is 1 long where nothing depends on it, so that an integral
over all coordinates needs the fields at the nodes once, whatever the points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import jax
import numpy as np

from qres.formulas import (
    Integral,
    Located,
    Name,
    Values,
    evaluate,
    free_coordinates,
    integrals_in,
    integrals_through,
    names_in,
    walk,
)
from qres.jets import Jet, Recording, Truncation, namespace, sin

from .._posed import Posed
from ._rules import PANELS, Rule, composite
from ._sources import FieldSource, Outputs, Transformed, coordinate_jets, recorded_coordinates

Arrays = Mapping[str, Any]
_TOLERANCE = 1e-11  # of what refining a rule changes, relative to the largest integrand
_TRIED = 5  # points outside
_WAVES = 8.0  # over the domain: what fields should be resolved

_RULES: WeakKeyDictionary[Posed, dict[str, Rule]] = WeakKeyDictionary()


@dataclass(frozen=True)
class WithIntegrals:
    """A source of fields that also gives the integrals of these, by their text.

    Args:
        posed: whose domain and constants the integrals have.
        source: of the fields.
        integrals: that are wanted.
        unknowns: by name.
        at_nodes: the source at the nodes, where that differs: the other one may know its points.
    """

    posed: Posed
    source: FieldSource
    integrals: tuple[Integral, ...]
    unknowns: Values
    at_nodes: FieldSource | None = None

    def __call__(self, coordinates: Values) -> dict[str, Any]:
        """Fields and integrals."""
        return {**self.source(coordinates), **self.values(coordinates)}

    def values(self, coordinates: Values) -> dict[str, Any]:
        """The integrals alone; recordings where coordinates are."""
        first = next(iter(coordinates.values()))
        if isinstance(first, Recording):
            return recorded_integrals(self.posed, self.integrals)
        around = {name: jet.value for name, jet in coordinates.items()}
        source = self.at_nodes or self.source
        return {
            one.text: Jet.constant(first.truncation, self.value(one, around, source))
            for one in self.integrals
        }

    def value(self, node: Integral, around: Arrays, source: FieldSource, rule: Rule | None = None) -> Any:
        """An integral where coordinates and variables of integrals around it have some values."""
        return _value(self.posed, node, around, source, self.unknowns, rule)


def with_integrals(
    posed: Posed, source: FieldSource, integrals: tuple[Integral, ...], unknowns: Values
) -> FieldSource:
    """The source, and where there are integrals, these too."""
    return WithIntegrals(posed, source, integrals, unknowns) if integrals else source


def recorded_integrals(posed: Posed, integrals: Sequence[Integral]) -> dict[str, Recording]:
    """Recordings in place of integrals, which need nothing of the fields at a point."""
    return {one.text: Recording(posed.coordinates, frozenset(), name=one.text) for one in integrals}


def _value(
    posed: Posed, node: Integral, around: Arrays, source: FieldSource, unknowns: Values, rule: Rule | None
) -> Any:
    rule = rule or rule_of(posed, node)
    arrays = _namespace(around)
    outer = {name: value[..., None] for name, value in around.items()}
    known = posed.known(outer, unknowns)
    inner: dict[str, Any] = dict(outer)
    volume: Any = 1.0
    for place, (variable, over) in enumerate(zip(node.variables, node.over, strict=True)):
        ends = posed.bounds[over] if node.bounds is None else [evaluate(one, known) for one in node.bounds]
        width = ends[1] - ends[0]
        ndim = next(iter(outer.values())).ndim
        line = rule.nodes[place].reshape((1,) * (ndim - 1) + (-1,))
        inner[variable] = arrays.asarray(ends[0] + width * line)
        volume = volume * width
    found = _integrand(posed, node, inner, source, unknowns)
    total = (found * rule.weights).sum(axis=-1) if np.ndim(found) else found
    if node.function == "mean":
        return total
    return total * (volume if isinstance(volume, float) else volume[..., 0])


def _integrand(posed: Posed, node: Integral, inner: Arrays, source: FieldSource, unknowns: Values) -> Any:
    """What is integrated, with axes for the points outside and the nodes."""
    truncation = _needed(posed, node, source)
    nested = integrals_in([node.integrand])
    complete = with_integrals(posed, source, _of_definitions(posed, node), unknowns)
    variables = {name: value for name, value in inner.items() if name not in posed.bounds}
    values = {one.text: _value(posed, one, inner, source, unknowns, None) for one in nested}
    here = (None,) * len(posed.coordinates)
    places = {
        location: _names_at(posed, location, inner, complete, unknowns, truncation)
        for location in {part.location for part in walk(node.integrand) if isinstance(part, Located)}
    }
    names = (
        _names_at(posed, here, inner, complete, unknowns, truncation)
        if _has_fields_here(posed, node)
        else posed.known({name: inner[name] for name in posed.coordinates}, unknowns)
    )
    found = evaluate(node.integrand, {**names, **variables, **values}, places)
    found = found.value if isinstance(found, Jet) else found
    shape = np.broadcast_shapes(np.shape(found), *(np.shape(inner[name]) for name in node.variables))
    arrays = _namespace(inner)
    return arrays.broadcast_to(arrays.asarray(found), shape)


def _of_definitions(posed: Posed, node: Integral) -> tuple[Integral, ...]:
    """The integrals of the definitions that an integrand names."""
    return integrals_through(posed.definitions, [], names_in(node.integrand))


def _namespace(values: Arrays) -> Any:
    """NumPy where all values are NumPy's, else `jax.numpy`."""
    return next((found for value in values.values() if (found := namespace(value)) is not np), np)


def _has_fields_here(posed: Posed, node: Integral) -> bool:
    """Whether fields stand in an integral by themselves, without a place."""
    fields = {*posed.fields, *posed.definitions}
    alone = [part for part in walk(node.integrand) if not isinstance(part, Located | Integral)]
    return any(getattr(part, "field", getattr(part, "name", None)) in fields for part in alone)


def _names_at(
    posed: Posed,
    location: tuple[float | str | None, ...],
    inner: Arrays,
    source: FieldSource,
    unknowns: Values,
    truncation: Truncation,
) -> Values:
    """All that a formula may name at a location, with the axes of the coordinates there."""
    arrays = _namespace(inner)
    ndim = next(iter(inner.values())).ndim
    rows = [
        inner[name]
        if value is None
        else inner[value]
        if isinstance(value, str)
        else np.full((1,) * ndim, value)
        for name, value in zip(posed.coordinates, location, strict=True)
    ]
    shape = np.broadcast_shapes(*(np.shape(row) for row in rows))
    points = arrays.stack([arrays.broadcast_to(row, shape).ravel() for row in rows])
    coordinates = coordinate_jets(posed.coordinates, truncation, points)
    found = posed.names(source(coordinates), coordinates, unknowns)
    return {name: _shaped(value, shape) if isinstance(value, Jet) else value for name, value in found.items()}


def _shaped(jet: Jet, shape: tuple[int, ...]) -> Jet:
    """A jet at points in a row, with their axes."""

    def part(c: Any) -> Any:
        if c is None or np.ndim(c) == 0:
            return c
        return c.reshape((1,) * len(shape) if c.shape[-1] == 1 else shape)

    return Jet(jet.truncation, [part(c) for c in jet.coefficients])


def _needed(posed: Posed, node: Integral, source: FieldSource) -> Truncation:
    """The derivatives that an integrand takes of what is behind the ansatz."""
    transform = source.transform if isinstance(source, Transformed) else {}
    recorded = Transformed(posed, transform, Outputs.recorded(posed), posed.start)
    coordinates = recorded_coordinates(posed.coordinates)
    inside = (*integrals_in([node.integrand]), *_of_definitions(posed, node))
    fields = {**recorded(coordinates), **recorded_integrals(posed, inside)}
    names = posed.names(fields, coordinates, posed.start)
    locations = {part.location for part in walk(node.integrand) if isinstance(part, Located)}
    own = {name: Recording.field(posed.coordinates) for name in _variables_in(posed, node)}
    found = evaluate(node.integrand, {**own, **names}, dict.fromkeys(locations, names))
    # What an ansatz takes of the outputs for a field that is not in the integrand is carried too.
    asked = [
        one.needs for one in (found, *(fields[name] for name in posed.fields)) if isinstance(one, Recording)
    ]
    return Truncation.closure(posed.coordinates, frozenset().union(*asked))


def _variables_in(posed: Posed, node: Integral) -> set[str]:
    """The variables of integration that an integrand may name: its own, and those of integrals around it."""
    named = {part.name for part in walk(node.integrand) if isinstance(part, Name)}
    placed = [part.location for part in walk(node.integrand) if isinstance(part, Located)]
    named |= {value for location in placed for value in location if isinstance(value, str)}
    return {*node.variables, *named}.difference(posed.scope.names())


def rule_of(posed: Posed, node: Integral) -> Rule:
    """The rule of an integral: as many panels as fields with a few waves over the domain need."""
    rules = _RULES.setdefault(posed, {})
    if node.text not in rules:
        rules[node.text] = _chosen(posed, node)
    return rules[node.text]


def _chosen(posed: Posed, node: Integral) -> Rule:
    """Panels are doubled until the integral of trial fields stays what it is."""
    panels = PANELS[len(node.variables)]
    scope = posed.scope
    if not free_coordinates(node, scope.coordinates, scope.differentiable):
        panels = panels[len(panels) // 2 :]  # one integral for all points: many nodes cost little
    around = {name: np.linspace(low, high, _TRIED)[None] for name, (low, high) in posed.bounds.items()} | {
        name: np.linspace(0.1, 0.9, _TRIED)[None] for name in _variables_in(posed, node)
    }
    trial, last, enough = _trial(posed), None, composite(len(node.variables), panels[0])
    unknowns = {name: np.asarray(value) for name, value in posed.start.items()}
    for count in panels:
        rule = composite(len(node.variables), count)
        with np.errstate(all="ignore"), jax.ensure_compile_time_eval():  # it may be asked for in a program
            found = np.asarray(_value(posed, node, around, trial, unknowns, rule), dtype=float)
        if not np.all(np.isfinite(found)):
            return composite(len(node.variables), panels[len(panels) // 2])
        if last is not None and np.max(np.abs(found - last)) <= _TOLERANCE * np.max(np.abs(found)):
            return enough
        last, enough = found, rule
    return enough


def _trial(posed: Posed) -> Callable[[Values], dict[str, Any]]:
    """Waves over the domain in place of fields, in NumPy."""

    def fields(coordinates: Values) -> dict[str, Any]:
        found = {}
        for number, name in enumerate(posed.fields):
            phase: Any = 0.3 + 0.7 * number
            for coordinate, (low, high) in posed.bounds.items():
                phase = phase + (coordinates[coordinate] - low) * (_WAVES * np.pi / (high - low))
            found[name] = 1.5 + sin(phase)
        return found

    return fields
