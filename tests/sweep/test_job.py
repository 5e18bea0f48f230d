"""Jobs: what they resolve to, what their keys depend on, and what is refused."""

import numpy as np
import pytest

from qres.runtime.errors import InputError
from qres.sweep import Job

DATA = """
[problem]
equations = ["u_x = -k*u"]
[problem.domain]
x = [0, 2]
[problem.unknowns]
k = { start = 0.5, true = 1.0 }
[problem.data]
file = "points.csv"
"""


@pytest.fixture
def measured(tmp_path):
    x = np.linspace(0, 2, 9)
    table = np.stack([x, np.exp(-x)], axis=1)
    np.savetxt(tmp_path / "points.csv", table, delimiter=",", header="x,u", comments="")
    (tmp_path / "measured.toml").write_text(DATA)
    return str(tmp_path / "measured.toml")


def test_overrides_are_laid_over_file_and_preset(decay):
    job = Job("a", decay, 7, "wide", {"network": {"kind": "pinn", "depth": 2}, "weights": {"initial": 3.0}})
    specification = job.specification()
    assert specification.architecture.kind == "mlp"
    assert (specification.architecture.width, specification.architecture.depth) == (3, 2)
    assert (specification.seed, specification.iterations, specification.stages) == (7, 20, "adam")
    assert specification.weights == {"initial": 3.0}


def test_a_built_in_problem():
    specification = Job("a", "burgers-inverse", 1, "paper", {"measured": {"points": 50}}).specification()
    assert specification.stages == "adam:10000,lbfgsb"
    assert specification.problem.data[0].count == 50


def test_the_key_is_of_the_specification_and_not_of_the_name(decay):
    job = Job("a", decay)
    assert job.key == Job("b", decay).key
    assert job.key == Job("a", decay, overrides={"network": {"width": 2}}).key  # what it is anyway
    others = [
        Job("a", decay, 1),
        Job("a", decay, preset="wide"),
        Job("a", decay, overrides={"network": {"width": 4}}),
        Job("a", decay, overrides={"problem": {"constants": {"k": 3}}}),
    ]
    assert len({job.key, *(other.key for other in others)}) == 5
    assert job.folder_name == f"a-{job.key[:8]}"


def test_measurements_count_by_what_they_are(measured, tmp_path):
    before = Job("a", measured).key
    assert before == Job("a", measured).key
    noisy = Job("a", measured, overrides={"measured": {"noise": 0.1}})
    assert noisy.key != before
    right = Job("a", measured).specification().problem.data[0].columns["u"]
    assert 0 < np.abs(noisy.specification().problem.data[0].columns["u"] - right).max() < 0.5
    other = Job("a", measured, 1, overrides={"measured": {"noise": 0.1}}).specification()
    assert not np.array_equal(
        other.problem.data[0].columns["u"], noisy.specification().problem.data[0].columns["u"]
    )
    (tmp_path / "points.csv").write_text("x,u\n0,1\n1,0.4\n2,0.1\n")
    assert Job("a", measured).key != before


WRONG = {
    "a name with a slash": ({"name": "a/b"}, ["a/b", "letters, digits"]),
    "a name that hides": ({"name": ".."}, [".."]),
    "no name": ({"name": ""}, ["''"]),
    "an unknown section": ({"overrides": {"netwrok": {}}}, ["netwrok", "did you mean 'network'?"]),
    "a section that is no table": ({"overrides": {"network": 3}}, ["network", "3"]),
    "an unknown key": ({"overrides": {"network": {"widht": 3}}}, ["widht", "did you mean 'width'?"]),
    "an unknown measure": ({"overrides": {"measured": {"nois": 1}}}, ["nois", "did you mean 'noise'?"]),
    "a wrong value": ({"overrides": {"network": {"width": 0}}}, ["width", "not 0"]),
    "noise without data": ({"overrides": {"measured": {"noise": 0.1}}}, ["noise", "no measurements"]),
    "an unknown preset": ({"preset": "wiide"}, ["wiide", "did you mean 'wide'?"]),
    "a negative seed": ({"seed": -1}, ["seed", "-1"]),
    "a missing problem": ({"problem": "burger"}, ["burger", "did you mean 'burgers'?"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_jobs(decay, name):
    changes, says = WRONG[name]
    with pytest.raises(InputError) as raised:
        Job(**{"name": "a", "problem": decay} | changes).specification()
    for text in says:
        assert text in str(raised.value)
