"""A statement with complex fields as one with real fields: `h` is `h_re` and `h_im`, an equation two equations.

It happens while a problem is read, so that jets, ansatz, loss and estimate are real throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from qres.formulas import (
    Formula,
    Number,
    Reader,
    Scope,
    check_collisions,
    formula_of,
    modulus_name,
    parse,
    part_names,
    read_formula,
    split_formula,
)
from qres.posed import Bounds, Condition, Posed, read_condition, sequence, split_place, table
from qres.runtime.errors import InputError, did_you_mean, listed, shorten


@dataclass(frozen=True)
class RealStatement:
    """The arguments of a Problem with real fields, and what they were before.

    Args:
        stated: with real fields.
        scope: the names of those.
        written: as stated, with complex fields; a function that could be traced is its text.
        equations: the MathML of the equation that each real one is a part of.
        conditions: of each real condition, which of the stated ones it is a part of, and its MathML.
        definitions: the MathML of the definition that each real one is a part of.
    """

    stated: Mapping[str, Any]
    scope: Scope
    written: Mapping[str, Any]
    equations: tuple[str, ...]
    conditions: tuple[tuple[int, str], ...]
    definitions: Mapping[str, str]

    def show(self, posed: Posed) -> Posed:
        """The problem that was read from the real statement, with the mathematics of the stated one."""
        equations = zip(posed.equations, self.equations, strict=True)
        definitions = {
            name: replace(formula, shown=self.definitions.get(name, ""))
            for name, formula in posed.definitions.items()
        }
        return replace(
            posed,
            equations=tuple(replace(one, formula=replace(one.formula, shown=row)) for one, row in equations),
            conditions=self._conditions(posed.conditions),
            definitions=definitions,
        )

    def _conditions(self, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        """Conditions as read from the real statement, with the entry and the mathematics of the stated ones."""
        return tuple(
            replace(one, entry=entry, formula=replace(one.formula, shown=shown))
            for one in conditions
            for entry, shown in [self.conditions[one.entry]]
        )


def complex_names(stated: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    """The fields and definitions that are declared complex."""
    names = sequence(stated, "complex")
    for name in names:
        if name not in known:
            hint = did_you_mean(str(name), known) or ";"
            raise InputError(
                f"complex: {shorten(repr(name))} is not a field or definition{hint} those are {listed(known)}"
            )
    return tuple(dict.fromkeys(names))


def real_statement(stated: Mapping[str, Any], scope: Scope, bounds: Bounds) -> RealStatement:
    """A statement with its complex fields, and all that is said of them, split into real and imaginary parts."""
    equations = [
        _traced(entry, scope, f"equation {number + 1}", equation=True)
        for number, entry in enumerate(sequence(stated["equations"], "equations"))
    ]
    conditions = [
        _condition(entry, scope, bounds, f"condition {number + 1}")
        for number, entry in enumerate(sequence(stated["conditions"], "conditions"))
    ]
    data = replace(scope, fields=(), definitions=())
    tables = {
        "definitions": _formulas(stated, "definitions", scope),
        "exact": _formulas(stated, "exact", data),
        "transform": _formulas(stated, "transform", replace(scope, definitions=())),
    }
    split = [_split(one, scope, f"equation {k + 1}") for k, one in enumerate(equations)]
    placed = [
        (k, part, place)
        for k, (one, place) in enumerate(conditions)
        for part in _split(one, scope, f"condition {k + 1}")
    ]
    real = _real_scope(scope)
    changed = {
        "complex": (),
        "fields": real.fields,
        "equations": [part.text for one in split for part in one],
        "conditions": [part.text + place for _, part, place in placed],
        "up_to_constant": _expanded(sequence(stated["up_to_constant"], "up_to_constant"), scope),
        **{key: _real_table(formulas, key, scope) for key, formulas in tables.items()},
    }
    written = {
        "fields": list(scope.fields),
        "equations": [one.text for one in equations],
        "conditions": [one.text + place for one, place in conditions],
        **{key: {name: one.text for name, one in formulas.items()} for key, formulas in tables.items()},
    }
    return RealStatement(
        {**stated, **changed},
        real,
        {**stated, **written},
        tuple(one.mathml_row() for one, parts in zip(equations, split, strict=True) for _ in parts),
        tuple((k, conditions[k][0].mathml_row()) for k, _, _ in placed),
        {
            part: one.mathml_row()
            for name, one in tables["definitions"].items()
            for part in _expanded((name,), scope)
        },
    )


def _traced(stated: Any, scope: Scope, where: str, *, equation: bool = False) -> Formula:
    """A formula that is text, or a function that could be traced: only those have parts."""
    return _with_parts(read_formula(stated, scope, where, equation=equation), where)


def _with_parts(formula: Formula, where: str) -> Formula:
    if formula.is_text:
        return formula
    raise InputError(
        f"{where}: {formula.text} cannot be written as a formula, and has no real and imaginary part to take; "
        "use arithmetic, derivatives such as h.x, abs, np.conj, np.real, np.imag and np.exp"
    )


def _condition(stated: Any, scope: Scope, bounds: Bounds, where: str) -> tuple[Formula, str]:
    """What a condition says, and what it is on, as text."""
    text, place = split_place(stated, where)
    if place is None:
        return _with_parts(read_condition(stated, scope, bounds, where).formula, where), ""
    reader = Reader(scope, f"{where} {shorten(stated)!r}", located=True, level=Number(1.0))
    return formula_of(parse(text, where), text, reader, equation=True), f" on {place}"


def _formulas(stated: Mapping[str, Any], key: str, scope: Scope) -> dict[str, Formula]:
    what = {"definitions": "definition of"}.get(key, key)
    return {
        name: _traced(value, scope, f"{what} {name!r}") for name, value in table(stated[key], key).items()
    }


def _split(formula: Formula, scope: Scope, where: str) -> list[Formula]:
    return [part for part in split_formula(formula, scope.complex, where) if part is not None]


def _real_table(formulas: Mapping[str, Formula], key: str, scope: Scope) -> dict[str, str]:
    """Formulas by the names of parts; of what is known of a complex field, its modulus is known too."""
    found: dict[str, str] = {}
    for name, formula in formulas.items():
        where = f"{key} {name!r}"
        real, imaginary = split_formula(formula, scope.complex, where)
        if name not in scope.complex:
            if imaginary is not None:
                raise InputError(
                    f"{where}: its value is complex; list {name!r} in complex, or take a part of it"
                )
            found[name] = real.text
            continue
        pair = (real.text, "0" if imaginary is None else imaginary.text)
        found |= dict(zip(part_names(name), pair, strict=True))
        if key == "exact":
            found[modulus_name(name)] = f"sqrt(({pair[0]})^2 + ({pair[1]})^2)"
    if key == "definitions":
        for name in scope.complex:
            real, imaginary = part_names(name)
            found[modulus_name(name)] = f"sqrt({real}^2 + {imaginary}^2)"
    return found


def _expanded(names: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
    return tuple(part for name in names for part in (part_names(name) if name in scope.complex else (name,)))


def _real_scope(scope: Scope) -> Scope:
    moduli = tuple(modulus_name(name) for name in scope.complex)
    real = replace(
        scope,
        complex=(),
        fields=_expanded(scope.fields, scope),
        definitions=(*_expanded(scope.definitions, scope), *moduli),
    )
    check_collisions(real)
    return real
