"""Requests to a solution: a field, one of its derivatives, or a formula."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from qres.formulas import (
    Formula,
    Integral,
    Values,
    integrals_through,
    part_names,
    read_formula,
    split_formula,
)
from qres.jets import Jet, MultiIndex, Recording, Truncation, index_of
from qres.posed.evaluator import recorded_coordinates, with_integrals
from qres.problems import Problem
from qres.runtime.errors import InputError, did_you_mean

from ._model import recorded_fields

Request = tuple[str, MultiIndex] | Formula
_LABEL = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)


def labelled(text: str) -> tuple[str, str]:
    """What a request is called, and what it asks for: `"speed = sqrt(u^2 + v^2)"` has a name of its own."""
    if not isinstance(text, str):
        raise InputError(f"a field or formula must be text, not {text!r}")
    found = _LABEL.fullmatch(text)
    return (found[1], found[2]) if found else (text, text)


def parse_request(problem: Problem, text: str) -> Request:
    """The derivative that `"u_xx"` asks for, or a formula, `"sqrt(u_x^2 + u_y^2)"`; definitions count as fields."""
    found = parse_parts(problem, text)
    if len(found) > 1:
        raise InputError(f"{labelled(text)[1]!r} is complex; take abs, real or imag of it")
    return next(iter(found.values()))


def parse_parts(problem: Problem, text: str) -> dict[str, Request]:
    """A request by its label; that for a complex value, `"h_x"`, as those for its real and its imaginary part."""
    label, asked = labelled(text)
    asked = asked.strip()
    if not problem.complex or asked in (*problem.fields, *problem.definitions):
        return {label: _derivative(problem, asked) if _is_field(problem, asked) else _formula(problem, asked)}
    scope = replace(problem.scope, fields=(*problem.fields, *problem.complex), complex=problem.complex)
    formula = read_formula(asked, scope, "the formula")
    real, imaginary = split_formula(formula, problem.complex, f"the formula {asked!r}")
    if imaginary is None:
        return {label: real}
    names = (
        part_names(label)
        if label in problem.complex or label != text
        else (f"real({label})", f"imag({label})")
    )
    return dict(zip(names, (real, imaginary), strict=True))


def _is_field(problem: Problem, text: str) -> bool:
    """Whether a text is one name, which must then be that of a field or a derivative."""
    scope = problem.scope
    return (
        re.fullmatch(r"\w*", text) is not None
        and (text in scope.differentiable or text not in scope.names())
        and not text.isnumeric()
    )


def _formula(problem: Problem, text: str) -> Formula:
    return read_formula(text, problem.scope, "the formula")


def _derivative(problem: Problem, text: str) -> tuple[str, MultiIndex]:
    names = [*problem.fields, *problem.definitions]
    zero = (0,) * len(problem.coordinates)
    if text in names:
        return text, zero
    for field in sorted(names, key=len, reverse=True):
        if not text.startswith(f"{field}_"):
            continue
        suffix = text.removeprefix(f"{field}_")
        index = index_of(suffix, problem.coordinates) or index_of(
            suffix.replace("_", ""), problem.coordinates
        )
        if index is not None and any(index):
            return field, index
        raise InputError(
            f"{text!r}: {suffix!r} is not a derivative; the coordinates are {', '.join(problem.coordinates)}"
        )
    hint = did_you_mean(text, names) or ";"
    raise InputError(f"{text!r} is not a field{hint} those are {', '.join(names)}")


def value_of(request: Request, names: Values) -> Any:
    """The value of a request where all that formulas may name is given, as jets or recordings."""
    if isinstance(request, Formula):
        return request(names)
    name, index = request
    return names[name].derivative(index) if isinstance(names[name], Jet | Recording) else names[name]


def requested(problem: Problem, requests: tuple[Request, ...]) -> Truncation:
    """What requests need of the network, through the ansatz and the definitions."""
    coordinates = recorded_coordinates(problem.coordinates)
    integrals = requested_integrals(problem, requests)
    fields = with_integrals(problem, recorded_fields(problem), integrals, problem.start)(coordinates)
    names = problem.names(fields, coordinates, problem.start)
    found = [value_of(request, names) for request in requests]
    asked = [value.needs for value in found if isinstance(value, Recording)]
    return Truncation.closure(problem.coordinates, frozenset().union(*asked))


def requested_integrals(problem: Problem, requests: tuple[Request, ...]) -> tuple[Integral, ...]:
    """The integrals in what is asked for, by itself or through definitions."""
    formulas = [one.residual for one in requests if isinstance(one, Formula)]
    names = [one[0] for one in requests if not isinstance(one, Formula)]
    return integrals_through(problem.definitions, formulas, names)
