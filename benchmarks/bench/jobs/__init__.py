"""Programs that run once in a process of their own and end with one line of JSON: `python -m bench.jobs.name '{…}'`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from bench.workers import environment, on_cores


def run_job(name: str, cores: int, arguments: dict[str, Any], **more: str) -> Any:
    """A job's result."""
    command = [sys.executable, "-m", f"bench.jobs.{name}", json.dumps(arguments)]
    done = subprocess.run(
        on_cores(cores, command), env=environment(cores, **more), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"bench.jobs.{name}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def arguments() -> dict[str, Any]:
    """What this job was asked."""
    return json.loads(sys.argv[1])


def answer(result: Any) -> None:
    """The last line."""
    print("\n" + json.dumps(result), flush=True)
