"""Loss terms by name: registered ones, and those of which a file has the name only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from qres.runtime.errors import InputError, listed, shorten
from qres.runtime.registry import Registry

from ._residual import Kind, Term

TERMS: Registry[Term] = Registry("loss term", {}, "term")
Terms = Mapping[str, Term] | Sequence[str]
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_RESERVED = (*get_args(Kind), "stages", "snapshot")  # what names of the problem's own terms begin with


def register_term(name: str, term: Term) -> None:
    """Give a loss term a name, so that `terms = ["name"]` may have it, in files, runs and sweeps.

    Args:
        name: lower-case letters, digits, `_`, `-` and `.`; the loss has the term under this name.
        term: any object with the methods of `qres.extend.Term`.
    """
    _check(name, term)
    TERMS.register(name, term)


def name_terms(terms: Terms) -> tuple[str, ...]:
    """Terms as a file has them: a registered one by its name, any other by its name in angle brackets."""
    if isinstance(terms, str) or not isinstance(terms, Mapping | Sequence):
        raise InputError(f'terms must be {{"name": term, …}} or a list of names, not {shorten(repr(terms))}')
    if not isinstance(terms, Mapping):
        return tuple(terms)
    for name, term in terms.items():
        _check(name, term)
    return tuple(name if TERMS.added.get(name) is term else f"<{name}>" for name, term in terms.items())


def check_term_names(stated: Any) -> tuple[str, ...]:
    """The names themselves, once each is registered or in angle brackets."""
    if not isinstance(stated, list | tuple):
        raise InputError(f"terms must be a list of names, not {shorten(repr(stated))}")
    for name in stated:
        if not _is_object(name):
            TERMS.check(name)
    if len({_plain(name) for name in stated}) < len(stated):
        raise InputError(f"terms: {listed(stated)}: a name is there twice")
    return tuple(stated)


def find_terms(stated: Sequence[str], given: Terms | None = None) -> dict[str, Term]:
    """The terms of a run by name: registered ones, and objects that were given.

    Args:
        stated: as a file has them.
        given: those that the caller has; they must be the run's.
    """
    own = given if isinstance(given, Mapping) else {}
    names = [_plain(name) for name in stated]
    if given is not None and sorted(_plain(name) for name in given) != sorted(names):
        raise InputError(
            f"terms: the run has {listed(names)}, and goes on with no others, such as {listed(given)}"
        )
    for name in stated:
        if _is_object(name) and _plain(name) not in own:
            raise InputError(
                f"term {name} was given as an object, which a file does not hold: give it again as "
                "terms=, or register it with qres.extend.register_term"
            )
    return {name: own[name] if name in own else TERMS[name] for name in names}


def _check(name: Any, term: Any) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(
            f"terms: {shorten(repr(name))} is no name: letters, digits, '_', '-' and '.', a letter first"
        )
    if name.split("_", maxsplit=1)[0] in _RESERVED:
        raise InputError(f"terms: {name!r} is a name of the problem's own terms; choose another")
    if isinstance(term, type) or not isinstance(term, Term):
        raise InputError(
            f"term {name!r}: {shorten(repr(term))} has no methods points(key) and residual(fields, points, unknowns)"
        )


def _is_object(name: Any) -> bool:
    return isinstance(name, str) and name.startswith("<") and name.endswith(">")


def _plain(name: str) -> str:
    return name[1:-1] if _is_object(name) else name
