"""The share of the GEMM + tanh bound that qres reaches on one core, float64; see `variants/matrix_products`."""

from __future__ import annotations

from typing import Any

from bench.case import Case
from bench.pace import Pace
from bench.store import Store
from bench.tables import Table, milliseconds
from bench.variants.channels import CHANNELS, FLOWING
from bench.workers import Variant, compare, crew

TITLE = "Share of the GEMM + tanh bound"
KEY = "GEMM + tanh bound, float64, 1 core"
CASES = {"PINN 20×8": ("mlp", 20, 50), "QRes 10×8": ("qres", 10, 35)}
KINDS = ("forward", "backward", "weights", "tanh")


def run(store: Store, pace: Pace) -> None:
    store.measure(KEY, lambda: _measure(pace))


def _measure(pace: Pace) -> Any:
    cases = {
        name: Case(kind=kind, width=width, points=pace.points) for name, (kind, width, _) in CASES.items()
    }
    with crew((Variant("qres_engine"), Variant("matrix_products")), 1) as workers:
        return compare(workers, cases, rounds=pace.rounds, seconds=pace.seconds / 2)


def tables(store: Store) -> list[Table]:
    """The bound's parts, its sum, and the share; also of the bound for the coefficients that flow in qres.

    Where the equation has its highest derivatives in one combination only, qres has one coefficient less than the
    equation has derivatives, and its own bound is lower.
    """
    if (found := store.get(KEY)) is None:
        return []
    rows = []
    for network, (_, _, least) in CASES.items():
        one = found[network]
        products, tanh = sum(one[kind]["min"] for kind in KINDS[:-1]), one[KINDS[-1]]["min"]
        bound, own = products + tanh, products * FLOWING / CHANNELS + tanh
        time = one["qres"]["min"]
        parts = (milliseconds(one[kind]["min"]) for kind in KINDS)
        shares = (f"{100 * bound / time:.0f} %", f"≥ {least} %", f"{100 * own / time:.0f} %")
        rows.append((network, *parts, milliseconds(bound), milliseconds(time), *shares))
    head = (
        "network", "W X", "Wᵀ Z", "Z Xᵀ", "tanh", "bound", "qres", "share", "target",
        f"share of its own bound, {FLOWING} coefficients",
    )  # fmt: skip
    return [Table("Milliseconds, minimum, float64, 1 core", head, rows)]
