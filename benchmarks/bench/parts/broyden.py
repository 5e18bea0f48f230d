"""A self-scaled Broyden iteration in units of a loss + gradient, which includes what its line search evaluates."""

from __future__ import annotations

from typing import Any

from bench.case import Case
from bench.pace import Pace
from bench.store import Store
from bench.tables import Table, milliseconds, ratio
from bench.workers import Variant, compare, crew

TITLE = "A self-scaled Broyden iteration"
CASES = {
    "Burgers, QRes 10×8, 1541 parameters": (Case("burgers", "qres", 10, 8, 6000), "≤ 1.3"),
    "Burgers, QRes 19×7, 4580 parameters": (Case("burgers", "qres", 19, 7, 6000), "≤ 2"),
    "KdV inverse, 50 stages, QRes 20×4, 4572 parameters": (Case("kdv-inverse", "qres", 20, 4, 0), ""),
}


def run(store: Store, pace: Pace) -> None:
    for name, (case, _) in CASES.items():
        store.measure(_key(name), lambda name=name, case=case: _measure(name, case, pace))


def _key(name: str) -> str:
    return f"SSBroyden, {name}, 2 cores"


def _measure(name: str, case: Case, pace: Pace) -> Any:
    with crew((Variant("ssbroyden"),), 2) as workers:
        found = compare(
            workers, {name: case}, rounds=max(2, pace.rounds // 2), seconds=pace.seconds, least=1
        )[name]
        counts = workers[0].counts()
        return found | {"evaluations": next(iter(counts.values()))}


def tables(store: Store) -> list[Table]:
    """Milliseconds, and their ratio."""
    rows = []
    for name, (_, target) in CASES.items():
        if (found := store.get(_key(name))) is not None:
            once, step = found["loss + gradient"], found["iteration"]
            alone, evaluations = found["loss + gradient, called alone"], found["evaluations"]
            ratios = [_ratio(step[which] / once[which], evaluations) for which in ("median", "min")]
            times = [milliseconds(one["median"]) for one in (once, alone, step)]
            rows.append((name, *times, f"{evaluations:.2f}", *ratios, target))
    head = (
        "case", "loss + gradient, in a loop", "called alone", "iteration", "evaluations", "ratio of medians",
        "of minima", "target",
    )  # fmt: skip
    return [Table("Milliseconds, float64, 2 cores", head, rows)] if rows else []


def _ratio(value: float, evaluations: float) -> str:
    """An iteration holds its evaluations, and cannot cost less than they do: such a figure is noise, and not shown."""
    return ratio(value) if value >= 0.97 * evaluations else "not valid: noise"
