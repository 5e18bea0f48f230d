"""Programs that run once in a process of their own and end with one line of JSON: `python -m bench.jobs.name '{…}'`."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from bench.workers import environment, on_cores
from qres.results import dumps, loads


def run_job(name: str, cores: int, arguments: dict[str, Any], **more: str) -> Any:
    """A job's result."""
    command = [sys.executable, "-m", f"bench.jobs.{name}", dumps(arguments)]
    done = subprocess.run(
        on_cores(cores, command), env=environment(cores, **more), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"bench.jobs.{name}: {done.stderr[-2000:]}")
    return loads(done.stdout.splitlines()[-1])


def arguments() -> dict[str, Any]:
    """What this job was asked."""
    return loads(sys.argv[1])


def answer(result: Any) -> None:
    """The last line."""
    print("\n" + dumps(result), flush=True)
