"""Loss + gradient of Burgers' equation: every variant, both networks, both precisions, one core and two."""

from __future__ import annotations

from typing import Any

from bench.case import Case
from bench.pace import Pace
from bench.store import Store
from bench.tables import Table, milliseconds, ratio
from bench.workers import Variant, compare, crew

TITLE = "Loss + gradient"
VARIANTS = (
    Variant("qres_engine"),
    Variant("qres_engine", environment={"QRES_NATIVE": "0"}),
    Variant("deepxde_loss", environment={"DDE_BACKEND": "pytorch"}),
    Variant("deepxde_loss", environment={"DDE_BACKEND": "jax"}),
    Variant("torch_nested"),
    Variant("jax_nested"),
    Variant("jinns_loss"),
)
NETWORKS = {"PINN 20×8": ("mlp", 20), "QRes 10×8": ("qres", 10)}


def run(store: Store, pace: Pace) -> None:
    for cores in (1, 2):
        for dtype in ("float64", "float32"):
            store.measure(_key(cores, dtype), lambda cores=cores, dtype=dtype: _measure(cores, dtype, pace))


def _key(cores: int, dtype: str) -> str:
    return f"loss + gradient, {dtype}, {cores} core{'s' if cores > 1 else ''}"


def _measure(cores: int, dtype: str, pace: Pace) -> Any:
    cases = {
        name: Case(kind=kind, width=width, points=pace.points, dtype=dtype)
        for name, (kind, width) in NETWORKS.items()
    }
    with crew(VARIANTS, cores) as workers:
        return compare(workers, cases, rounds=pace.rounds, seconds=pace.seconds)


def tables(store: Store) -> list[Table]:
    """Milliseconds, one core / two cores; then the targets."""
    found = {(c, d): store.get(_key(c, d)) for c in (1, 2) for d in ("float64", "float32")}
    if any(one is None for one in found.values()):
        return []
    names = list(found[1, "float64"]["QRes 10×8"])
    columns = [(network, dtype) for network in NETWORKS for dtype in ("float32", "float64")]

    def cell(name: str, network: str, dtype: str, which: str) -> str:
        return "/".join(milliseconds(found[cores, dtype][network][name][which]) for cores in (1, 2))

    head = ("variant", *(f"{network} {dtype.replace('float', 'f')}" for network, dtype in columns))
    result = [
        Table(
            f"Milliseconds, {title}, 1 core / 2 cores",
            head,
            [(name, *(cell(name, network, dtype, which) for network, dtype in columns)) for name in names],
        )
        for title, which in (("minimum", "min"), ("median", "median"))
    ]
    return [*result, _spread(found, names), _targets(found, names)]


def _spread(found: Any, names: list[str]) -> Table:
    rows = []
    for name in names:
        cells = []
        for network in NETWORKS:
            one = found[2, "float64"][network][name]
            cells.append(f"{milliseconds(one['quartile'])} – {milliseconds(one['upper'])} ({one['calls']})")
        rows.append((name, *cells))
    head = ("variant", *NETWORKS)
    return Table("Quartiles and calls, float64, 2 cores", head, rows)


def _targets(found: Any, names: list[str]) -> Table:
    """Against the best of DeepXDE, by minimum and by median, and what the second core gives."""
    rows = []
    for network, least in (("QRes 10×8", 5.5), ("PINN 20×8", 5.0)):
        two, one = found[2, "float64"][network], found[1, "float64"][network]
        for which in ("min", "median"):
            peers = {name: two[name][which] for name in names if name.startswith("DeepXDE")}
            best = min(peers, key=peers.__getitem__)
            rows.append(
                (
                    f"{network}, 2 cores, {which}: {best}",
                    ratio(peers[best] / two["qres"][which]),
                    f"≥ {least}",
                )
            )
        gain = one["qres"]["min"] / two["qres"]["min"]
        rows.append((f"{network}: the second core", ratio(gain), "≥ 1.8"))
    return Table("qres is faster by", ("what", "factor", "target"), rows)
