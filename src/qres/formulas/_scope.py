"""The names that a formula may use, and their meaning."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from qres.jets import MultiIndex, index_of
from qres.runtime.errors import InputError, did_you_mean, listed, shorten

from ._expression import CALLABLE, COMPLEX_FUNCTIONS, IMAGINARY, MATHEMATICAL_CONSTANTS, Derivative, Name

HIGHEST_ORDER = 8


@dataclass(frozen=True)
class Scope:
    """The coordinates, fields, definitions, constants (with their values) and unknowns of a problem.

    `vectors` are those unknowns that are several numbers, with how many. Where there are `complex` fields or
    definitions, `i` is the imaginary unit. `variables` are those of the integrals around a formula.
    """

    coordinates: tuple[str, ...]
    fields: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    constants: Mapping[str, float] = field(default_factory=dict)
    unknowns: tuple[str, ...] = ()
    vectors: Mapping[str, int] = field(default_factory=dict)
    complex: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()

    def groups(self) -> dict[str, tuple[str, ...]]:
        """All names but those of functions, by what they are."""
        return {
            "coordinates": self.coordinates,
            "fields": self.fields,
            "definitions": self.definitions,
            "constants": tuple(self.constants),
            "unknowns": self.unknowns,
            "variables of integration": self.variables,
            "numbers": (*MATHEMATICAL_CONSTANTS, *((IMAGINARY,) if self.complex else ())),
        }

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that formulas may call."""
        return (*CALLABLE, *(COMPLEX_FUNCTIONS if self.complex else ()))

    @property
    def differentiable(self) -> tuple[str, ...]:
        """The names that may carry derivatives."""
        return self.fields + self.definitions

    def names(self) -> tuple[str, ...]:
        """All names but those of functions."""
        return tuple(name for group in self.groups().values() for name in group)

    def known(self) -> str:
        """All names, for a message."""
        groups = [f"{kind} {listed(names)}" for kind, names in self.groups().items() if names]
        return "; ".join([*groups, f"functions {listed(self.functions)}"])

    def resolve(self, name: str) -> Name | Derivative | None:
        """What an identifier means: a declared name, a derivative such as `u_xx`, or None, nothing known."""
        if name in self.names():
            return Name(name)
        readings = [
            (base, index)
            for base, index in derivatives(name, self.coordinates)
            if base in self.differentiable
        ]
        if len(readings) > 1:
            raise InputError(
                f"{name!r} can be read as a derivative of {listed(base for base, _ in readings)}"
            )
        return Derivative(*readings[0], written=name) if readings else None

    def unknown(self, name: str) -> str:
        """Why a name that means nothing is wrong, for a message."""
        base, _, suffix = name.rpartition("_")
        if base in self.differentiable:
            return _not_a_derivative(name, suffix, self.coordinates)
        if name == IMAGINARY:
            return "unknown name 'i': it is the imaginary unit where fields are declared complex, complex = [\"h\"]"
        hint = did_you_mean(name, (*self.names(), *self.functions))
        return f"unknown name {shorten(name, 40)!r}{hint or ';'} known are {self.known()}"


def _not_a_derivative(name: str, suffix: str, coordinates: tuple[str, ...]) -> str:
    if len(suffix) > longest_suffix(coordinates):
        return f"{shorten(name, 40)!r}: derivatives go up to order {HIGHEST_ORDER}"
    rest = suffix
    for coordinate in sorted(coordinates, key=len, reverse=True):
        rest = rest.replace(coordinate, "")
    rest = rest[:1] if len(set(rest)) == 1 else rest or suffix
    known = listed(coordinates)
    return f"{name!r} is a derivative in {rest!r}, which is not a coordinate; the coordinates are {known}"


def longest_suffix(coordinates: tuple[str, ...]) -> int:
    """How many letters the suffix of a derivative may have; longer ones have several readings to try."""
    return HIGHEST_ORDER * max(map(len, coordinates), default=0)


def derivatives(name: str, coordinates: tuple[str, ...]) -> Iterator[tuple[str, MultiIndex]]:
    """The ways to read a name as a derivative: the name of a field, and orders in each coordinate."""
    for place, letter in enumerate(name):
        base, suffix = name[:place], name[place + 1 :]
        if (
            letter != "_"
            or not base
            or base.endswith("_")
            or not 0 < len(suffix) <= longest_suffix(coordinates)
        ):
            continue
        try:
            index = index_of(suffix, coordinates) or index_of(suffix.replace("_", ""), coordinates)
        except ValueError as error:
            raise InputError(f"{name!r}: {error}") from None
        if index is not None and any(index):
            yield base, index


def check_name(name: Any, what: str) -> str:
    """A name as the grammar sees it, once it is one."""
    if not isinstance(name, str):
        raise InputError(f"{what} must be named by text, not {shorten(repr(name))}")
    name = unicodedata.normalize("NFKC", name)
    if not name.isidentifier() or not name[0].isalpha():
        raise InputError(
            f"{what} {shorten(name, 40)!r}: a name is a letter, then letters, digits and underscores"
        )
    if keyword.iskeyword(name):
        raise InputError(f"{what} {name!r}: a reserved word of Python cannot be a name; try {name + '_1'!r}")
    if name in CALLABLE or name in MATHEMATICAL_CONSTANTS:
        raise InputError(f"{what} {name!r}: that name is taken by the function or number {name}")
    return name


def check_collisions(scope: Scope) -> None:
    """No name means two things, nor can be read as a derivative besides."""
    kind_of: dict[str, str] = {}
    for kind, names in scope.groups().items():
        for name in names:
            if name in kind_of:
                raise InputError(f"the name {name!r} is used twice: in {kind_of[name]} and in {kind}")
            kind_of[name] = kind
    for name in scope.names():
        for base, _ in derivatives(name, scope.coordinates):
            if base in scope.differentiable:
                raise InputError(
                    f"{name!r} in {kind_of[name]} could also be a derivative of {base!r}; choose another name"
                )
