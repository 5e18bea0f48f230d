"""Runs of the command line, recorded: one JSON file with every run's summary, specification, versions and date."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from qres.training import now, versions

Run = dict[str, Any]


def run_command(arguments: list[str], *, curve: bool = False) -> Run:
    """`qres solve … --json` in an empty folder: its summary, its specification and, if asked, its thinned history."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [sys.executable, "-m", "qres", "solve", *arguments, "--json", "--out", str(run)]
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        summary = json.loads(printed.splitlines()[-1])
        specification = tomllib.loads((run / "specification.toml").read_text())
        history = [json.loads(line) for line in (run / "history.jsonl").read_text().splitlines()]
    del summary["run"]
    shown = [Path(word).name if word.endswith(".toml") else word for word in arguments]
    return {
        "command": " ".join(["qres", "solve", *shown]),
        "date": now(),
        "cores": len(os.sched_getaffinity(0)),
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


def record(
    jobs: Mapping[str, list[str]],
    out: Path,
    command: str,
    describe: Callable[[Run], str],
    summary: Any = None,
    *,
    curve: bool = False,
) -> dict[str, Run]:
    """All jobs that the file does not hold yet, one after the other; a crash loses at most the one under way.

    Args:
        jobs: the arguments of `qres solve`, by the name under which a run is recorded.
        out: the file.
        command: that makes the file again.
        describe: a run as a line, for whoever watches.
        summary: of all runs, a function of them; kept in the file beside them.
        curve: whether to keep error against time.
    """
    runs: dict[str, Run] = json.loads(out.read_text())["runs"] if out.exists() else {}
    out.parent.mkdir(parents=True, exist_ok=True)
    for name, arguments in jobs.items():
        if name not in runs:
            runs[name] = run_command(arguments, curve=curve)
            print(f"{name:28} {runs[name]['seconds']:6.1f} s  {describe(runs[name])}", flush=True)
        content = {
            "command": command,
            "versions": versions(),
            "summary": summary(runs) if summary else {},
            "runs": runs,
        }
        out.write_text(json.dumps(content, indent=1) + "\n")
    return runs
