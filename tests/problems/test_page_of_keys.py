"""docs/problems.md names every key that a file may have, and its example is a problem."""

import tomllib
from pathlib import Path

import pytest

from qres.data._draw import _EXACT_KEYS
from qres.data._draw import KEYS as DRAW_KEYS
from qres.fields._time import KEYS as TIME_KEYS
from qres.geometry import Sampling
from qres.geometry._sampler import BUILT_IN
from qres.jets import ACTIVATIONS
from qres.networks import Architecture
from qres.networks._layers import INITIALIZERS
from qres.optimizers import OPTIMIZERS
from qres.problems._data_tables import _KEYS as FILE_KEYS
from qres.problems._problem import _KEYS as PROBLEM_KEYS
from qres.runs import Specification
from qres.runs._settings import OPTIMIZER_KEYS, TRAINING_KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "problems.md").read_text()


def part(title):
    return PAGE.split(f"## `[{title}]`")[1].split("\n## ")[0]


@pytest.mark.parametrize(
    ("title", "keys"),
    [
        ("problem", PROBLEM_KEYS), ("problem.data", {*FILE_KEYS, *DRAW_KEYS, *_EXACT_KEYS}),
        ("network", Architecture.__dataclass_fields__), ("optimizer", OPTIMIZER_KEYS),
        ("training", TRAINING_KEYS),
        ("sampling", Sampling.__dataclass_fields__), ("time", TIME_KEYS),
    ],
)  # fmt: skip
def test_every_key_has_its_line(title, keys):
    missing = [key for key in keys if f"`{key}`" not in part(title)]
    assert not missing


def test_every_choice_is_named():
    choices = [
        ("network", ACTIVATIONS),
        ("network", INITIALIZERS),
        ("sampling", BUILT_IN),
        ("optimizer", OPTIMIZERS),
    ]
    for title, names in choices:
        assert not [name for name in names if name not in part(title)]


def test_the_example_is_a_problem():
    text = PAGE.split("```toml\n")[1].split("```")[0]
    assert Specification.from_dict(tomllib.loads(text)).problem.name == "heat"
