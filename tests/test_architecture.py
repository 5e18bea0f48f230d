"""The folders are the way the data goes: rules of the house that a machine can check."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import qres

SOURCE = Path(qres.__file__).parent
ORDER = (
    "reference", "jets", "networks", "native", "problems", "objectives", "optimizers", "plots", "solution", "report",
    "training", "theory", "sweep", "paper", "cli",
)  # fmt: skip
FILES = sorted(SOURCE.rglob("*.py"))
FOLDERS = [name for name in ORDER if (SOURCE / name).is_dir()]


def level(parts):
    """How high a module stands: files of the top below all folders, except the package itself and its entry point."""
    if not parts or parts[0] in ("__init__", "__main__"):
        return len(ORDER)
    return ORDER.index(parts[0]) if parts[0] in ORDER else -1


def imports(file):
    """The modules of qres that a file imports when it runs, as paths from the package's root."""
    package = file.relative_to(SOURCE).parent.parts
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "qres":
                    yield tuple(alias.name.split(".")[1:])
        elif isinstance(node, ast.ImportFrom):
            module = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                module = (*package[: len(package) - node.level + 1], *module)
            elif module[:1] == ("qres",):
                module = module[1:]
            else:
                continue
            yield from [(alias.name,) for alias in node.names] if not module else [module]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_go_one_way(file):
    own = file.relative_to(SOURCE).with_suffix("").parts
    above = [".".join(parts) for parts in imports(file) if level(parts) > level(own)]
    assert not above, f"{'/'.join(own)} imports from later folders: {above}"


def test_every_folder_has_its_place():
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert folders <= set(ORDER)


@pytest.mark.parametrize("root", ["src/qres", "tests"])
def test_no_file_is_over_400_lines(root):
    files = (SOURCE.parent.parent / root).rglob("*.py")
    lengths = {str(file): len(file.read_text().splitlines()) for file in files}
    assert {file: length for file, length in lengths.items() if length > 400} == {}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
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


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_public_name_says_what_it_is(folder):
    module = importlib.import_module(f"qres.{folder}")
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
