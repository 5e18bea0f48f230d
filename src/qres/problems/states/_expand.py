"""`states = 5`: a statement about one state of an eigenvalue problem as one about several, with starts for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from qres.ansatz import Ansatz
from qres.formulas import (
    Background,
    Binary,
    Derivative,
    Entry,
    Expression,
    Formula,
    Integral,
    Located,
    Name,
    integral_of,
    rewritten,
    text_of,
)
from qres.posed import Posed, as_unknown, table, unknown_to_dict
from qres.runtime.errors import InputError, shorten

from ._modes import find_modes

STATES = "states"
_MOST = 24
_DROPPED = ("exact", "states", "transform", "hard", "reference", "up_to_constant")


@dataclass(frozen=True)
class States:
    """A statement of several states, and the series that each begins from.

    Args:
        stated: the arguments of a Problem without `states`.
        written: as stated, as plain data.
        starts: by field.
    """

    stated: Mapping[str, Any]
    written: Mapping[str, Any]
    starts: Mapping[str, Background]

    @property
    def ansatz(self) -> Ansatz:
        """Each field is its start and the network's output of that name."""
        transform = {}
        for name, start in self.starts.items():
            expression = Binary("+", start, Name(name))
            transform[name] = Formula(text_of(expression), expression)
        return Ansatz(transform, automatic=True)


def state_statement(stated: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Posed]) -> States:
    """The statement for so many states as are stated.

    Args:
        stated: the arguments of a Problem.
        read: reads a problem from such arguments.
    """
    count = stated[STATES]
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= _MOST:
        raise InputError(f"states must be a whole number from 1 to {_MOST}, not {shorten(repr(count))}")
    for key in ("transform", "hard", "reference", "complex"):
        if stated.get(key):
            raise InputError(f"states: a problem of several states has no {key}")
    unknowns, trues = _scalar_unknowns(stated)
    posed = read({**stated, **dict.fromkeys(_DROPPED), "unknowns": unknowns})
    _check(posed)
    trial, modes = find_modes(posed, count)
    (field,), (unknown,) = posed.fields, tuple(posed.unknowns)
    fields = [field] if count == 1 else [f"{field}_{k + 1}" for k in range(count)]
    values = [mode.value for mode in modes]
    given: dict[str, Any] = {"start": values[0] if count == 1 else values}
    if trues is not None:
        given["true"] = trues
    copies = [_copy(posed, k, count) for k in range(count)]
    shared = {name: one.text for name, one in posed.definitions.items() if not _depends(posed, name)}
    changed = {
        STATES: None,
        "hard": False,
        "fields": fields,
        "unknowns": {unknown: given},
        "equations": [text for one in copies for text in one.equations],
        "conditions": [text for one in copies for text in one.conditions],
        "definitions": {**shared, **{n: text for one in copies for n, text in one.definitions.items()}},
    }
    starts = {
        name: Background(f"{name}_start", trial.series(mode.coefficients, mode.error), posed.coordinates)
        for name, mode in zip(fields, modes, strict=True)
    }
    plain = {
        "equations": [one.text for one in posed.equations],
        "conditions": [one.text for one in posed.conditions],
        "definitions": {name: one.text for name, one in posed.definitions.items()},
        "fields": [field],
        "unknowns": {unknown: unknowns[unknown] if trues is None else {**unknowns[unknown], "true": trues}},
    }
    return States({**stated, **changed}, {**stated, **plain}, starts)


def _scalar_unknowns(stated: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """The unknowns as of one state; the true values are those of all states."""
    unknowns = dict(table(stated["unknowns"], "unknowns"))
    if len(unknowns) != 1:
        raise InputError(f"states: the problem has one unknown, the eigenvalue, not {len(unknowns)}")
    ((name, given),) = unknowns.items()
    if not isinstance(given, Mapping):
        given = unknown_to_dict(as_unknown(given, f"unknown {name!r}"))
    return {name: {"start": 0.0} | {k: v for k, v in given.items() if k != "true"}}, given.get("true")


def _check(posed: Posed) -> None:
    if len(posed.coordinates) != 1 or len(posed.fields) != 1 or len(posed.equations) != 1:
        raise InputError("states: the problem has one coordinate, one field and one equation")
    if not any(condition.kind == "integral" for condition in posed.conditions):
        example = f"integral({posed.fields[0]}^2, {posed.coordinates[0]}) = 1"
        raise InputError(f"states: a condition must say how states are normalised, such as {example}")
    formulas = [one.formula for one in (*posed.equations, *posed.conditions)]
    if not all(formula.is_text for formula in (*formulas, *posed.definitions.values())):
        raise InputError("states: formulas must be text, or functions that can be written as text")


def _depends(posed: Posed, name: str) -> bool:
    """Whether a definition is about the state."""
    used = {*posed.definitions[name].names}
    state = {*posed.fields, *posed.unknowns}
    return bool(used & state) or any(_depends(posed, other) for other in used & posed.definitions.keys())


@dataclass(frozen=True)
class _Copy:
    """What is stated of one state."""

    equations: list[str]
    conditions: list[str]
    definitions: dict[str, str]


def _copy(posed: Posed, place: int, count: int) -> _Copy:
    names = {name: name for name in posed.fields}
    if count > 1:
        about = [name for name in posed.definitions if _depends(posed, name)]
        names = {name: f"{name}_{place + 1}" for name in (*posed.fields, *about)}
    (unknown,) = posed.unknowns

    def change(node: Expression) -> Expression | None:
        match node:
            case Name(name) if name == unknown and count > 1:
                return Entry(name, place)
            case Name(name) if name in names:
                return Name(names[name])
            case Derivative(field=field) | Located(field=field) if field in names:
                return replace(node, field=names[field], written=names[field] + node.written[len(field) :])
            case Integral(function, integrand, variables, over, bounds):
                return integral_of(function, rewritten(integrand, change), variables, over, bounds)
            case _:
                return None

    def text(formula: Formula) -> str:
        left = text_of(rewritten(formula.left, change))
        return left if formula.right is None else f"{left} = {text_of(rewritten(formula.right, change))}"

    return _Copy(
        [text(one.formula) for one in posed.equations],
        [text(one.formula) for one in posed.conditions],
        {names[name]: text(one) for name, one in posed.definitions.items() if name in names},
    )
