"""The same program as 1, 2 and 4 processes (`jax.distributed`), one device each, on the cores of this machine."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import Any

from bench.pace import Pace
from bench.store import Store
from bench.tables import Table, milliseconds
from bench.workers import environment, statistics
from qres.results import dumps, loads

TITLE = "Several processes"
COUNTS = (1, 2, 4)


def run(store: Store, pace: Pace) -> None:
    for count in COUNTS:
        store.measure(_key(count), lambda count=count: _measure(count, pace))


def _key(count: int) -> str:
    return f"processes: {count}"


def _measure(count: int, pace: Pace) -> Any:
    asked = {"points": 4 * pace.points, "calls": 5 if pace.quick else 60, "steps": 2 if pace.quick else 5}
    results = together(count, [sys.executable, "-m", "bench.jobs.one_of_many", dumps(asked)])
    first = results[0]
    return statistics(first["ms"]) | {
        k: first[k] for k in ("processes", "devices", "losses", "iterations_ms")
    }


def together(count: int, command: list[str]) -> list[Any]:
    """The last line that each of several processes prints; each has one core and one device, cores in turn."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = []
    for number in range(count):
        env = environment(1, JAX_NUM_CPU_DEVICES="1")
        if count > 1:
            env |= {
                "JAX_COORDINATOR_ADDRESS": f"127.0.0.1:{port}",
                "JAX_NUM_PROCESSES": str(count),
                "JAX_PROCESS_ID": str(number),
            }
        pinned = ["taskset", "-c", str(number % 2), *command]
        running.append(
            subprocess.Popen(pinned, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        )
    outputs = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        raise RuntimeError(f"{count} processes: at least one failed")
    return [loads(output.splitlines()[-1]) for output in outputs]


def tables(store: Store) -> list[Table]:
    """Times, and how far the losses are from those of one process."""
    found = {count: store.get(_key(count)) for count in COUNTS}
    if None in found.values():
        return []
    alone = found[1]["losses"]
    rows = []
    for count, one in found.items():
        off = max(abs(a / b - 1) for a, b in zip(one["losses"], alone, strict=True))
        gain = f"{found[1]['min'] / one['min']:.2f}"
        shown = (
            milliseconds(one["min"]),
            milliseconds(one["median"]),
            gain,
            milliseconds(one["iterations_ms"]),
        )
        rows.append((str(count), *shown, f"{off:.0e}"))
    head = (
        "processes",
        "loss + gradient, minimum",
        "median",
        "faster by",
        "SSBroyden iteration",
        "loss differs by",
    )
    return [
        Table(
            "Milliseconds, Burgers, QRes 10×8, 40000 points, one core a process (four share two)", head, rows
        )
    ]
