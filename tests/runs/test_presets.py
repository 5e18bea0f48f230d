"""The library and its presets: every one can be read, and has the network that the paper says."""

import jax
import pytest

from qres.problems import library, read_toml
from qres.runs import read_specification
from qres.runs._preset import with_preset
from qres.runtime.errors import InputError
from qres.training._assembly import build_model

# Where the paper's text and table differ, the count is of the network that its text describes.
COUNTS = [
    ("burgers", "paper", {}, 1541),
    ("burgers", "paper", {"kind": "qsc"}, 1541),
    ("burgers", "paper-full", {}, 2941),
    ("burgers", "paper-pinn", {}, 3021),
    ("burgers-inverse", "paper", {}, 1541),
    ("burgers-inverse", "paper-pinn", {}, 3021),
    ("navier-stokes-inverse", "paper", {}, 2998),
    ("navier-stokes-inverse", "paper-pinn", {}, 3062),
    ("navier-stokes-inverse", "paper-small", {}, 1374),
    ("navier-stokes-inverse", "paper-small", {"kind": "pinn", "width": 20}, 1382),
    ("kdv-inverse", "paper", {}, 4570),
    ("kdv-inverse", "paper-pinn", {}, 10300),
    ("schrodinger", "paper", {}, 15602),
    ("schrodinger", "paper-pinn", {}, 30802),
    ("allen-cahn-discrete", "paper", {}, 25501),
    ("allen-cahn-discrete", "paper-pinn", {}, 141301),
    ("waves", "paper", {}, 33211),
    ("waves", "paper-pinn", {}, 33537),
]


@pytest.mark.parametrize(("name", "preset", "settings", "count"), COUNTS)
def test_the_papers_networks(name, preset, settings, count):
    specification = read_specification(name, preset, settings=settings)
    assert build_model(specification, None).network.parameters == count


def test_the_library_is_whole():
    wanted = {
        "allen-cahn", "allen-cahn-discrete", "burgers", "burgers-inverse", "kdv", "kdv-inverse", "schrodinger", "sine",
        "navier-stokes-inverse", "navier-stokes-inverse-stream", "waves",
    }  # fmt: skip
    assert wanted <= set(library.names())


@pytest.mark.parametrize("name", library.names())
def test_a_problem_of_the_library_is_sound(name):
    tables = read_toml(library.path(name))
    specification = read_specification(name)
    assert specification.problem.name == name
    assert specification.problem.warnings == ()
    assert specification.problem.reference or specification.problem.exact
    for preset in tables.get("preset", {}):
        changed = read_specification(name, preset)
        assert changed.problem.warnings == ()
        assert changed.sampling.resample_every in (0, 1)


def test_a_preset_overrides_keys_and_may_have_a_base():
    tables = {
        "problem": {"name": "p", "hard": True},
        "network": {"width": 5, "depth": 2},
        "preset": {
            "a": {"network": {"width": 7}, "problem": {"hard": False}},
            "b": {"base": "a", "network": {"depth": 3}, "weights": {"initial": 2}},
        },
    }
    assert with_preset(tables, None) == {k: v for k, v in tables.items() if k != "preset"}
    assert with_preset(tables, "b") == {
        "problem": {"name": "p", "hard": False},
        "network": {"width": 7, "depth": 3},
        "weights": {"initial": 2},
    }


@pytest.mark.parametrize(
    ("presets", "message"),
    [
        ({"a": {"base": "c"}}, "base 'c' is not a preset; there are a"),
        ({"a": {"base": "b"}, "b": {"base": "a"}}, "in a circle"),
        ({"a": {"run": {}}}, "unknown key 'run'"),
        ({"a": {"network": 3}}, r"\[preset.a.network\] must be a table"),
        ({"b": {}}, "preset 'a' is not known; allowed: b"),
        ({}, "the problem has no presets"),
    ],
)
def test_wrong_presets(presets, message):
    with pytest.raises(InputError, match=message):
        with_preset({"problem": {}, "preset": presets}, "a")


def test_every_kind_of_network_works_for_every_problem():
    for name in ("schrodinger", "kdv-inverse", "navier-stokes-inverse"):
        for kind in ("pinn", "qres", "apinn", "isc", "qsc"):
            settings = {"kind": kind, "width": 4, "depth": 2}
            model = build_model(read_specification(name, settings=settings), None)
            assert jax.tree.leaves(model)


def test_data_points_and_noise_of_a_problem_without_measurements():
    specification = read_specification("allen-cahn")
    assert specification.measured(points=30).sampling.condition_points == 30
    with pytest.raises(InputError, match=r"noise 0\.01: problem 'allen-cahn' has no measurements"):
        specification.measured(noise=0.01)


def test_the_seed_of_the_run_draws_the_measurements():
    first, second = (
        read_specification("burgers-inverse", settings={"seed": seed}).measured(points=10).problem.data[0]
        for seed in (0, 1)
    )
    assert first.count == second.count == 10
    assert list(first.columns["x"]) != list(second.columns["x"])
