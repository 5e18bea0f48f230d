"""Pages made from the code: the command line from `--help`, files from what reads them, the API from docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import qres
from qres.cli import app
from qres.fields import Time
from qres.geometry import Sampling
from qres.networks import Architecture
from qres.problems import Problem
from qres.runs import Specification
from qres.runs._settings import OPTIMIZER_KEYS, TRAINING_KEYS

API = {
    "Problems": ("Problem", "Condition", "Free", "Positive", "Between", "Data", "Time"),
    "Solving": (
        "solve", "resume", "bootstrap", "Specification", "read_specification", "Sampling", "Callback", "RunView",
        "configure",
    ),
    "Solutions": (
        "Solution", "load", "Result", "Record", "Stop", "UnknownEstimate", "Estimate", "citation", "InputError",
    ),
    "Networks": ("Architecture", "QRes", "MLP", "APINN", "ISC", "QSC", "QDN", "spectral_bias"),
    "Optimizers": ("SSBroyden", "SSBFGS", "BFGS", "LBFGS", "LevenbergMarquardt", "Adam", "Optax"),
}  # fmt: skip
MODULES = ("estimate", "extend", "jets", "math", "paper", "plots", "reference", "report", "sweep", "theory")


def api_pages() -> dict[str, str]:
    """The pages of the API by title, complete, each name with its docstring."""
    known = {name for names in API.values() for name in names}
    functions = {name for name in vars(qres.math) if not name.startswith("_")}
    others = set(dir(qres)) - known - functions - set(MODULES) - {"__version__"}
    pages = {title: _members(f"qres.{name}" for name in names) for title, names in API.items()}
    if others:  # public, and in no group yet
        pages["Solving"] += _members(f"qres.{name}" for name in sorted(others))
    pages["Functions of formulas"] = (
        "All of these are `qres.NAME` as well as `qres.math.NAME`, and work on fields, arrays and numbers.\n\n"
        + _members(f"qres.math.{name}" for name in sorted(functions))
    )
    pages["Modules"] = "".join(
        f"## `qres.{name}`\n\n{_module(name)}\n" for name in MODULES if name in dir(qres)
    )
    return pages


def _members(names: Iterable[str]) -> str:
    return "".join(f"::: {name}\n\n" for name in names)


def _module(name: str) -> str:
    module = getattr(qres, name)
    said = inspect.cleandoc(module.__doc__ or "")
    rows = []
    for key, value in sorted(vars(module).items()):
        if key.startswith("_") or inspect.ismodule(value) or not callable(value):
            continue
        about = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        rows.append(f"| `{key}` | {about} |")
    table = "\n".join(["| name | |", "|---|---|", *rows]) if rows else ""
    return f"{said}\n\n{table}\n"


def undocumented() -> list[str]:
    """Public names, and public methods of public classes, without a docstring."""
    found = []
    for name in dir(qres):
        value = getattr(qres, name)
        if name == "__version__":
            continue
        if not (inspect.getdoc(value) or "").strip():
            found.append(f"qres.{name}")
        for key, member in vars(value).items() if inspect.isclass(value) else ():
            documented = inspect.isroutine(member) or isinstance(
                member, property | classmethod | staticmethod
            )
            if not key.startswith("_") and documented and not (inspect.getdoc(member) or "").strip():
                found.append(f"qres.{name}.{key}")
    return found


def command_page() -> str:
    """The command line: what `--help` prints, command by command."""
    commands = [
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    ]
    parts = ["# Command line\n\nGenerated from `qres --help` and `qres COMMAND --help`.\n"]
    for command in ("", *sorted(commands)):
        words = [*([command] if command else []), "--help"]
        done = subprocess.run(
            [sys.executable, "-m", "qres", *words], capture_output=True, text=True, check=True,
            env=os.environ | {"COLUMNS": "96"},
        )  # fmt: skip
        text = done.stdout.replace("python -m qres", "qres").strip()
        parts.append(f"## qres {command}".rstrip() + f"\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def file_page() -> str:
    """The keys of a problem file with their types and defaults, from the code that reads them."""
    specification = {field.name: field for field in dataclasses.fields(Specification)}
    training = {key: specification[key] for key in TRAINING_KEYS if key in specification}
    optimizer = {key: specification[key] for key in OPTIMIZER_KEYS if key in specification}
    parts = [
        "# Keys of a problem file",
        "Generated from the code that reads them; only `[problem]` with `equations` and `domain` is required. What "
        "each key means, with examples: [Problem files](../problems.md). The command line takes any of them, "
        "`--set sampling.points=8000`.",
        "## `[problem]`",
        _arguments(Problem.__init__),
        "## `[network]`",
        _paragraph(Architecture),
        _fields({field.name: field for field in dataclasses.fields(Architecture)}),
        "## `[optimizer]`",
        _fields(optimizer),
        "## `[training]`",
        _paragraph(Specification),
        _fields(training),
        "## `[sampling]`",
        _paragraph(Sampling),
        _fields({field.name: field for field in dataclasses.fields(Sampling)}),
        "## `[time]`",
        _paragraph(Time),
        _fields({field.name: field for field in dataclasses.fields(Time)}),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _arguments(function: Any) -> str:
    """A table of a function's keyword arguments, with the text of its docstring."""
    doc = inspect.getdoc(function) or ""
    listed = dict(re.findall(r"^    (\w+): (.*(?:\n        .*)*)", doc.partition("Args:\n")[2], re.MULTILINE))
    rows = ["| key | default | |", "|---|---|---|"]
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            continue
        about = re.sub(r"\s+", " ", listed.get(name, "")).replace("|", "\\|")
        required = parameter.default is inspect.Parameter.empty
        rows.append(f"| `{name}` | {'required' if required else _value(parameter.default)} | {about} |")
    return "\n".join(rows)


def _fields(fields: dict[str, Any]) -> str:
    rows = ["| key | type | default |", "|---|---|---|"]
    for name, field in fields.items():
        default = "required" if field.default is dataclasses.MISSING else _value(field.default)
        kind = str(field.type).replace("|", "\\|")
        rows.append(f"| `{name}` | `{kind}` | {default} |")
    return "\n".join(rows)


def _value(value: Any) -> str:
    return (
        ""
        if value is None or value == ()
        else f"`{str(value).lower() if isinstance(value, bool) else value!r}`"
    )


def _paragraph(of: type) -> str:
    return inspect.getdoc(of) or ""
