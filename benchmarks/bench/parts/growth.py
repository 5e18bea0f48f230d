"""How the cost of a loss + gradient grows with points, width, depth, order of derivative, and Taylor coefficients."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bench.case import Case
from bench.pace import Pace
from bench.store import Store
from bench.tables import Table, milliseconds, ratio
from bench.workers import Variant, compare, crew

TITLE = "How cost grows"
BASE = Case("burgers", "qres", 10, 8, 5000)
VARIANTS = (Variant("qres_engine"), Variant("jax_nested"))
NESTED = ("JAX, vmap of grad of grad", "JAX, jvp of jvp")
AXES: dict[str, dict[int, Case]] = {
    "points": {n: replace(BASE, points=n) for n in (500, 2000, 5000, 20_000, 80_000)},
    "width": {w: replace(BASE, width=w) for w in (5, 10, 20, 40, 80)},
    "depth": {d: replace(BASE, depth=d) for d in (2, 4, 8, 16)},
    "order of the highest derivative": {k: replace(BASE, equation=f"order-{k}") for k in (1, 2, 3, 4)},
    "Taylor coefficients": {2 + 2 * d: replace(BASE, equation=f"heat-{d}") for d in (1, 2, 3)},
}


def run(store: Store, pace: Pace) -> None:
    for axis, cases in AXES.items():
        store.measure(_key(axis), lambda cases=cases: _measure(cases, pace))


def _key(axis: str) -> str:
    return f"cost by {axis}, float64, 2 cores"


def _measure(cases: dict[int, Case], pace: Pace) -> Any:
    if pace.quick:
        cases = {
            value: replace(case, points=min(case.points, 500)) for value, case in list(cases.items())[:2]
        }
    named = {str(value): case for value, case in cases.items()}
    with crew(VARIANTS, 2) as workers:
        return compare(workers, named, rounds=max(2, pace.rounds // 4), seconds=pace.seconds / 2)


def curves(store: Store) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Milliseconds by axis and variant, for tables and plots."""
    result: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for axis in AXES:
        if (found := store.get(_key(axis))) is not None:
            result[axis] = {
                name: [(int(value), one[name]["min"]) for value, one in found.items()]
                for name in ("qres", *NESTED)
            }
    return result


def tables(store: Store) -> list[Table]:
    """A row for each value."""
    rows = []
    for axis, named in curves(store).items():
        for i, (value, ours) in enumerate(named["qres"]):
            nested = [named[name][i][1] for name in NESTED]
            shown = [milliseconds(ours), *map(milliseconds, nested), ratio(min(nested) / ours)]
            rows.append((axis if i == 0 else "", str(value), *shown))
    head = ("axis", "value", "qres", *NESTED, "qres is faster by")
    return (
        [Table("Milliseconds, minimum, QRes 10×8 with 5000 points but for the axis", head, rows)]
        if rows
        else []
    )
