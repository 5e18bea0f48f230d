"""The folders are the way the data goes: rules of the house that a machine can check."""

import ast
import graphlib
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import qres

SOURCE = Path(qres.__file__).parent
ORDER = (
    "runtime", "results", "reference", "jets", "formulas", "geometry", "data", "posed", "ansatz", "problems",
    "networks", "native", "fields", "residuals", "loss", "least_squares", "windows", "optimizers", "inference", "runs",
    "plots", "estimate", "solution", "report", "training", "theory", "sweep", "paper", "cli",
)  # fmt: skip
MOST_LINES = 1600  # of a folder
FILES = {file.relative_to(SOURCE).with_suffix("").parts: file for file in sorted(SOURCE.rglob("*.py"))}
TREES = {name: ast.parse(file.read_text()) for name, file in FILES.items()}
Module = tuple[str, ...]


def module_at(path: Module) -> Module | None:
    """The file that a dotted path stands for."""
    return next((name for name in (path, (*path, "__init__")) if name in FILES), None)


def imports(module: Module) -> Iterator[tuple[Module, str]]:
    """What a file imports from qres, wherever in it, also for type checkers: the path, and the name taken from it."""
    package = module[:-1]
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first, *rest = alias.name.split(".")
                if first == "qres":
                    yield tuple(rest), ""
        elif isinstance(node, ast.ImportFrom):
            path = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                path = (*package[: len(package) - node.level + 1], *path)
            elif path[:1] == ("qres",):
                path = path[1:]
            else:
                continue
            for alias in node.names:
                yield path, alias.name


def defined_in(path: Module, name: str) -> Module | None:
    """The file that a name imported from a path is defined in: a room passes on what its files define."""
    if (own := module_at((*path, name))) is not None:
        return own
    module = module_at(path)
    if module is None or module[-1] != "__init__":
        return module
    further = [(p, n) for p, n in imports(module) if n == name and (p, n) != (path, name)]
    return defined_in(*further[0]) if further else module


GRAPH = {
    module: {
        found for path, name in imports(module) if (found := defined_in(path, name)) not in (None, module)
    }
    for module in FILES
    if module[-1] != "__init__"
}


def level(module: Module) -> int:
    """How high a module stands; the package itself and its entry point stand above all rooms."""
    return ORDER.index(module[0]) if module[0] in ORDER else len(ORDER)


def named(module: Module) -> str:
    return "/".join(module)


@pytest.mark.parametrize("module", GRAPH, ids=named)
def test_imports_go_one_way(module):
    above = [named(other) for other in GRAPH[module] if level(other) > level(module)]
    assert not above, f"{named(module)} imports from later rooms: {above}"


def test_no_two_files_import_each_other():
    """Not through others either: files can be put in an order."""
    try:
        tuple(graphlib.TopologicalSorter(GRAPH).static_order())
    except graphlib.CycleError as error:
        pytest.fail(" > ".join(named(module) for module in error.args[1]))


def test_the_test_sees_imports_in_functions_and_for_type_checkers():
    tree = ast.parse("def f():\n    from qres.cli import main\nif TYPE_CHECKING:\n    from ._x import y")
    TREES[("jets", "_probe_of_the_test")] = tree
    try:
        assert set(imports(("jets", "_probe_of_the_test"))) == {(("cli",), "main"), (("jets", "_x"), "y")}
    finally:
        del TREES[("jets", "_probe_of_the_test")]


def test_above_all_rooms_is_only_what_users_import():
    """The package, its entry point, the points of extension, and `qres.math`, which passes on functions of the jets."""
    found = {file.name for file in SOURCE.glob("*.py")}
    assert found == {"__init__.py", "__main__.py", "extend.py", "math.py"}
    assert {named(other) for other in GRAPH[("math",)]} <= {"jets/_functions", "jets/_choices"}


def test_every_room_has_its_place():
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert rooms == set(ORDER)


@pytest.mark.parametrize("folder", sorted({name[:-1] for name in FILES}), ids=named)
def test_a_folder_is_not_too_large(folder):
    sizes = [len(file.read_text().splitlines()) for name, file in FILES.items() if name[:-1] == folder]
    assert sum(sizes) <= MOST_LINES


LOADING = """
import sys
import qres
qres.load(sys.argv[1])(t=0.5, x=0.1)
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("qres.")}))
"""


def test_evaluating_a_saved_solution_needs_no_room_of_the_loss_or_the_training(tmp_path):
    file = Path(__file__).parent / "golden" / "0.1" / "faces" / "solution.qres"
    done = subprocess.run(
        [sys.executable, "-c", LOADING, str(file)], capture_output=True, text=True, check=True
    )
    later = {"residuals", "loss", "least_squares", "optimizers", "inference", "runs", "estimate", "training"}
    assert not later & set(done.stdout.split())


@pytest.mark.parametrize("root", ["src", "tests", "benchmarks"])
def test_nothing_reaches_into_jax(root):
    """What stands below `_src` may change from one release of JAX to the next."""
    private = re.compile(r"\bjax(lib)?\." + "_src")
    files = (SOURCE.parent.parent / root).rglob("*.py")
    assert [str(file) for file in files if private.search(file.read_text())] == []


@pytest.mark.parametrize("root", ["src/qres", "tests"])
def test_no_file_is_over_400_lines(root):
    files = (SOURCE.parent.parent / root).rglob("*.py")
    lengths = {str(file): len(file.read_text().splitlines()) for file in files}
    assert {file: length for file, length in lengths.items() if length > 400} == {}


@pytest.mark.parametrize("file", FILES.values(), ids=lambda file: str(file.relative_to(SOURCE)))
def test_nothing_runs_text_or_unpickles(file):
    tree = ast.parse(file.read_text())
    called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    assert not called & {"eval", "exec", "compile", "__import__"}
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names}
    names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert not {
        name for name in names if re.search(r"\b(pickle|dill|cloudpickle|joblib|marshal|shelve)\b", name)
    }
    assert "allow_pickle=True" not in file.read_text()


def test_names_of_a_formula_are_put_together_in_one_place():
    """Constants with unknowns, coordinates and fields, all that a formula may name, come from `Posed` alone."""
    scattered = {
        named(module)
        for module, tree in TREES.items()
        if level(module) >= ORDER.index("posed")
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict) and len(node.keys) > 2
        for key, value in zip(node.keys, node.values, strict=True)
        if key is None and ast.unparse(value).endswith(".constants")
    }
    assert scattered == {"posed/_posed"}


@pytest.mark.parametrize("room", ORDER)
def test_every_public_name_says_what_it_is(room):
    module = importlib.import_module(f"qres.{room}")
    silent = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value))
        and getattr(value, "__module__", getattr(value, "__name__", "")).startswith("qres")
        and not (inspect.getdoc(value) or "").strip()
    ]
    assert not silent
    assert module.__doc__


def test_every_public_name_of_the_package_is_there():
    for name in dir(qres):
        assert getattr(qres, name) is not None
