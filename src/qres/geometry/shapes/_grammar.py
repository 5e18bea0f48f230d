"""Shapes in words: `"box(-1, -1, 1, 1) - disk(0, 0, 0.5)"`, comparisons, and names of shapes, put together."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from qres.formulas import (
    Binary,
    Comparison,
    Expression,
    Name,
    Reader,
    Scope,
    check_constants,
    constant_value,
    mathml_of,
    names_in,
    parse,
)
from qres.geometry.facets import Facets, closed_polygon
from qres.runtime.errors import InputError, did_you_mean, listed, shorten

from .._surface import Bounds, Intersection, Solid, Surface, Union, complement
from ._level import facets_surface
from ._primitives import POLYGON, PRIMITIVES

EXAMPLE = "x^2 + y^2 < 1"
TIME = "t"
_SIGNS = {ast.Add: "∪", ast.BitOr: "∪", ast.Sub: "∖", ast.BitAnd: "∩"}
_OWN = "&|"  # what formulas have not
_DEEPEST = 100


@dataclass(frozen=True)
class Shape:
    """A part of space as it was read, that as MathML, and the parts of its surface that have a name."""

    solid: Solid
    mathml: str
    groups: Mapping[str, Surface] = field(default_factory=lambda: MappingProxyType({}))


def read_shape(text: Any, scope: Scope, bounds: Bounds, shapes: Mapping[str, Shape], where: str) -> Shape:
    """A shape from text.

    Args:
        text: comparisons, shapes by name, `disk(0, 0, 1)`, and what is made of them.
        scope: the coordinates and constants that may be used.
        bounds: of the box.
        shapes: those that have a name of their own.
        where: what it is part of, for a message.
    """
    tree, *others = parse(text, where, also=_OWN)
    reader = _ShapeReader(Reader(scope, f"{where} {shorten(text)!r}"), bounds, shapes)
    if others:
        reader.fail(f"a comparison is wanted, such as {EXAMPLE!r}, or a shape, such as 'disk(0, 0, 1)'")
    return reader.read(tree)


@dataclass(frozen=True)
class _ShapeReader:
    reader: Reader
    bounds: Bounds
    shapes: Mapping[str, Shape]

    def fail(self, message: str) -> NoReturn:
        raise InputError(f"{self.reader.where}: {message}")

    @property
    def _space(self) -> list[Name]:
        return [Name(name) for name in self.bounds if name != TIME]

    def read(self, tree: ast.expr, depth: int = 0, part: str = "") -> Shape:
        """The shape of a syntax tree; `part` is what it is one of, for a message."""
        if depth > _DEEPEST:
            self.fail(f"more than {_DEEPEST} shapes within one another")
        match tree:
            case ast.Compare():
                return self._comparison(tree)
            case ast.BoolOp(op=operator, values=values):
                word = "and" if isinstance(operator, ast.And) else "or"
                parts = [self.read(value, depth + 1, "each part") for value in values]
                rows = [_grouped(one, value) for one, value in zip(parts, values, strict=True)]
                solids = tuple(one.solid for one in parts)
                joined = f"<mtext>&#xa0;{word}&#xa0;</mtext>".join(rows)
                solid = Intersection(solids) if word == "and" else Union(solids)
                return Shape(solid, f"<mrow>{joined}</mrow>")
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _SIGNS:
                a, b = self.read(left, depth + 1, "each part"), self.read(right, depth + 1, "each part")
                sign = _SIGNS[type(operator)]
                row = f"<mrow>{_grouped(a, left)}<mo>{sign}</mo>{_grouped(b, right)}</mrow>"
                return Shape(_combined(sign, a.solid, b.solid), row)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                whole = self.read(operand, depth + 1, "each part")
                return Shape(complement(whole.solid), f"<mrow><mo>∁</mo>{_grouped(whole, operand)}</mrow>")
            case ast.Name(id=name) if name in self.shapes:
                return self.shapes[name]
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._called(name, arguments)
            case _:
                return self._unknown(tree, part)

    def _unknown(self, tree: ast.expr, part: str) -> NoReturn:
        culprit = shorten(ast.unparse(tree), 40)
        if isinstance(tree, ast.Name):
            hint = did_you_mean(tree.id, self.shapes)
            named = f"; shapes are {listed(self.shapes)}" if self.shapes and not hint else hint or ""
            if part:
                self.fail(f"{part} must be a comparison, such as 'x < 0.5', not {culprit!r}{named}")
            self.fail(f"a comparison is wanted, such as {EXAMPLE!r}, or a shape, not {culprit!r}{named}")
        if part:
            self.fail(f"{part} must be a comparison, such as 'x < 0.5', or a shape, not {culprit!r}")
        self.fail(f"a comparison is wanted, such as {EXAMPLE!r}, or a shape, such as 'disk(0, 0, 1)'")

    def _comparison(self, tree: ast.Compare) -> Shape:
        found = self.reader.condition(tree, "each part")
        check_constants(found, self.reader.scope.constants, self.reader.where)
        assert isinstance(found, Comparison)
        pairs = zip(found.signs, pairwise(found.sides), strict=True)
        ordered = [(b, a) if sign in ("<", "<=") else (a, b) for sign, (a, b) in pairs]
        return Shape(self._where([Binary("-", more, less) for more, less in ordered]), mathml_of(found))

    def _where(self, levels: Sequence[Expression]) -> Solid:
        surfaces = tuple(Surface(level, self.reader.scope.constants, self.bounds) for level in levels)
        return surfaces[0] if len(surfaces) == 1 else Intersection(surfaces)

    def _called(self, name: str, arguments: list[ast.expr]) -> Shape:
        if name == POLYGON:
            return self._polygon(arguments)
        known = (*PRIMITIVES, POLYGON)
        if name not in PRIMITIVES:
            hint = did_you_mean(name, (*known, *self.shapes)) or ";"
            self.fail(f"unknown shape {shorten(name, 40)!r}{hint} known are {listed((*known, *self.shapes))}")
        primitive, space = PRIMITIVES[name], self._space
        signatures = {len(names.split(",")): names.split(", ") for names in primitive.arguments}
        if len(space) not in primitive.dimensions:
            dimensions = listed(str(number) for number in primitive.dimensions)
            self.fail(f"{name} is for {dimensions} coordinates of space, and there are {len(space)}")
        if name == "box":
            signatures = {2 * len(space): signatures[2 * len(space)]}
        if len(arguments) not in signatures:
            ways = " or ".join(f"{name}({', '.join(names)})" for names in signatures.values())
            self.fail(f"{name} is written {ways}, not with {len(arguments)} argument(s)")
        read = [self._argument(argument) for argument in arguments]
        self._check(name, dict(zip(signatures[len(arguments)], read, strict=True)))
        shown = f"<mrow><mi>{name}</mi><mo>(</mo>{'<mo>,</mo>'.join(map(mathml_of, read))}<mo>)</mo></mrow>"
        return Shape(self._where(primitive.levels(space, read)), shown)

    def _argument(self, tree: ast.expr) -> Expression:
        """A number, or an expression of constants and the time."""
        found = self.reader.read(tree)
        allowed = {*self.reader.scope.constants, TIME}
        if wrong := [name for name in names_in(found) if name not in allowed]:
            self.fail(f"an argument of a shape has numbers, constants and the time in it, not {wrong[0]!r}")
        check_constants(found, self.reader.scope.constants, self.reader.where)
        return found

    def _number(self, tree: ast.expr) -> float:
        found = self._argument(tree)
        if TIME in names_in(found):
            self.fail("the corners of a polygon do not move: they have no time in them")
        return constant_value(found, self.reader.scope.constants, self.reader.where)

    def _check(self, shape: str, arguments: Mapping[str, Expression]) -> None:
        """Lengths are positive, and lower bounds below upper ones, where these are numbers."""
        constants = self.reader.scope.constants
        values = {
            name: constant_value(argument, constants, self.reader.where)
            for name, argument in arguments.items()
            if TIME not in names_in(argument)
        }
        for name in ("r", "a", "b", "c"):
            if values.get(name, 1.0) <= 0:
                self.fail(f"{name} of {shape} must be above 0, not {values[name]:g}")
        axis = shape == "cylinder" and "x0" in values and "x1" in values
        normal = [value for name, value in values.items() if name.startswith("n")]
        for low, high in (("x0", "x1"), ("y0", "y1"), ("z0", "z1")):
            if not axis and low in values and high in values and not values[low] < values[high]:
                self.fail(f"{shape}: {low} = {values[low]:g} must be below {high} = {values[high]:g}")
        if normal and not np.any(normal):
            self.fail(f"{shape}: the normal must not be zero")
        if axis and all(values.get(f"{k}0") == values.get(f"{k}1") for k in "xyz"):
            self.fail(f"{shape}: the two ends of the axis are the same")

    def _polygon(self, arguments: list[ast.expr]) -> Shape:
        """`polygon((0, 0), (2, 0), (1, 1))`, or the same numbers in a row."""
        if len(self._space) != 2:
            self.fail(f"{POLYGON} is for 2 coordinates of space, and there are {len(self._space)}")
        flat: list[ast.expr] = []
        for argument in arguments:
            flat += argument.elts if isinstance(argument, ast.Tuple) else [argument]
        pairs = all(isinstance(a, ast.Tuple) and len(a.elts) == 2 for a in arguments)
        if len(flat) % 2 or not (pairs or not any(isinstance(a, ast.Tuple) for a in arguments)):
            self.fail(f"{POLYGON} is written {POLYGON}((x1, y1), (x2, y2), …), with two numbers a corner")
        corners = np.array([self._number(tree) for tree in flat]).reshape(-1, 2)
        facets = closed_polygon(corners, self.reader.where)
        text = f"{POLYGON}({', '.join(f'({x!r}, {y!r})' for x, y in corners.tolist())})"
        shown = f"<mtext>{POLYGON} of {len(corners)} corners</mtext>"
        return Shape(self._facets(text, facets), shown)

    def _facets(self, text: str, facets: Facets) -> Surface:
        names = tuple(name.name for name in self._space)
        return facets_surface(text, facets, names, self.bounds)


def _combined(sign: str, a: Solid, b: Solid) -> Solid:
    match sign:
        case "∪":
            return Union((a, b))
        case "∩":
            return Intersection((a, b))
        case _:
            return Intersection((a, complement(b)))


def _grouped(shape: Shape, tree: ast.expr) -> str:
    """In parentheses where something stands between several shapes."""
    alone = not isinstance(tree, ast.BinOp | ast.BoolOp)
    return shape.mathml if alone else f"<mrow><mo>(</mo>{shape.mathml}<mo>)</mo></mrow>"


def split_and(text: str) -> list[str]:
    """What stands between the words `and` of a text, outside of parentheses."""
    parts, depth, start = [], 0, 0
    for found in re.finditer(r"[()]|\band\b", text):
        if found[0] == "and":
            if depth == 0:
                parts.append(text[start : found.start()])
                start = found.end()
        else:
            depth += 1 if found[0] == "(" else -1
    return [part.strip() for part in (*parts, text[start:])]
