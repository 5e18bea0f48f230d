"""The textbook problems of `make balance`: their exact solutions solve them, and all of their conditions are soft."""

import sys
from pathlib import Path

import numpy as np
import pytest

from qres.jets import Jet
from qres.residuals import condition_values
from qres.residuals._block import placed, recorded
from qres.runs import read_specification

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import balance_table  # noqa: E402

FILES = sorted(balance_table.TEXTBOOK.glob("*.toml"))


def exact_names(problem, residual, location):
    """All names at some points, with the exact solution as the fields."""
    truncation = recorded(problem, residual)
    lower, upper = np.array(problem.lower)[:, None], np.array(problem.upper)[:, None]
    points = placed(lower + (upper - lower) * np.random.default_rng(0).random((len(lower), 20)), location)
    coordinates = {
        name: Jet.coordinate(truncation, name, points[i : i + 1])
        for i, name in enumerate(problem.coordinates)
    }
    known = {**problem.constants, **coordinates}
    return known | {field: problem.exact[field](known) for field in problem.fields}


def largest(value):
    return float(np.max(np.abs(np.asarray(value.value if isinstance(value, Jet) else value))))


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
    for equation in problem.equations:
        names = exact_names(problem, equation.residual, (None,) * len(problem.coordinates))
        assert largest(equation.residual(names)) < 1e-10
    for condition in problem.conditions:

        def values(names, condition=condition):
            return condition_values(problem, [condition], [names] * len(condition.locations))

        (location,) = condition.locations
        assert largest(values(exact_names(problem, values, location))[0]) < 1e-10
