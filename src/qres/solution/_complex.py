"""Complex fields of a solution, from their real and imaginary parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from qres.fields import relative_error
from qres.formulas import modulus_name, part_names
from qres.problems import Problem


def default_names(problem: Problem) -> tuple[str, ...]:
    """What is given where nothing is named: a complex field as such, not by its parts."""
    hidden = {part for name in problem.complex for part in (*part_names(name), modulus_name(name))}
    names = (*problem.fields, *problem.definitions)
    return (*problem.complex, *(name for name in names if name not in hidden))


def joined(rows: Iterable[Any], parts: Sequence[tuple[Any, ...]]) -> Iterator[np.ndarray]:
    """A row for each request, complex where its value has two parts."""
    values = iter(rows)
    for pair in parts:
        real = next(values)
        yield real if len(pair) == 1 else real + 1j * next(values)


def values_of(problem: Problem, columns: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """A field that is known by itself, or a complex one by its parts."""
    if name not in problem.complex:
        return columns[name]
    real, imaginary = part_names(name)
    return columns[real] + 1j * columns[imaginary]


def complex_errors(
    problem: Problem, found: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]
) -> dict[str, float]:
    """The relative errors of complex fields whose parts are both known."""
    known = [name for name in problem.complex if {*part_names(name)} <= found.keys() & right.keys()]
    return {
        name: relative_error(values_of(problem, found, name), values_of(problem, right, name))
        for name in known
    }
