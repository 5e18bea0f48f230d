"""Gridded arrays as columns: the axes of an array are matched to coordinate vectors by length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qres.runtime.errors import InputError, listed, shorten

Arrays = Mapping[str, np.ndarray]
Columns = dict[str, np.ndarray]
Reasons = dict[str, str]  # why an array is left out, by name


def as_columns(arrays: Arrays, source: str, axes: Any = None) -> tuple[Columns, Reasons]:
    """Columns of equal length from arrays without axes of length one; and what cannot be one, with the reason.

    Arrays of two or more dimensions lie on the grid that vectors span, or have, coordinates included, one shape.

    Args:
        arrays: numbers, by name.
        source: what a message calls them.
        axes: the vectors along an array's axes, in this order, where the lengths do not tell.
    """
    vectors = {name: array for name, array in arrays.items() if array.ndim == 1}
    blocks = {name: array for name, array in arrays.items() if array.ndim > 1}
    scalars = {name: array for name, array in arrays.items() if array.ndim == 0}
    if not blocks:
        return _spread(vectors, scalars), {}
    stated = None if axes is None else _stated(axes, arrays, source)
    along, reasons = _all_axes(blocks, vectors, stated)
    if along:
        grid = max(along.values(), key=len)
        columns, reasons = _on_grid(arrays, along, grid, reasons)
    elif stated is None and len(blocks) > 1 and len({block.shape for block in blocks.values()}) == 1:
        columns = {name: block.ravel() for name, block in blocks.items()}
        shape = next(iter(blocks.values())).shape
        reasons = {
            name: f"has length {len(vector)}, the arrays have shape {shape}"
            for name, vector in vectors.items()
        }
    elif stated is None and len({len(vector) for vector in vectors.values()}) == 1:
        columns = vectors
    else:
        name, reason = next(iter(reasons.items()))
        raise InputError(f"{source}: {name} {reason}")
    return _spread(columns, scalars), reasons


def _stated(axes: Any, arrays: Arrays, source: str) -> tuple[str, ...]:
    if not isinstance(axes, list | tuple) or not axes or not all(isinstance(name, str) for name in axes):
        raise InputError(f'{source}: axes must be a list, such as ["x", "t"], not {shorten(repr(axes))}')
    wrong = [name for name in axes if name not in arrays or arrays[name].ndim > 1]
    if wrong or len(set(axes)) < len(axes):
        vectors = [name for name, array in arrays.items() if array.ndim == 1]
        raise InputError(
            f"{source}: axes must name vectors of the file, each once, not {listed(axes)}; those are {listed(vectors)}"
        )
    return tuple(name for name in axes if arrays[name].ndim)


def _all_axes(
    blocks: Arrays, vectors: Arrays, stated: tuple[str, ...] | None
) -> tuple[dict[str, tuple[str, ...]], Reasons]:
    """The vectors along the axes of each array; for those where that cannot be said, why."""
    along: dict[str, tuple[str, ...]] = {}
    reasons: Reasons = {}
    for name, block in blocks.items():
        found = _stated_along(block, vectors, stated) if stated else _along(block, vectors)
        if isinstance(found, str):
            reasons[name] = f"has shape {block.shape}, {found}"
        else:
            along[name] = found
    return along, reasons


def _stated_along(block: np.ndarray, vectors: Arrays, stated: tuple[str, ...]) -> tuple[str, ...] | str:
    shape = tuple(len(vectors[axis]) for axis in stated)
    return stated if block.shape == shape else f"and axes {listed(stated)} have lengths {shape}"


def _along(block: np.ndarray, vectors: Arrays) -> tuple[str, ...] | str:
    """The vectors along the axes of an array, by length; or why they cannot be told."""
    fitting = [[name for name in vectors if len(vectors[name]) == size] for size in block.shape]
    for size, names in zip(block.shape, fitting, strict=True):
        if len(names) < block.shape.count(size):
            have = f"only {names[0]}" if names else "no vector in the file"
            return f"and {have} has length {size}"
    if all(len(names) == 1 for names in fitting):
        return tuple(names[0] for names in fitting)
    unclear = next(names for names in fitting if len(names) > 1)
    example: list[str] = []
    for names in fitting:
        example.append(next(name for name in names if name not in example))
    shown = ", ".join(f'"{name}"' for name in example)
    return (
        f"and {listed(unclear)} have the same length: say what lies along its axes, such as axes = [{shown}]"
    )


def _on_grid(
    arrays: Arrays, along: Mapping[str, tuple[str, ...]], grid: Sequence[str], reasons: Reasons
) -> tuple[Columns, Reasons]:
    meshes = np.meshgrid(*(arrays[axis] for axis in grid), indexing="ij")
    columns = {axis: mesh.ravel() for axis, mesh in zip(grid, meshes, strict=True)}
    for name, axes in along.items():
        if set(axes) == set(grid):
            columns[name] = arrays[name].transpose([axes.index(axis) for axis in grid]).ravel()
        else:
            reasons[name] = (
                f"lies along {listed(axes)} only, others along {listed(grid)}: use a file for each"
            )
    for name, array in arrays.items():
        if array.ndim == 1 and name not in grid:
            reasons[name] = f"has length {len(array)}, and lies along no axis of {listed(along)}"
    return columns, reasons


def _spread(columns: Arrays, scalars: Arrays) -> Columns:
    """A single value, such as the time of a snapshot, is that of all points."""
    count = max((len(column) for column in columns.values()), default=1)
    return {**columns, **{name: np.full(count, value) for name, value in scalars.items()}}
