"""Synthetic measurements: a random subset of known values, with noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from qres import reference
from qres.runtime.errors import InputError, check_keys, listed, number, one_of, shorten, whole_number

KEYS = ("reference", "points", "noise", "fields", "at")
EXACT = "exact"
_EXACT_KEYS = ("reference", "grid", "points", "noise")


@dataclass(frozen=True, eq=False)
class Draw:
    """A table to choose from, the columns that are measured, how many rows a run sees, and the noise added to them.

    `noise` is relative to the standard deviation: `u + noise · std(u) · normal`. Without `points` all rows are taken.
    """

    table: Mapping[str, Float[np.ndarray, " n"]]
    fields: tuple[str, ...]
    points: int | None = None
    noise: float = 0.0

    def __post_init__(self) -> None:
        if self.points is not None:
            whole_number(self.points, 1, "data points")
        number(self.noise, "noise", least=0)

    def columns(self, seed: int, place: int) -> dict[str, Float[np.ndarray, " points"]]:
        """The rows that a run with this seed sees; `place` tells several tables of a problem apart."""
        random = np.random.default_rng([seed, place])
        count = len(next(iter(self.table.values())))
        rows = np.arange(count)
        if self.points is not None and self.points < count:
            rows = random.choice(count, self.points, replace=False)
        found = {name: np.array(column[rows]) for name, column in self.table.items()}
        for name in self.fields if self.noise else ():
            found[name] += self.noise * np.std(found[name]) * random.standard_normal(len(rows))
        return found

    def with_options(self, points: int | None, noise: float | None) -> Draw:
        """The same with other numbers, where they are not None."""
        return replace(
            self,
            points=self.points if points is None else points,
            noise=self.noise if noise is None else noise,
        )


def from_reference(table: Mapping[str, Any]) -> tuple[Draw, str]:
    """What `[problem.data]` says about a reference: `reference = "burgers"`, `points = 2000`; and its name."""
    check_keys(table, KEYS, "[problem.data] with a reference")
    name = one_of(table["reference"], reference.names(), "reference")
    found, source = _held(reference.gridded(name), table.get("at", {}), name)
    known = list(found.fields)
    fields = table.get("fields", known)
    if not isinstance(fields, list) or not fields:
        raise InputError(f'[problem.data] fields must be a list, such as ["u"], not {shorten(repr(fields))}')
    for field in fields:
        one_of(field, known, f"field of the reference {name}:")
    columns = dict(zip(found.axes, found.points(), strict=True))
    columns |= {field: found.fields[field].ravel() for field in fields}
    return Draw(columns, tuple(fields), table.get("points"), table.get("noise", 0.0)), source


def from_exact(
    table: Mapping[str, Any],
    bounds: Mapping[str, tuple[float, float]],
    exact: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> tuple[Draw, str]:
    """What `[problem.data]` says about the exact solution: `reference = "exact"`, `grid = 1001` along each axis."""
    check_keys(table, _EXACT_KEYS, "[problem.data] with the exact solution")
    count = whole_number(table.get("grid", 101), 2, "[problem.data] grid")
    meshes = np.meshgrid(*[np.linspace(low, high, count) for low, high in bounds.values()], indexing="ij")
    columns = {name: mesh.ravel() for name, mesh in zip(bounds, meshes, strict=True)}
    values = exact(columns)
    if not values:
        raise InputError('[problem.data] reference = "exact", but the problem states no exact solution')
    fields = {
        name: np.broadcast_to(np.asarray(value), len(meshes[0].ravel())) for name, value in values.items()
    }
    draw = Draw({**columns, **fields}, tuple(fields), table.get("points"), table.get("noise", 0.0))
    return draw, "the exact solution"


def _held(known: reference.Gridded, at: Any, name: str) -> tuple[reference.Gridded, str]:
    """The reference where some coordinates have one value only, such as a snapshot, and what to call that."""
    source = f"reference {name}"
    for axis, value in check_keys(at, list(known.axes), "[problem.data] at").items():
        wanted = number(value, f"[problem.data] at {axis}")
        nearest, is_there = known.nearest(axis, wanted)
        if not is_there:
            shown = listed(f"{v:g}" for v in known.axes[axis][max(nearest - 1, 0) : nearest + 2])
            raise InputError(
                f"[problem.data] at {axis} = {value:g}: the reference {name} has no such {axis}; near are {shown}"
            )
        known = known.take(axis, [nearest])
        source += f" at {axis} = {wanted:g}"
    return known, source
