"""`integral(u^2, x)`, `mean(u, x, 0, 0.5)` and `integral(exp(-(x - s)^2)*u(s), s)` from their syntax trees."""

from __future__ import annotations

import ast
from typing import NoReturn, Protocol

from qres.jets import index_of
from qres.runtime.errors import listed, shorten

from .._expression import Expression, Integral, Located, walk
from .._scope import Scope
from ..notation import text_of

LONGEST_NAME = 20


class ReadsExpressions(Protocol):
    """What reads the parts of an integral: the grammar's reader."""

    @property
    def scope(self) -> Scope:
        """The names that are known."""
        ...

    def read(self, tree: ast.expr, depth: int = 0) -> Expression:
        """The expression of a syntax tree."""
        ...

    def fail(self, message: str) -> NoReturn:
        """Raises an error that says where it is."""
        ...

    def inside_integral(self, variables: tuple[str, ...]) -> ReadsExpressions:
        """The same, where fields may stand at any place, and variables of integration have a name."""
        ...

    def without_fields(self) -> ReadsExpressions:
        """The same, where only coordinates, variables, constants and unknowns are known."""
        ...


def read_integral(function: str, arguments: list[ast.expr], reader: ReadsExpressions, depth: int) -> Integral:
    """The integral over a coordinate, several (`xy`), or a variable that stands for one."""
    if len(arguments) not in (2, 4) or not isinstance(arguments[1], ast.Name):
        reader.fail(
            f"{function} takes an expression, what it is over, and two bounds where those are not the domain's: "
            f"{function}(u^2, x), {function}(u, x, 0, 0.5)"
        )
    variables = _variables(function, arguments[1].id, reader)
    coordinates = reader.scope.coordinates
    own = tuple(name for name in variables if name not in coordinates)
    integrand = reader.inside_integral(own).read(arguments[0], depth)
    bounds = None
    if len(arguments) == 4:
        if len(variables) > 1:
            reader.fail(f"{function}: bounds are for one coordinate; nest integrals for several")
        low, high = (reader.without_fields().read(one, depth) for one in arguments[2:])
        bounds = (low, high)
    over = variables if not own else (_stands_for(function, own[0], integrand, bounds is not None, reader),)
    return integral_of(function, integrand, variables, over, bounds)


def integral_of(
    function: str,
    integrand: Expression,
    variables: tuple[str, ...],
    over: tuple[str, ...],
    bounds: tuple[Expression, Expression] | None,
) -> Integral:
    """An integral with its text."""
    parts = [text_of(integrand), "".join(variables), *(text_of(bound) for bound in bounds or ())]
    return Integral(function, integrand, variables, over, bounds, f"{function}({', '.join(parts)})")


def _variables(function: str, name: str, reader: ReadsExpressions) -> tuple[str, ...]:
    """The coordinates that a name means, or the name itself as a variable."""
    scope = reader.scope
    try:
        index = index_of(name, scope.coordinates)
    except ValueError as error:
        reader.fail(f"{function}(…, {shorten(name, LONGEST_NAME)}): {error}")
    if index is not None and any(index):
        if max(index) > 1:
            reader.fail(f"{function}(…, {name}): each coordinate stands there once")
        return tuple(c for c, order in zip(scope.coordinates, index, strict=True) if order)
    if name in (*scope.names(), *scope.functions) or scope.resolve(name) is not None:
        known = listed(scope.coordinates)
        what = f"{function}(…, {shorten(name, LONGEST_NAME)})"
        reader.fail(f"{what}: neither a coordinate, {known}, nor the new name of a variable")
    return (name,)


def _stands_for(
    function: str, variable: str, integrand: Expression, bounded: bool, reader: ReadsExpressions
) -> str:
    """The coordinate whose place a variable takes, `u(t, s)`."""
    coordinates = reader.scope.coordinates
    places = {
        name
        for part in walk(integrand)
        if isinstance(part, Located)
        for name, value in zip(coordinates, part.location, strict=True)
        if value == variable
    }
    if len(places) == 1:
        return places.pop()
    if not bounded:
        where = "no field" if not places else f"{listed(sorted(places))} of fields"
        reader.fail(
            f"{function}(…, {variable}): {variable!r} is an argument of {where}; say its bounds, "
            f"{function}(…, {variable}, 0, 1)"
        )
    return ""
