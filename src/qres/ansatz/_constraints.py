"""How the conditions of a problem are met: the chosen ansatz, as data that is saved and never derived again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qres.formulas import Background, Expression, Formula, Name, Scope, read_formula, rewritten, text_of, walk
from qres.posed import Condition, Posed, vectors_of
from qres.runtime.errors import InputError, check_keys

from ._backgrounds import background_from, background_state

Arrays = dict[str, np.ndarray]
_KEYS = ("hard", "transform", "soft", "reasons", "backgrounds")


@dataclass(frozen=True)
class Constraints:
    """How conditions are met: by a transform of the network's outputs, or softly, with the reasons by name."""

    hard: bool
    transform: Mapping[str, Formula]
    soft: tuple[Condition, ...]
    reasons: Mapping[str, str]

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """The ansatz as JSON and arrays: formulas by their text, in which every number has all its digits."""
        known = self._backgrounds()
        state: dict[str, Any] = {
            "hard": self.hard,
            "transform": {field: _text(formula, known) for field, formula in self.transform.items()},
            "soft": [condition.name for condition in self.soft],
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


def constraints_from(state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], posed: Posed) -> Constraints:
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
    scope = Scope(
        posed.coordinates, posed.fields, (), constants, tuple(posed.unknowns), vectors_of(posed.unknowns)
    )
    transform = {field: _formula(text, scope, known) for field, text in state["transform"].items()}
    if unknown := set(transform) - set(posed.fields):
        raise InputError(f"the ansatz is about {sorted(unknown)[0]!r}, which is not a field")
    conditions = {condition.name: condition for condition in posed.conditions}
    if unknown := {*state["soft"], *state["reasons"]} - set(conditions):
        raise InputError(f"the ansatz names {sorted(unknown)[0]!r}, which is not a condition of the problem")
    soft = tuple(conditions[name] for name in state["soft"])
    return Constraints(bool(state["hard"]), transform, soft, dict(state["reasons"]))


def _text(formula: Formula, known: Mapping[str, Background]) -> str:
    names: dict[Expression, str] = {background: name for name, background in known.items()}
    return text_of(rewritten(formula.residual, lambda node: Name(names[node]) if node in names else None))


def _formula(text: Any, scope: Scope, known: Mapping[str, Background]) -> Formula:
    read = read_formula(text, scope, "the ansatz").residual
    expression = rewritten(read, lambda node: known.get(node.name) if isinstance(node, Name) else None)
    return Formula(text_of(expression), expression)
