"""Start-up: the command line, the import, the first record of a run, compile times of all problems; and memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.jobs import run_job
from bench.pace import Pace
from bench.store import Store
from bench.tables import Table, seconds
from bench.workers import environment

TITLE = "Start-up and memory"
SHARED = ("burgers", "kdv")  # whose runs are looked at for what is not the optimizer's
_KEPT_WAITING = 300.0


def run(store: Store, pace: Pace) -> None:
    times = 2 if pace.quick else 7
    store.measure("start-up: qres --help", lambda: _fastest([sys.executable, "-m", "qres", "--help"], times))
    store.measure("start-up: import qres", lambda: _fastest([sys.executable, "-c", "import qres"], times))
    store.measure("start-up: python", lambda: _fastest([sys.executable, "-c", "pass"], times))
    store.measure("start-up: first record of qres solve burgers", _first_records)
    for name in problems() if not pace.quick else ("burgers", "sine"):
        store.measure(
            f"compile: {name}",
            lambda name=name: _compiled(name, 1 if pace.quick else 3),
        )
    points = 20_000 if pace.quick else 1_000_000
    # Points are drawn anew once, from a pool that is larger still.
    asked = {"points": points, "iterations": 12, "resample_every": 5}
    store.measure("memory: 1000000 points", lambda: run_job("memory", 2, asked))
    limit = {"time_limit": 2.0 if pace.quick else 60.0}
    for name in SHARED:
        store.measure(f"shares: {name}", lambda name=name: run_job("shares", 2, {"problem": name, **limit}))


def problems() -> list[str]:
    """Every built-in problem."""
    import qres.problems.library

    folder = Path(qres.problems.library.__file__).parent
    return sorted(path.stem for path in folder.glob("*.toml"))


def _fastest(command: list[str], times: int) -> Any:
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run(command, env=environment(2), stdout=subprocess.DEVNULL, check=True)
        found.append(time.perf_counter() - begun)
    return {"min": min(found), "all": found}


def _compiled(name: str, times: int) -> Any:
    """The run that compiled in the median time of several, each with empty caches; and the times of all."""
    found = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as cache:
            found.append(run_job("compile", 2, {"problem": name}, **_caches(cache)))
    found.sort(key=lambda run: run["compile"])
    return {**found[len(found) // 2], "all": [run["compile"] for run in found]}


def _caches(folder: str) -> dict[str, str]:
    """Where XLA's programs, native code and references are kept, and nothing is yet."""
    return {"JAX_COMPILATION_CACHE_DIR": f"{folder}/compiled", "QRES_CACHE": f"{folder}/qres"}


def _first_records() -> Any:
    """From the command to the first line of history, with an empty cache and then with what that run has left in it."""
    with tempfile.TemporaryDirectory() as folder:
        env = environment(2, **_caches(folder))
        return {name: _until_record(Path(folder) / name, env) for name in ("cold", "warm", "warm again")}


def _until_record(run: Path, env: dict[str, str]) -> float:
    command = [sys.executable, "-m", "qres", "solve", "burgers", "--iterations", "60", "--out", str(run)]
    begun = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        history = run / "history.jsonl"
        while not (history.exists() and history.stat().st_size):
            if process.poll() is not None or time.perf_counter() - begun > _KEPT_WAITING:
                raise RuntimeError("qres solve burgers: no record came")
            time.sleep(0.005)
        found = time.perf_counter() - begun
        process.wait()
    return found


def tables(store: Store) -> list[Table]:
    """Seconds and megabytes beside their targets."""
    rows = []
    for key, target in (("qres --help", "< 0.3 s"), ("import qres", ""), ("python", "the interpreter alone")):
        if (found := store.get(f"start-up: {key}")) is not None:
            rows.append((key, f"{found['min']:.2f} s", target))
    if (found := store.get("start-up: first record of qres solve burgers")) is not None:
        rows.append(("qres solve burgers to its first record, nothing compiled", seconds(found["cold"]), ""))
        warm = min(found["warm"], found["warm again"])
        rows.append(("the same a second time", seconds(warm), "< 2 s"))
    if (found := store.get("memory: 1000000 points")) is not None:
        rows.append(("most memory, 1000000 collocation points", f"{found['peak_mib']:.0f} MiB", "< 2048 MiB"))
    for name in SHARED:
        if (found := store.get(f"shares: {name}")) is not None:
            both = 100 * (found["resample"] + found["record"])
            rows.append(
                (
                    f"{name}, a run of {found['seconds']:.0f} s: new points and errors",
                    f"{both:.1f} %",
                    "< 5 %",
                )
            )
    compiled = []
    for key in store.pieces:
        if key.startswith("compile: "):
            found = store.get(key)
            compiled.append(
                (key.removeprefix("compile: "), seconds(found["compile"]), seconds(found["first"]), "≤ 5 s")
            )
    result = [Table("Start-up and memory, 2 cores", ("what", "found", "target"), rows)] if rows else []
    head = ("problem", "compiling", "until the first iteration is done", "target")
    return result + (
        [Table("First compile, nothing in the cache, 2 cores (median of 3)", head, compiled)]
        if compiled
        else []
    )
