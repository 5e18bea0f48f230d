"""Shapes that have a name: disks, boxes, cylinders and others, as levels that are positive inside.

Levels are scaled such that near the boundary they are distances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qres.formulas import Binary, Call, Expression, Name, minus, number, plus, power, times

Levels = tuple[Expression, ...]
"""All of which are positive inside."""


@dataclass(frozen=True)
class Primitive:
    """A shape that is called by its name.

    Args:
        dimensions: of space, in which the shape exists.
        arguments: what they are called, for each way to give them; `r`, `a`, `b` and `c` are lengths.
        levels: from the names of the coordinates of space and the arguments.
    """

    dimensions: tuple[int, ...]
    arguments: tuple[str, ...]
    levels: Callable[[Sequence[Name], Sequence[Expression]], Levels]

    def signatures(self, name: str) -> list[str]:
        """The ways to write it, for a message."""
        return [f"{name}({arguments})" for arguments in self.arguments]


def _square_distance(names: Sequence[Expression], centre: Sequence[Expression]) -> Expression:
    total: Expression = number(0.0)
    for name, at in zip(names, centre, strict=True):
        total = plus(total, power(minus(name, at), 2))
    return total


def _round(names: Sequence[Name], arguments: Sequence[Expression]) -> Levels:
    """`(r² - |x - c|²)/(2r)`."""
    *centre, radius = arguments
    return (_within(radius, _square_distance(names, centre)),)


def _within(radius: Expression, square: Expression) -> Expression:
    return Binary("/", minus(power(radius, 2), square), times(number(2.0), radius))


def _box(names: Sequence[Name], arguments: Sequence[Expression]) -> Levels:
    lower, upper = arguments[: len(names)], arguments[len(names) :]
    below = tuple(minus(name, low) for name, low in zip(names, lower, strict=True))
    return (*below, *(minus(high, name) for name, high in zip(names, upper, strict=True)))


def _ellipse(names: Sequence[Name], arguments: Sequence[Expression]) -> Levels:
    """`(1 - Σ ((x - c)/a)²) min(a)/2`."""
    centre, axes = arguments[: len(names)], arguments[len(names) :]
    total: Expression = number(0.0)
    for name, at, axis in zip(names, centre, axes, strict=True):
        total = plus(total, power(Binary("/", minus(name, at), axis), 2))
    size = Binary("/", Call("min", tuple(axes)), number(2.0))
    return (times(minus(number(1.0), total), size),)


def _half_space(names: Sequence[Name], arguments: Sequence[Expression]) -> Levels:
    """What is behind a point, seen along the normal, which points outwards."""
    at, normal = arguments[: len(names)], arguments[len(names) :]
    return (Binary("/", _along(names, normal, at), _length(normal)),)


def _along(
    names: Sequence[Expression], direction: Sequence[Expression], start: Sequence[Expression]
) -> Expression:
    total: Expression = number(0.0)
    for name, component, at in zip(names, direction, start, strict=True):
        total = plus(total, times(component, minus(at, name)))
    return total


def _length(vector: Sequence[Expression]) -> Expression:
    return Call("sqrt", (_square_distance(vector, [number(0.0)] * len(vector)),))


def _cylinder(names: Sequence[Name], arguments: Sequence[Expression]) -> Levels:
    """Along the third coordinate, without ends or between two heights; or from one point to another."""
    if len(arguments) < 7:
        radius = arguments[2]
        side = _within(radius, _square_distance(names[:2], arguments[:2]))
        ends = arguments[3:]
        return (side, minus(names[2], ends[0]), minus(ends[1], names[2])) if ends else (side,)
    start, end, radius = arguments[:3], arguments[3:6], arguments[6]
    axis = [minus(b, a) for a, b in zip(start, end, strict=True)]
    length = _length(axis)
    along = Binary("/", _along(start, axis, names), length)  # from the start
    square = minus(_square_distance(names, start), power(along, 2))
    return (_within(radius, square), along, minus(length, along))


PRIMITIVES: dict[str, Primitive] = {
    "disk": Primitive((2,), ("x0, y0, r",), _round),
    "ball": Primitive((3,), ("x0, y0, z0, r",), _round),
    "box": Primitive((1, 2, 3), ("x0, x1", "x0, y0, x1, y1", "x0, y0, z0, x1, y1, z1"), _box),
    "rectangle": Primitive((2,), ("x0, y0, x1, y1",), _box),
    "ellipse": Primitive((2,), ("x0, y0, a, b",), _ellipse),
    "ellipsoid": Primitive((3,), ("x0, y0, z0, a, b, c",), _ellipse),
    "cylinder": Primitive((3,), ("x0, y0, r", "x0, y0, r, z0, z1", "x0, y0, z0, x1, y1, z1, r"), _cylinder),
    "halfplane": Primitive((2,), ("x0, y0, nx, ny",), _half_space),
    "halfspace": Primitive((3,), ("x0, y0, z0, nx, ny, nz",), _half_space),
}
POLYGON = "polygon"
