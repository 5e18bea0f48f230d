"""Files: the examples and the library are sound, and what is wrong with a file is said in one line."""

from functools import cache
from pathlib import Path

import pytest
import tomli_w

from qres.posed import Probe
from qres.posed.evaluator import Residuals
from qres.problems import Problem, library, read_toml
from qres.runtime.errors import InputError, check_keys

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))


@cache
def problem_of(path):
    return Problem.from_dict(read_toml(path)["problem"], path.parent)


def test_there_are_examples():
    wanted = {"heat", "poisson-2d", "wave", "oscillator", "schroedinger-linear", "robin", "periodic"}
    assert wanted <= {path.stem for path in EXAMPLES}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_exact_solution_of_an_example_is_one(path):
    problem = problem_of(path)
    assert problem.warnings == ()
    assert problem.name == path.stem

    probe = Probe(problem, problem.exact_fields)
    if problem.exact:
        residuals = Residuals.of(problem, conditions=problem.conditions).residuals
        assert len(residuals) == len(problem.equations) + len(problem.conditions)
        assert max(map(probe, residuals)) < 1e-12


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_survives_the_way_to_a_file_and_back(path, tmp_path):
    problem = problem_of(path)
    copy = tmp_path / "copy.toml"
    copy.write_text(tomli_w.dumps({"problem": problem.to_dict()}))
    assert read_toml(copy)["problem"] == problem.to_dict()
    again = Problem.from_dict({**problem.to_dict(), "hard": False, "exact": {}})  # what takes time to check
    assert again.conditions == problem.conditions
    assert again.equations == problem.equations


def test_the_library():
    assert "burgers" in library.names()
    problem = Problem.from_dict(read_toml(library.path("burgers"))["problem"])
    assert (problem.reference, problem.soft_conditions) == ("burgers", ())
    with pytest.raises(InputError, match=r"no built-in problem 'burger'; did you mean 'burgers'\?"):
        library.path("burger")
    with pytest.raises(InputError, match="no built-in problem"):
        library.path("../burgers")


def written(folder, content):
    path = folder / "problem.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[problem\nname = 1", r"problem\.toml is not valid TOML: .*line 1"),
        (b"[problem]\nname = '\xff'", r"not UTF-8 text \(byte 18\)"),
        ("[problm]\n", r"unknown key 'problm' in .*; did you mean 'problem'\?"),
        ("[network]\nwidth = 3", r"has no \[problem\] section"),
        ("problem = 3", r"problem must be a section"),
        ("a = " + "[" * 100_000, r"nested too deeply|not valid TOML"),
        ("#" * 2_000_000, r"2,000,000 bytes; at most"),
    ],
)
def test_a_wrong_file_is_one_clear_line(tmp_path, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read_toml(written(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_none(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_toml(tmp_path / "missing.toml")
    with pytest.raises(InputError, match="is a folder"):
        read_toml(tmp_path)
    with pytest.raises(InputError, match="cannot read"):
        read_toml("a\0b")


def test_check_keys():
    assert check_keys({"width": 3}, ("width", "depth"), "[network]") == {"width": 3}
    with pytest.raises(
        InputError, match=r"unknown key 'widht' in \[network\]; did you mean 'width'\? allowed: width"
    ):
        check_keys({"widht": 3}, ("width",), "[network]")
    with pytest.raises(InputError, match="must be a table"):
        check_keys(3, ("width",), "[network]")
