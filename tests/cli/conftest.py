"""The command line as people run it: a process, its exit status, and what it prints where."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

DECAY = """
[problem]
name       = "decay"
equations  = ["u_x = -k*u"]
conditions = ["u(0) = 1"]
constants  = { k = 1 }
exact      = { u = "exp(-k*x)" }
[problem.domain]
x = [0, 2]
[network]
width = 5
depth = 1
[sampling]
points = 60
resample_every = 15
"""


class Result(NamedTuple):
    status: int
    out: str
    err: str


def run_in_a_process(*arguments: object, cwd: Path | None = None) -> Result:
    """The command as it is typed, in a process of its own."""
    command = [sys.executable, "-m", "qres", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def qres_process():
    return run_in_a_process


@pytest.fixture
def qres_command(monkeypatch, capfd):
    """The same program within this process, which need not start Python and JAX for each of many mistakes."""

    def run(*arguments: object, cwd: Path | None = None) -> Result:
        from qres.cli import main

        capfd.readouterr()
        with monkeypatch.context() as patch, pytest.raises(SystemExit) as ended:
            patch.setattr(sys, "argv", ["qres", *map(str, arguments)])
            if cwd is not None:
                patch.chdir(cwd)
            main()
        code = ended.value.code
        return Result(code if isinstance(code, int) else 0 if code is None else 1, *capfd.readouterr())

    return run


@pytest.fixture
def decay(tmp_path):
    path = tmp_path / "decay.toml"
    path.write_text(DECAY)
    return path


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A run that was solved, and what the command printed."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "decay.toml").write_text(DECAY)
    result = run_in_a_process(
        "solve",
        "decay.toml",
        "--iterations",
        60,
        "--seed",
        7,
        "--out",
        "run",
        "--set",
        "k=2",
        "--json",
        cwd=folder,
    )
    return folder / "run", result
