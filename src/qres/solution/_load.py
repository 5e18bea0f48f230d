"""Solutions from files."""

from __future__ import annotations

from pathlib import Path

from qres.runtime.jax_config import configure

from ._file import read_file
from ._solution import Solution


def load(path: str | Path) -> Solution:
    """The solution in a file that `Solution.save` wrote."""
    configure()
    stored = read_file(Path(path))
    return Solution(stored.problem, stored.model, stored.result, stored.history, stored.scheme)
