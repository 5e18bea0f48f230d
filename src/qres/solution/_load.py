"""Solutions from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qres.problems import Problem
from qres.runtime.jax_config import configure

from ._file import read_file
from ._solution import Solution


def load(path: str | Path, *, problem: Problem | None = None, network: Any = None) -> Solution:
    """The solution in a file that `Solution.save` wrote.

    Args:
        path: the file.
        problem: the one that was solved, where it has functions that could not be traced; it is compared with the
            values of all formulas that the file holds.
        network: one of the same structure, where it is not of qres, or a function of `key` that creates one; it gets
            the weights of the file.
    """
    configure()
    stored = read_file(Path(path), problem, network)
    return Solution(
        stored.problem, stored.model, stored.result, stored.history, stored.scheme, chain=stored.chain
    )
