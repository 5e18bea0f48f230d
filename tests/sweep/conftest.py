"""A small problem for many runs."""

import os
import time
from pathlib import Path

import pytest

from qres.sweep import Job

DECAY = """
[problem]
name       = "decay"
equations  = ["u_x = -k*u"]
conditions = ["u(0) = 1"]
constants  = { k = 1, spare = 2 }
exact      = { u = "exp(-k*x)" }
[problem.domain]
x = [0, 2]
[network]
width = 2
depth = 1
[optimizer]
stages = "adam"
iterations = 20
[sampling]
points = 20
resample_every = 0
[preset.wide.network]
width = 3
"""
ENDLESS = 10**9
KILLED = 150_000  # iterations that take longer than it takes to the first checkpoint


@pytest.fixture
def decay(tmp_path: Path) -> str:
    return write_decay(tmp_path)


def write_decay(folder: Path) -> str:
    """The problem's file."""
    path = folder / "decay.toml"
    path.write_text(DECAY)
    return str(path)


def jobs_of(problem, seeds, iterations=20, **sections):
    overrides = {"optimizer": {"iterations": iterations}, **sections}
    return [Job(f"decay-seed{seed}", problem, seed, overrides=overrides) for seed in seeds]


def wait_for(condition, seconds=300):
    """Until something is so; what it is."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
    return found


def is_alive(pid):
    """Whether a process runs; one that has ended, and that nobody has asked about yet, does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
