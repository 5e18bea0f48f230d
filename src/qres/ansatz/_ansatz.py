"""The ansatz: hard conditions as a transform of the network outputs, stored as data and never derived again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from qres.ansatz.kinks import background_from, background_state
from qres.formulas import (
    Background,
    Expression,
    Formula,
    Name,
    Scope,
    Values,
    read_formula,
    rewritten,
    text_of,
    walk,
)
from qres.posed import Condition, Posed, assemble, vectors_of
from qres.runtime.errors import InputError, check_keys

Arrays = dict[str, np.ndarray]
_KEYS = ("automatic", "transform", "satisfies", "reasons", "backgrounds")


class _Built(Protocol):
    """What comes of a condition: a face, or a value on a surface."""

    @property
    def condition(self) -> Condition: ...


@dataclass(frozen=True)
class Ansatz:
    """Fields made of a network's outputs, `u = ansatz(N)`, such that conditions hold for every network: plain data.

    Args:
        transform: by field, the formula of the raw output of that name; a field without one is its output.
        satisfies: the names of the conditions that hold for every network.
        reasons: why other conditions are not built in, by name.
        automatic: whether the transform was built from the conditions, and not stated.
    """

    transform: Mapping[str, Formula] = field(default_factory=dict)
    satisfies: frozenset[str] = frozenset()
    reasons: Mapping[str, str] = field(default_factory=dict)
    automatic: bool = False

    def __call__(
        self,
        raw: Values,
        coordinates: Values,
        parameters: Values,
        definitions: Mapping[str, Formula] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """The fields, from raw outputs; all values are jets, recordings or, without derivatives, arrays.

        Args:
            raw: the network's outputs by field.
            coordinates: by name.
            parameters: constants and unknowns; may hold jets of the backgrounds by their text, which are then not
                computed.
            definitions: further fields made of these.
        """
        return assemble(self.transform, definitions, parameters, raw, coordinates)

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """The ansatz as JSON and arrays: formulas by their text, in which every number has all its digits."""
        known = self._backgrounds()
        state: dict[str, Any] = {
            "automatic": self.automatic,
            "transform": {name: _text(formula, known) for name, formula in self.transform.items()},
            "satisfies": sorted(self.satisfies),
            "reasons": dict(self.reasons),
            "backgrounds": {},
        }
        arrays: Arrays = {}
        for name, background in known.items():
            kept, found = background_state(background.function, name)
            state["backgrounds"][name] = {"name": background.name, "function": kept}
            arrays |= found
        return state, arrays

    def _backgrounds(self) -> dict[str, Background]:
        """The known functions in the transform, under names that nothing else has."""
        parts = [part for formula in self.transform.values() for part in walk(formula.residual)]
        found = dict.fromkeys(part for part in parts if isinstance(part, Background))
        return {f"background{number}_": part for number, part in enumerate(found, start=1)}


def satisfying(built: Iterable[_Built], transform: Mapping[str, Formula]) -> Ansatz:
    """The ansatz that a strategy built from faces or surfaces, which claims to satisfy their conditions."""
    return Ansatz(transform, frozenset(one.condition.name for one in built), automatic=True)


def ansatz_from(state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], posed: Posed) -> Ansatz:
    """The ansatz that was saved, for the problem it was saved with."""
    check_keys(state, _KEYS, "the ansatz")
    known = {
        name: Background(
            one["name"], background_from(one["function"], name, arrays, posed.coordinates), posed.coordinates
        )
        for name, one in state["backgrounds"].items()
    }
    # A background stands in the text as a number of its name: what is read is exchanged for it.
    constants = {**posed.constants, **dict.fromkeys(known, 1.0)}
    vectors = vectors_of(posed.unknowns)
    scope = Scope(posed.coordinates, posed.fields, (), constants, tuple(posed.unknowns), vectors)
    transform = {name: _formula(text, scope, known) for name, text in state["transform"].items()}
    if unknown := set(transform) - set(posed.fields):
        raise InputError(f"the ansatz is about {sorted(unknown)[0]!r}, which is not a field")
    satisfies = frozenset(state["satisfies"])
    if unknown := {*satisfies, *state["reasons"]} - {condition.name for condition in posed.conditions}:
        raise InputError(f"the ansatz names {sorted(unknown)[0]!r}, which is not a condition of the problem")
    return Ansatz(transform, satisfies, dict(state["reasons"]), bool(state["automatic"]))


def _text(formula: Formula, known: Mapping[str, Background]) -> str:
    names: dict[Expression, str] = {background: name for name, background in known.items()}
    return text_of(rewritten(formula.residual, lambda node: Name(names[node]) if node in names else None))


def _formula(text: Any, scope: Scope, known: Mapping[str, Background]) -> Formula:
    read = read_formula(text, scope, "the ansatz").residual
    expression = rewritten(read, lambda node: known.get(node.name) if isinstance(node, Name) else None)
    return Formula(text_of(expression), expression)
