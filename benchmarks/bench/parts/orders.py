"""Third derivatives: KdV, and Navier–Stokes by a stream function, against nested differentiation in JAX."""

from __future__ import annotations

from typing import Any

from bench.case import Case
from bench.pace import Pace
from bench.store import Store
from bench.tables import Table, milliseconds, ratio
from bench.workers import Variant, compare, crew

TITLE = "Third derivatives"
VARIANTS = (Variant("qres_engine"), Variant("qres_engine", {"foreign": 1}), Variant("jax_nested"))


def _cases(pace: Pace) -> dict[str, Case]:
    half = pace.points // 2
    return {
        "KdV, QRes 20×4": Case("kdv", "qres", 20, 4, pace.points),
        "KdV, QRes 10×8": Case("kdv", "qres", 10, 8, pace.points),
        "Navier–Stokes stream, QRes 14×8": Case("navier-stokes-stream", "qres", 14, 8, half),
    }


def run(store: Store, pace: Pace) -> None:
    for cores in (1, 2):
        store.measure(_key(cores), lambda cores=cores: _measure(cores, pace))


def _key(cores: int) -> str:
    return f"third derivatives, float64, {cores} core{'s' if cores > 1 else ''}"


def _measure(cores: int, pace: Pace) -> Any:
    with crew(VARIANTS, cores) as workers:
        return compare(workers, _cases(pace), rounds=max(2, pace.rounds // 2), seconds=pace.seconds)


def tables(store: Store) -> list[Table]:
    """Milliseconds, one core / two cores, and how much faster qres is than the better of the nested ones."""
    found = {cores: store.get(_key(cores)) for cores in (1, 2)}
    if None in found.values():
        return []
    rows, targets = [], []
    for label in found[2]:
        for name in found[2][label]:
            cell = "/".join(milliseconds(found[cores][label][name]["min"]) for cores in (1, 2))
            middle = "/".join(milliseconds(found[cores][label][name]["median"]) for cores in (1, 2))
            rows.append((label, name, cell, middle))
        for cores in (1, 2):
            one = found[cores][label]
            best = min(one[name]["min"] for name in one if name.startswith("JAX"))
            targets.append(
                (f"{label}, {cores} core{'s' * (cores > 1)}", ratio(best / one["qres"]["min"]), "≥ 4")
            )
    return [
        Table("Milliseconds, float64, 1 core / 2 cores", ("case", "variant", "minimum", "median"), rows),
        Table("qres is faster than the best nested JAX by", ("what", "factor", "target"), targets),
    ]
