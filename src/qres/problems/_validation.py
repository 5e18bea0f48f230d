"""Warnings about a problem: too few conditions, an exact solution that does not satisfy it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from qres.formulas import Formula, evaluate, integrals_through, names_in, names_through
from qres.geometry import points_of_box
from qres.jets import MultiIndex, Recording
from qres.posed import POINTS, Condition, Posed, Probe, explicit_value, largest, run, values_near_start
from qres.posed.evaluator import Outputs, Residuals, Transformed, recorded_integrals
from qres.runtime.errors import listed, shorten

TOLERANCE = 1e-6


def find_warnings(posed: Posed, *, has_data: bool) -> tuple[str, ...]:
    """All that is doubtful, a line each."""
    if not posed.equations:
        return () if has_data else ("neither equations nor data: nothing tells the fields",)
    orders = {field: derivative_orders(posed, field) for field in posed.fields}
    found = [f"field {field!r} appears in no equation" for field, indices in orders.items() if not indices]
    if len(posed.equations) < len(posed.fields):
        count = len(posed.equations)
        found.append(f"{len(posed.fields)} fields ({listed(posed.fields)}) but only {count} equation(s)")
    if not (has_data or posed.unknowns):
        found += _undetermined(posed, orders)
    if posed.unknowns and not has_data and not Residuals.of(posed, conditions=posed.conditions).integrals:
        found.append(
            f"no measurements: {listed(posed.unknowns)} can be found only as far as equations and conditions determine "
            "what is unknown, and without an interval; give data"
        )
    found += [*_without_value(posed), *_disagreeing(posed)]
    return (*found, *_check_exact(posed))


def derivative_orders(posed: Posed, field: str) -> frozenset[MultiIndex]:
    """The multi-indices of a field in the equations, found by running them; empty where it is not in any."""
    names = posed.coordinates
    nothing = Recording(names, frozenset())
    coordinates = dict.fromkeys(names, nothing)
    raw = {other: Recording.field(names) if other == field else nothing for other in posed.fields}
    unknowns = values_near_start(posed.unknowns, 0.1)
    integrals = integrals_through(posed.definitions, [one.formula.residual for one in posed.equations], ())
    values = posed.names({**raw, **recorded_integrals(posed, integrals)}, coordinates, unknowns)
    results = [run(equation.formula, values, equation.name) for equation in posed.equations]
    needs = frozenset().union(*(result.needs for result in results if isinstance(result, Recording)))
    integrated = {name for one in integrals for name in names_through(posed.definitions, Formula("", one))}
    return needs | {(0,) * len(names)} if field in integrated else needs


def _undetermined(posed: Posed, orders: Mapping[str, frozenset[MultiIndex]]) -> Iterator[str]:
    """For each field and coordinate, a warning where fewer conditions fix it than the equations' order.

    In a system of first order, several conditions on one field may stand for those on another.
    """
    for place, coordinate in enumerate(posed.coordinates):
        if coordinate in posed.periodic:
            continue
        highest = {f: max((index[place] for index in orders[f]), default=0) for f in posed.fields}
        suffice = _fixing(posed.conditions, coordinate) >= sum(highest.values())
        for field, order in highest.items():
            found = _fixing(
                [c for c in posed.conditions if field in names_through(posed.definitions, c.formula)],
                coordinate,
            )
            if found < order and not (suffice and order == 1):
                yield (
                    f"{field!r} has derivatives up to order {order} in {coordinate}, but {found} "
                    f"condition(s) fix {coordinate}: the solution may not be unique"
                )


def _fixing(conditions: Sequence[Condition], coordinate: str) -> int:
    """How many conditions fix a coordinate; a surface bounds it twice."""
    bounding = 2 * sum(c.surface is not None for c in conditions) if coordinate != "t" else 0
    return bounding + sum(coordinate not in c.free for c in conditions)


def _without_value(posed: Posed) -> Iterator[str]:
    """Values of fields that are not finite at an end of where they are given, as `sin(x)/x` at 0."""
    for condition in posed.conditions:
        found = explicit_value(condition) if condition.surface is None else None
        if found is None or not {*names_in(found[1])} <= {*posed.constants, *posed.coordinates}:
            continue
        used = [name for name in condition.free if name in names_in(found[1])]
        for ends in product(*(posed.bounds[name] for name in used)):
            values = posed.known({**condition.fixed, **dict(zip(used, ends, strict=True))}, {})
            with np.errstate(all="ignore"):
                value = evaluate(found[1], {name: np.float64(value) for name, value in values.items()})
            if not np.isfinite(value):
                at = ", ".join(f"{name} = {end:g}" for name, end in zip(used, ends, strict=True))
                yield f"{condition.name} {shorten(condition.text)!r} has no finite value at {at}, and is asked there"
                break


def _disagreeing(posed: Posed) -> Iterator[str]:
    """Values of a field on two faces that are not the same where the faces meet: the solution jumps there."""
    if posed.region is not None:
        return  # the edge may be outside
    given = [(c, *value) for c in posed.conditions if (value := explicit_value(c)) and len(c.fixed) == 1]
    values = [(c, place.field, data) for c, place, data in given if not any(place.index)]
    inner = {name: low + 0.37 * (high - low) for name, (low, high) in posed.bounds.items()}
    points = dict(zip(posed.bounds, points_of_box(posed.bounds, POINTS), strict=True))
    for (one, field, left), (other, same, right) in combinations(values, 2):
        edge = {**one.fixed, **other.fixed}
        names = {name: np.float64(value) for name, value in posed.known({**inner, **edge}, {}).items()}
        if field != same or len(edge) < 2 or not {*names_in(left), *names_in(right)} <= names.keys():
            continue
        with np.errstate(all="ignore"):
            a, b = float(evaluate(left, names)), float(evaluate(right, names))
        faces = ((left, one.fixed), (right, other.fixed))
        size = max(largest(data, posed.known({**points, **fixed}, {})) for data, fixed in faces)
        if abs(a - b) > TOLERANCE * max(size, abs(a), abs(b)):  # not where one of them has no value
            at = ", ".join(f"{name} = {value:g}" for name, value in edge.items())
            yield (
                f"{one.name} {shorten(one.text)!r} and {other.name} {shorten(other.text)!r} disagree where they meet "
                f"({a:.3g} and {b:.3g} at {at}): no smooth function has both, and errors stay large there"
            )


def _check_exact(posed: Posed) -> Iterator[str]:
    """The equations and conditions that the exact solution does not satisfy, where it says enough to tell."""
    true = {name: unknown.true for name, unknown in posed.unknowns.items() if unknown.true is not None}
    if not posed.exact or len(true) < len(posed.unknowns):
        return
    probe = Probe(posed, Transformed(posed, posed.exact, Outputs({}), true), true)
    known = {*posed.exact, *posed.known(dict.fromkeys(posed.coordinates), true)}
    for name, formula in posed.definitions.items():
        known |= {name} if known.issuperset(formula.names) else set()
    for residual in Residuals.of(posed, conditions=posed.conditions).residuals:
        assert isinstance(residual.formula, Formula)
        if not known.issuperset(residual.formula.names):
            continue
        off = probe(residual)
        if off > TOLERANCE:
            what = f"{residual.name} {shorten(residual.formula.text)!r}"
            yield f"the exact solution does not satisfy {what} (off by {off:.1e}, relative)"
