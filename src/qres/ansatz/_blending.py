"""Transfinite interpolation of data on the faces of a box, and the distance function to those faces."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import factorial

import numpy as np

from qres.formulas import (
    ONE,
    ZERO,
    Binary,
    Call,
    Expression,
    Name,
    minus,
    number,
    plus,
    power,
    substitute,
    times,
)
from qres.posed import Bounds

FaceData = Mapping[tuple[bool, int], Expression]
"""What is given along one coordinate: by the side (upper?) and the order of the derivative."""


def blend(
    field: str,
    along: Mapping[str, FaceData],
    bounds: Bounds,
    constants: Mapping[str, float],
    released: Mapping[str, float] | None = None,
) -> Expression:
    """`g + D N`, where N is the network's raw output, named as the field.

    Along a coordinate in `released`, which has a lower face only, `τ tanh(c/τ)` stands for the distance c to that face.
    """
    released = released or {}
    data, distance, scale = ZERO, ONE, 1.0
    for coordinate, faces in along.items():
        time = released.get(coordinate)
        data = _absorb(data, coordinate, faces, bounds[coordinate], constants, time)
        factor, size = _distance(coordinate, faces, bounds[coordinate], time)
        distance, scale = times(distance, factor), scale * size
    return plus(data, times(times(number(scale), distance), Name(field)))


def _absorb(
    g: Expression,
    coordinate: str,
    faces: FaceData,
    bounds: tuple[float, float],
    constants: Mapping[str, float],
    time: float | None,
) -> Expression:
    """`g + P (data - g)`, where P interpolates along the coordinate from the faces."""
    low, high = bounds
    assert g == ZERO or not any(order for _, order in faces), "derivatives come first, where g is yet zero"
    result = g
    for (upper, order), weights in zip(faces, interpolation(tuple(faces)), strict=True):
        there = substitute(g, Name(coordinate), high if upper else low, constants)
        missing = times(number((high - low) ** order), minus(faces[upper, order], there))
        result = plus(result, times(_polynomial(weights, coordinate, low, high, time), missing))
    return result


def interpolation(functionals: tuple[tuple[bool, int], ...]) -> list[list[float]]:
    """For each functional, the coefficients of the polynomial in s on which it is 1 and all the others are 0.

    A functional is a derivative at s = 0 or s = 1: Hermite's interpolation from two points.
    """
    size = len(functionals)
    rows = [
        [
            factorial(p) / factorial(p - order) if p == order or (upper and p > order) else 0.0
            for p in range(size)
        ]
        for upper, order in functionals
    ]
    columns = np.linalg.inv(np.array(rows)).T
    # These are simple fractions: rounding them away keeps the text short, and the faces exact.
    return [[float(Fraction(value).limit_denominator(5040)) for value in column] for column in columns]


def _polynomial(
    coefficients: list[float], coordinate: str, low: float, high: float, time: float | None
) -> Expression:
    """`Σ c_p s^p`, where s goes from 0 to 1 over the interval; at its ends s is exact."""
    if time is not None:
        s = times(number(time / (high - low)), _leaving(coordinate, low, time))
    else:
        s = _over(minus(Name(coordinate), number(low)), high - low)
    total: Expression = ZERO
    for p, coefficient in enumerate(coefficients):
        total = plus(total, times(number(coefficient), power(s, p)))
    return total


def _over(a: Expression, b: float) -> Expression:
    return a if b == 1 else Binary("/", a, number(b))


def _leaving(coordinate: str, low: float, time: float) -> Expression:
    """`tanh((c - low)/τ)`: its slope at the face is 1/τ, its curvature none."""
    return Call("tanh", (_over(minus(Name(coordinate), number(low)), time),))


def _distance(
    coordinate: str, faces: FaceData, bounds: tuple[float, float], time: float | None
) -> tuple[Expression, float]:
    """`(c - low)^p (high - c)^q`, p and q of what is given on either face, and what makes its maximum 1."""
    low, high = bounds
    q = sum(upper for upper, _ in faces)
    p = len(faces) - q
    if time is not None:
        return power(_leaving(coordinate, low, time), p), 1.0
    largest = p**p * q**q / (p + q) ** (p + q) * (high - low) ** (p + q)
    lower = power(minus(Name(coordinate), number(low)), p)
    upper = power(minus(number(high), Name(coordinate)), q)
    return times(lower, upper), 1 / largest
