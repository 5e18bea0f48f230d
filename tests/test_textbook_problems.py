"""The textbook problems of `make balance`: their exact solutions solve them, and all of their conditions are soft."""

import sys
from pathlib import Path

import numpy as np
import pytest

from qres.posed.evaluator import Residuals
from qres.runs import read_specification

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import balance_table  # noqa: E402

FILES = sorted(balance_table.TEXTBOOK.glob("*.toml"))


def test_there_are_about_twenty():
    assert len(FILES) >= 20
    assert {file.stem for file in FILES} < set(balance_table.PROBLEMS)
    assert all(Path(balance_table.file_of(file.stem)) == file for file in FILES)
    assert balance_table.file_of("kdv") == "kdv"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_exact_solution_solves_the_problem(file):
    problem = read_specification(str(file)).problem
    assert problem.name == file.stem
    assert problem.soft_conditions == problem.conditions
    lower, upper = np.array(problem.lower)[:, None], np.array(problem.upper)[:, None]
    points = lower + (upper - lower) * np.random.default_rng(0).random((len(lower), 20))
    residuals = Residuals.of(problem, conditions=problem.conditions)
    found = residuals.at(problem.exact_fields, [points] * len(residuals.groups), problem.start)
    assert set(found) == {one.name for one in (*problem.equations, *problem.conditions)}
    assert {name for name, values in found.items() if not np.max(np.abs(values)) < 1e-10} == set()
