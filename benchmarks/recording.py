"""Runs of the command line, recorded: one JSON file with every run's summary, specification, versions and date."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from qres.results import dumps, loads
from qres.runs import now, versions
from qres.runtime.files import replace_file

Run = dict[str, Any]


def run_command(arguments: list[str], *, curve: bool = False, core: int | None = None) -> Run:
    """`qres solve … --json` in an empty folder: its summary, its specification and, if asked, its thinned history.

    With a `core`, it runs on that one alone. A run that failed numerically (exit status 1) is a result as well.
    """
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [sys.executable, "-m", "qres", "solve", *arguments, "--json", "--out", str(run)]
        one = [] if core is None else ["taskset", "-c", str(core)]
        threads = {} if core is None else {"OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [*one, *command], stdout=subprocess.PIPE, text=True, env={**os.environ, **threads}
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(f"exit status {done.returncode}: {' '.join(command)}")
        summary = loads(done.stdout.splitlines()[-1])
        specification = tomllib.loads((run / "specification.toml").read_text())
        history = [loads(line) for line in (run / "history.jsonl").read_text().splitlines()]
    del summary["run"]
    shown = [Path(word).name if word.endswith(".toml") else word for word in arguments]
    return {
        "command": " ".join(["qres", "solve", *shown]),
        "date": now(),
        "cores": 1 if core is not None else len(os.sched_getaffinity(0)),
        **summary,
        "specification": specification,
        **({"curve": _thinned(history)} if curve else {}),
    }


def _thinned(history: list[dict[str, Any]], most: int = 60) -> list[dict[str, Any]]:
    """Records evenly spread over the logarithm of time: seconds, iteration, loss, errors, unknowns."""
    keys = ("seconds", "total", "loss", "errors", "unknowns")
    chosen: list[dict[str, Any]] = []
    for record in history:
        if not chosen or record["seconds"] >= chosen[-1]["seconds"] * 1.08 or record is history[-1]:
            chosen.append({key: record[key] for key in keys if record.get(key)})
    return chosen[-most:]


def options(about: str | None, problems: Sequence[str], *, seeds: int, out: str) -> argparse.ArgumentParser:
    """What the benchmarks of many runs can be asked for."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--only", nargs="*", default=problems, choices=problems)
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--out", type=Path, default=Path(out))
    return parser


def parsed(parser: argparse.ArgumentParser, length: str) -> argparse.Namespace:
    """What was asked for; runs of another length have the same names, and so need another file."""
    asked = parser.parse_args()
    if getattr(asked, length) != parser.get_default(length) and asked.out == parser.get_default("out"):
        parser.error(f"{length.replace('_', ' ')}: runs of another length need a file of their own, --out")
    return asked


def record(
    jobs: Mapping[str, list[str]],
    out: Path,
    command: str,
    describe: Callable[[Run], str],
    summary: Any = None,
    *,
    curve: bool = False,
    cores: Sequence[int] = (),
    runner: Callable[..., Run] = run_command,
) -> dict[str, Run]:
    """All jobs that the file does not hold yet; a crash loses at most those under way.

    Args:
        jobs: the arguments of `qres solve`, by the name under which a run is recorded.
        out: the file.
        command: that makes the file again.
        describe: a run as a line, for whoever watches.
        summary: of all runs, a function of them; kept in the file beside them.
        curve: whether to keep error against time.
        cores: one run at a time on each of these, alone; without any, one after the other on all.
        runner: makes a run of its arguments, by default `qres solve`.
    """
    runs: dict[str, Run] = loads(out.read_text())["runs"] if out.exists() else {}
    out.parent.mkdir(parents=True, exist_ok=True)

    def write() -> None:
        found = summary(runs) if summary else {}
        content = {"command": command, "versions": versions(), "summary": found, "runs": runs}
        replace_file(out, (dumps(content, indent=1) + "\n").encode())

    free: SimpleQueue[int | None] = SimpleQueue()
    for core in cores or [None]:
        free.put(core)

    def run(name: str) -> tuple[str, Run]:
        core = free.get()
        try:
            return name, runner(jobs[name], curve=curve, core=core)
        finally:
            free.put(core)

    missing = [name for name in jobs if name not in runs]
    with ThreadPoolExecutor(max(1, len(cores))) as pool:
        under_way = [pool.submit(run, name) for name in missing]
        try:
            for future in as_completed(under_way):
                name, found = future.result()
                runs[name] = found
                print(f"{name:28} {found['seconds']:6.1f} s  {describe(found)}", flush=True)
                write()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if missing:
        write()
    return runs
