"""Inference of field names: those with derivatives, or called in a condition."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from qres.formulas import (
    DIFF,
    INTEGRALS,
    Scope,
    check_name,
    check_spelling,
    derivatives,
    parameters_of,
    parse,
)

from ._condition import At


def infer_fields(formulas: Sequence[Any], conditions: Sequence[Any], scope: Scope) -> tuple[str, ...]:
    """The fields of equations and definitions, in order of first appearance.

    A name without derivatives is a field where it stands in an equation and is called in a condition or an integral.
    """
    called = {name for stated in conditions for name in _called(stated, scope)}
    called |= {name for stated in formulas for name in _integrated(stated, scope)}
    found = {name for stated in formulas for name in _appearing(stated, called, scope)}
    ordered = [name for stated in formulas for name in _appearing(stated, called | found, scope)]
    return tuple(check_name(name, "field") for name in dict.fromkeys(ordered))


def _appearing(stated: Any, called: set[str], scope: Scope) -> Iterator[str]:
    return _parameters(stated, scope) if callable(stated) else _fields_in(stated, called, scope)


def _parameters(function: Any, scope: Scope) -> Iterator[str]:
    for name in parameters_of(function, "equations"):
        if name not in scope.names():
            check_spelling(name, scope, "equations")
            yield name


def _identifiers(tree: ast.AST) -> Iterator[ast.Name]:
    """The names in a tree, in the order they are written."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return iter(sorted(found, key=lambda node: (node.lineno, node.col_offset)))


def _base(name: str, scope: Scope) -> str | None:
    """The undeclared name that this is a derivative of; the longest, as only that leaves no letter unread."""
    if name in scope.names() or scope.resolve(name) is not None:
        return None
    bases = [
        base
        for base, _ in derivatives(name, scope.coordinates)
        if base not in scope.names() and base[0].isalpha()
    ]
    return bases[-1] if bases and bases[-1] not in scope.functions else None


def _fields_in(text: Any, called: Collection[str], scope: Scope) -> Iterator[str]:
    for tree in parse(text, "equations"):
        for node in _identifiers(tree):
            if node.id in called and node.id not in scope.names():
                yield node.id
            elif (base := _base(node.id, scope)) is not None:
                yield base


def _integrated(stated: Any, scope: Scope) -> Iterator[str]:
    """The names that integrals in a formula take at a place."""
    if callable(stated):
        return
    for tree in parse(stated, "equations"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in INTEGRALS:
                yield from _calls(node, scope)


def _called(stated: Any, scope: Scope) -> Iterator[str]:
    """The names that a condition takes at a place."""
    if callable(stated) or isinstance(stated, At):
        return
    for tree in parse(stated, "conditions"):
        yield from _calls(tree, scope)


def _calls(tree: ast.AST, scope: Scope) -> Iterator[str]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id not in (*scope.functions, DIFF, *INTEGRALS)
        ):
            yield _base(node.func.id, scope) or node.func.id
