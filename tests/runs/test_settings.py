"""Settings by name, on the command line and in sweeps: any key of a file, and no other."""

import numpy as np
import pytest

from qres.runs import read_specification
from qres.runs._settings import place, short_name
from qres.runtime.errors import InputError

FILE = """
[problem]
name = "line"
equations = ["u_xx = -a^2*u", "n*v = u"]
fields = ["u", "v"]
domain = { x = [0, 1] }
conditions = ["u(0) = 0", "u_x(0) = a"]
exact = { u = "sin(a*x)", v = "sin(a*x)/n" }
constants = { a = 1.0, n = 2.0 }
unknowns = { b = 1.0 }

[problem.data]
reference = "exact"
points = 5
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "line.toml"
    path.write_text(FILE)
    return path


def test_any_key_of_the_file(file):
    changed = read_specification(
        file,
        settings={
            "a": 3.0, "problem.domain.x": [0, 2], "problem.unknowns.b": {"start": 2.0, "positive": True},
            "network": "mlp", "network.width": 7, "method": "sobol", "weights.initial": 5, "stages": "bfgs", "seed": 4,
            "problem.data.points": 3, "name": "other",
        },
    )  # fmt: skip
    problem = changed.problem
    assert problem.constants == {"a": 3.0, "n": 2.0}
    assert problem.bounds["x"] == (0, 2)
    assert problem.start == {"b": 2.0}
    assert (changed.architecture.kind, changed.architecture.width) == ("mlp", 7)
    assert (changed.sampling.method, changed.weights, changed.stages) == ("sobol", {"initial": 5}, "bfgs")
    assert (changed.seed, problem.name) == (4, "other")


def test_measurements_are_those_of_the_problem_as_it_is_set(file):
    (data,) = read_specification(file, settings={"a": 3.0, "problem.data.points": 9}).measured().problem.data
    np.testing.assert_allclose(data.columns["u"], np.sin(3 * data.columns["x"]))
    assert data.count == 9


def test_a_stored_reference_holds_for_the_stored_problem_only():
    assert read_specification("burgers").problem.reference == "burgers"
    assert read_specification("burgers", settings={"width": 5}).problem.reference == "burgers"
    assert read_specification("burgers", settings={"nu": 0.5}).problem.reference is None
    assert read_specification("burgers", settings={"problem.domain.t": [0, 2]}).problem.reference is None
    kept = {"nu": 0.5, "reference": "burgers"}
    assert read_specification("burgers", settings=kept).problem.reference == "burgers"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("widht", "did you mean 'width'?"),
        ("n", "say which is meant, problem.constants.n or network.n"),
        ("network.n.x", "write section.key"),
        ("netwrok.width", "did you mean 'network.width'?"),
        ("problem.constants.c", "allowed: problem.constants.a"),
        ("problem.equations.x", "not a table of such keys"),
        ("problem.equation", "did you mean 'equations'?"),
    ],
)
def test_what_is_no_setting_is_named(file, name, says):
    with pytest.raises(InputError) as caught:
        read_specification(file, settings={name: 1})
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "name", ["network", "optimizer", "width", "hard", "nu", "sampling.method", "problem.domain.x"]
)
def test_short_names_are_the_inverse_of_places(name):
    tables = {"problem": {"constants": {"nu": 1}}}
    where = place(name, tables)
    assert place(short_name(where), tables) == where


def test_a_reference_that_settings_leave_out_is_told(tmp_path, capsys):
    file = tmp_path / "told.toml"
    file.write_text(
        '[problem]\nequations = ["u_t = u_xx"]\nconditions = ["u(0, x) = x"]\nreference = "mine.nc"\n'
        "[problem.domain]\nt = [0, 1]\nx = [0, 1]\n"
    )
    assert (
        read_specification(file, settings={"problem.domain": {"t": [0, 2], "x": [0, 1]}}).problem.reference
        is None
    )
    told = capsys.readouterr().err
    assert "told.toml: its reference is left out, since the settings change problem.domain" in told
    read_specification(file, settings={"reference": "spectral", "problem.periodic": ["x"]})
    assert capsys.readouterr().err == ""
