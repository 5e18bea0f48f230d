"""Reading of a stated problem: names first, then formulas, then conditions."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qres.ansatz import Ansatz, ansatz_from, choose_ansatz, proved
from qres.formulas import Equation, Formula, Scope, check_collisions, check_name, read_formula
from qres.geometry import Region, read_region
from qres.geometry.shapes import Shape, read_shapes
from qres.posed import (
    Bounds,
    Condition,
    Posed,
    Unknown,
    as_unknown,
    check_integrals,
    infer_fields,
    named,
    read_conditions,
    read_constants,
    read_domain,
    sequence,
    table,
    unknown_to_dict,
    vectors_of,
    without_place,
)
from qres.problems.complex import complex_names, real_statement
from qres.problems.states import STATES, state_statement
from qres.runtime.errors import InputError, did_you_mean, listed, shorten

from ._own_reference import ReferenceFile, read_reference
from ._written import as_text

STEP = "step"  # under which the ansatz of a step in discrete time is saved
Saved = tuple[Mapping[str, Any], Mapping[str, np.ndarray]]
"""An ansatz as `ansatz_state` gives it."""


@dataclass(frozen=True)
class Reading:
    """A problem as read: what it asks, the ansatz that was stated or built, its reference, and the statement itself.

    `step_ansatz` is that of a step in discrete time, where one was saved.
    """

    posed: Posed
    ansatz: Ansatz
    step_ansatz: Mapping[str, Any] | None
    reference: str | ReferenceFile | None
    stated: Mapping[str, Any]


def read_problem(stated: Mapping[str, Any], saved: Saved | None = None) -> Reading:
    """Read and check the arguments of a Problem; an ansatz that was saved is taken as it is."""
    if stated.get(STATES) is not None:
        return _read_states(stated, saved)
    name, reference, hard = _name(stated["name"]), read_reference(stated["reference"]), stated["hard"]
    if isinstance(reference, ReferenceFile):
        stated = {**stated, "reference": reference.to_dict()}
    if hard is not None and not isinstance(hard, bool):
        raise InputError(f"hard must be true or false, not {shorten(repr(hard))}")
    constants = read_constants(stated["constants"])
    bounds = read_domain(stated["domain"], constants)
    unknowns = {
        check_name(key, "unknown"): as_unknown(value, f"unknown {key!r}")
        for key, value in table(stated["unknowns"], "unknowns").items()
    }
    scope, real = _scope(stated, bounds, constants, unknowns), None
    complex_fields = scope.complex
    if complex_fields:
        real = real_statement(stated, scope, bounds)
        stated, scope = real.stated, real.scope
    periodic = _periodic(stated["periodic"], scope)
    shapes = read_shapes(table(stated["shapes"], "shapes"), scope, bounds)
    region = _region(stated, scope, bounds, shapes)
    posed = Posed(
        name=name,
        bounds=bounds,
        constants=constants,
        unknowns=unknowns,
        fields=scope.fields,
        definitions=_definitions(stated["definitions"], scope),
        equations=_equations(stated["equations"], stated["fields"], scope),
        conditions=_conditions(stated["conditions"], scope, bounds, periodic, region, shapes),
        periodic=periodic,
        region=region,
        exact=_exact(stated["exact"], scope, unknowns),
        up_to_constant=_up_to_constant(stated["up_to_constant"], scope),
        complex=complex_fields,
    )
    if real is not None:
        posed = real.show(posed)
    state, arrays = (None, {}) if saved is None else saved
    step = None if state is None else state.get(STEP)
    if state is None:
        ansatz = _ansatz(stated["transform"], hard, posed)
    else:
        ansatz = ansatz_from({key: value for key, value in state.items() if key != STEP}, arrays, posed)
    check_integrals(posed, ansatz.transform)
    written = as_text(stated, posed, ansatz.transform)
    if real is not None:
        written = {**real.written, "inside": written["inside"]}
    return Reading(posed, ansatz, step, reference, _plain(written, unknowns))


def _read_states(stated: Mapping[str, Any], saved: Saved | None) -> Reading:
    """An eigenvalue problem with several states, each a field with a start of its own."""
    found = state_statement(stated, lambda one: read_problem(one).posed)
    read = read_problem(found.stated, saved)
    ansatz = read.ansatz if saved is not None else found.ansatz
    return replace(read, ansatz=ansatz, stated=_plain(found.written, {}))


def _name(name: Any) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w .+-]{0,79}", name):
        raise InputError(
            f"name must be up to 80 letters, digits, spaces and . + - _, not {shorten(repr(name))}"
        )
    return name


def _scope(
    stated: Mapping[str, Any], bounds: Bounds, constants: Mapping[str, float], unknowns: Mapping[str, Unknown]
) -> Scope:
    definitions = table(stated["definitions"], "definitions")
    names = tuple(check_name(name, "definition") for name in definitions)
    declared = sequence(stated["complex"], "complex")
    scope = Scope(tuple(bounds), (), names, constants, tuple(unknowns), vectors_of(unknowns), declared)
    check_collisions(scope)
    if stated["fields"] is None:
        formulas = (*sequence(stated["equations"], "equations"), *definitions.values())
        conditions = [without_place(entry) for entry in sequence(stated["conditions"], "conditions")]
        fields = infer_fields(formulas, conditions, scope)
    else:
        fields = tuple(check_name(name, "field") for name in sequence(stated["fields"], "fields"))
        if not fields:
            raise InputError("fields is empty: a problem needs a field to find")
    scope = replace(scope, fields=fields, complex=complex_names(declared, (*fields, *names)))
    check_collisions(scope)
    return scope


def _equations(stated: Any, stated_fields: Any, scope: Scope) -> tuple[Equation, ...]:
    entries = sequence(stated, "equations")
    if not entries and stated_fields is None:
        raise InputError(
            "equations is empty: a problem needs one, such as u_t = u_xx; to fit data only, name the fields"
        )
    labels = ["equation"] if len(entries) == 1 else [f"equation_{k + 1}" for k in range(len(entries))]
    equations = tuple(
        Equation(label, read_formula(entry, scope, label.replace("_", " "), equation=True))
        for label, entry in zip(labels, entries, strict=True)
    )
    if not scope.fields:
        raise InputError(
            "no field in the equations: one has derivatives, such as u_x, or is listed in fields"
        )
    return equations


def _region(
    stated: Mapping[str, Any], scope: Scope, bounds: Bounds, shapes: Mapping[str, Shape]
) -> Region | None:
    region = read_region(sequence(stated["inside"], "inside"), scope, bounds, shapes)
    if region is not None and stated["reference"] == "spectral":
        raise InputError("reference = 'spectral' is for the whole of a periodic box, not for a part of it")
    return region


def _conditions(
    stated: Any,
    scope: Scope,
    bounds: Bounds,
    periodic: tuple[str, ...],
    region: Region | None,
    shapes: Mapping[str, Shape],
) -> tuple[Condition, ...]:
    found: list[Condition] = []
    for number, entry in enumerate(sequence(stated, "conditions")):
        read = read_conditions(entry, scope, bounds, periodic, region, f"condition {number + 1}", shapes)
        found += [replace(condition, entry=number) for condition in read]
    return named(found)


def _definitions(stated: Any, scope: Scope) -> dict[str, Formula]:
    """Definitions in the order of their dependence."""
    formulas = {
        check_name(name, "definition"): read_formula(value, scope, f"definition of {name!r}")
        for name, value in table(stated, "definitions").items()
    }
    ordered: dict[str, Formula] = {}
    while len(ordered) < len(formulas):
        ready = [
            name
            for name, formula in formulas.items()
            if name not in ordered and all(used in ordered for used in formula.names if used in formulas)
        ]
        if not ready:
            circle = [name for name in formulas if name not in ordered]
            raise InputError(f"definitions that depend on one another in a circle: {listed(circle)}")
        ordered.update((name, formulas[name]) for name in ready)
    return ordered


def _periodic(stated: Any, scope: Scope) -> tuple[str, ...]:
    names = sequence(stated, "periodic")
    for name in names:
        if name not in scope.coordinates:
            hint = did_you_mean(str(name), scope.coordinates)
            known = listed(scope.coordinates)
            raise InputError(
                f"periodic: {shorten(repr(name))} is not a coordinate{hint or ';'} those are {known}"
            )
    return tuple(dict.fromkeys(names))


def _up_to_constant(stated: Any, scope: Scope) -> tuple[str, ...]:
    names = sequence(stated, "up_to_constant")
    for name in names:
        if name not in scope.differentiable:
            hint = did_you_mean(str(name), scope.differentiable) or ";"
            known = listed(scope.differentiable)
            raise InputError(f"up_to_constant: {shorten(repr(name))} is not a field{hint} those are {known}")
    return tuple(dict.fromkeys(names))


def _exact(stated: Any, scope: Scope, unknowns: Mapping[str, Unknown]) -> dict[str, Formula]:
    true = tuple(name for name, unknown in unknowns.items() if unknown.true is not None)
    vectors = {name: count for name, count in scope.vectors.items() if name in true}
    known = Scope(scope.coordinates, constants=scope.constants, unknowns=true, vectors=vectors)
    return _by_field(stated, "exact", scope.differentiable, known)


def _by_field(stated: Any, where: str, fields: tuple[str, ...], scope: Scope) -> dict[str, Formula]:
    formulas = {}
    for name, value in table(stated, where).items():
        if name not in fields:
            hint = did_you_mean(str(name), fields) or ";"
            raise InputError(f"{where}: {name!r} is not a field{hint} those are {listed(fields)}")
        formulas[name] = read_formula(value, scope, f"{where} {name!r}")
    return formulas


def _ansatz(stated: Any, hard: bool | None, posed: Posed) -> Ansatz:
    """The transform that makes conditions hold, stated or built, and the conditions that it satisfies."""
    vectors = vectors_of(posed.unknowns)
    raw = Scope(posed.coordinates, posed.fields, (), posed.constants, tuple(posed.unknowns), vectors)
    transform = _by_field(stated, "transform", posed.fields, raw)
    if transform:
        if hard:
            raise InputError("either state a transform or set hard = true, which builds one; not both")
        return proved(Ansatz(transform), posed)
    if hard:
        return choose_ansatz(posed)
    if hard is None and len(posed.coordinates) == 1 and posed.conditions:
        # Values at a point: a network meets a soft one by a spike there, and the trivial solution everywhere else.
        with contextlib.suppress(InputError):
            return choose_ansatz(posed)
    return Ansatz()


def _plain(stated: Mapping[str, Any], unknowns: Mapping[str, Unknown]) -> dict[str, Any]:
    """What was stated, as plain lists and tables, without what is empty."""
    plain = {key: _listed(value) for key, value in stated.items() if value not in (None, (), [], {})}
    plain.setdefault("equations", [])
    for key in ("equations", "conditions", "inside", "periodic", "fields", "up_to_constant", "complex"):
        if key in plain and not isinstance(plain[key], list):
            plain[key] = [plain[key]]
    if unknowns:
        plain["unknowns"] = {name: unknown_to_dict(unknown) for name, unknown in unknowns.items()}
    return plain


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _listed(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(entry) for entry in value]
    return value.item() if isinstance(value, np.number) else value
