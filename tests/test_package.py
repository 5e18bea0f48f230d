"""The package as others meet it: public names, types, version, and the releases that it needs."""

import builtins
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import qres
import qres.math

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINNED = {
    name.lower().replace("_", "-"): Version(number)
    for name, number in (line.split("==") for line in (ROOT / "constraints.txt").read_text().split())
}
REQUIRED = [
    *PROJECT["dependencies"],
    *(text for extra, texts in PROJECT["optional-dependencies"].items() if extra != "wake" for text in texts),
]  # the wake is computed again by hand, with whatever NGSolve there is then
FUNCTIONS = {
    "abs", "acos", "asin", "atan", "cos", "cosh", "elu", "erf", "exp", "gelu", "heaviside", "log", "max", "min", "sech",
    "sigmoid", "sign", "silu", "sin", "sinh", "softplus", "sqrt", "tan", "tanh", "where",
}  # fmt: skip


def lower_bound(requirement):
    (bound,) = [part for part in requirement.specifier if part.operator in (">=", "==")]
    return Version(bound.version)


@pytest.mark.parametrize("text", REQUIRED)
def test_lower_bounds_are_the_releases_that_are_tested(text):
    requirement = Requirement(text)
    least, pinned = lower_bound(requirement), PINNED[requirement.name]
    assert least <= pinned
    assert pinned.release[: len(least.release)] == least.release, f"{least} is not what is tested"


def test_scipy_has_sobol_points_by_a_generator():
    """`qmc.Sobol(rng=...)` came with 1.15."""
    (scipy,) = [Requirement(text) for text in PROJECT["dependencies"] if text.startswith("scipy")]
    assert lower_bound(scipy) >= Version("1.15")


def test_the_tests_run_with_what_is_pinned():
    names = [Requirement(text).name for text in PROJECT["dependencies"]]
    assert {name: Version(version(name)) for name in names} == {name: PINNED[name] for name in names}


def test_the_package_says_that_it_is_typed():
    assert Path(qres.__file__).with_name("py.typed").is_file()


def test_the_version_is_that_of_the_project():
    assert qres.__version__ == version("qres-pde") == PROJECT["version"]


def test_qres_math_has_the_functions_of_formulas():
    assert {name for name in vars(qres.math) if not name.startswith("_")} == FUNCTIONS
    for name in FUNCTIONS:
        assert getattr(qres, name) is getattr(qres.math, name) is getattr(qres.jets, name)
    assert qres.math.max is not builtins.max


def test_public_names_are_listed_and_nothing_is_imported_before_it_is_used():
    code = (
        "import sys, qres; print(len(dir(qres)), *(name for name in sys.modules if name.startswith('qres')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, *modules = done.stdout.split()
    assert modules == ["qres"]
    assert int(count) == len(set(dir(qres))) > len(FUNCTIONS)
    assert not [name for name in dir(qres) if name.startswith("_") and name != "__version__"]


def test_a_room_that_is_not_public_is_no_name_of_the_package():
    code = "import qres\ntry: qres.loss\nexcept AttributeError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "module 'qres' has no attribute 'loss'\n"


def test_the_page_on_what_is_public_names_modules_that_are():
    page = (ROOT / "docs" / "api-stability.md").read_text()
    listed, private = page.split("Private,")
    for name in re.findall(r"`qres\.([a-z]+)`", listed):
        assert name in dir(qres)
    for name in re.findall(r"`qres\.([a-z]+)`", private):
        assert name not in dir(qres)
