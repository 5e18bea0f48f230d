"""`grid`: all combinations of some settings, each with several seeds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from qres.networks import is_factory
from qres.posed.evaluator import Terms
from qres.problems import Problem
from qres.runs import Place, drop_hidden_widths, file_of, overlaid, set_override
from qres.runtime.errors import InputError, listed, shorten, whole_number

from ._job import Job
from ._names import varied
from ._own import Own, split_network

_MOST_JOBS = 10_000
_LETTERS: dict[Place, str] = {("network", "width"): "w", ("network", "depth"): "d"}


def grid(
    problem: str | Path | Problem,
    over: Mapping[str, Iterable[Any]] | None = None,
    seeds: int | Sequence[int] = 1,
    *,
    network: Any = None,
    optimizer: Any = None,
    terms: Terms | None = None,
    preset: str | None = None,
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Job]:
    """Jobs for all combinations of values, each with every seed.

    Args:
        problem: a built-in problem, a TOML file, or a `qres.Problem`.
        over: values by name: `{"width": [10, 20], "network": ["qres", "mlp"], "problem.constants.nu": [0.1, 0.01]}`.
        seeds: how many, from 0 on; or which.
        network: of all runs, as for `solve`; a function of `key` gives each seed weights of its own.
        optimizer: of all runs, as for `solve`.
        terms: of all runs, as for `solve`.
        preset: one of the file's presets.
        overrides: sections that are the same for all, as in `Job`.
    """
    problem = problem if isinstance(problem, Problem) else str(problem)
    numbers = list(range(whole_number(seeds, 1, "seeds"))) if isinstance(seeds, int) else list(seeds)
    own_network, section = split_network(network)
    if own_network is not None and not is_factory(own_network) and len(numbers) > 1:
        raise InputError(
            "network: a module has its weights; give a function of key, which each seed calls with its own"
        )
    stated = {"network": section, "optimizer": {"stages": optimizer} if isinstance(optimizer, str) else {}}
    shared = overlaid({name: table for name, table in stated.items() if table}, overrides or {})
    own = Own(network=own_network, optimizer=None if isinstance(optimizer, str) else optimizer, terms=terms)
    base = Job("base", problem, preset=preset, overrides=shared, own=own)
    over = over or {}
    tables = base.tables()
    places = {name: varied(name, tables) for name in over}
    values = {name: _values(name, found) for name, found in over.items()}
    _check_places(places)
    count = len(numbers)
    for found in values.values():
        count *= len(found)
    if count > _MOST_JOBS:
        raise InputError(f"{count:,} runs are too many: at most {_MOST_JOBS:,} are allowed")
    title = _slug(base.problem_name if isinstance(problem, Problem) else file_of(problem).stem)
    jobs = []
    for combination in product(*values.values()):
        overrides = {section: dict(table) for section, table in base.overrides.items()}
        for where, value in zip(places.values(), combination, strict=True):
            set_override(overrides, where, value, tables)
        parts = [title, *(_label(w, v) for w, v in zip(places.values(), combination, strict=True))]
        name = "-".join(part for part in parts if part)[:130]
        jobs += [
            Job(f"{name}-seed{seed}", problem, seed, preset, drop_hidden_widths(overrides, tables), base.own)
            for seed in numbers
        ]
    _check_jobs(jobs)
    return jobs


def parse_over(options: Sequence[str]) -> dict[str, list[Any]]:
    """`["width=10,20", "optimizer=adam:100+lbfgs"]` as values by name.

    Values are numbers, true, false, lists in brackets, text in quotes or without. Commas separate them, except within
    quotes and brackets. As the stages of an optimizer have commas too, a `+` may stand for those.
    """
    over: dict[str, list[Any]] = {}
    for option in options:
        name, equals, text = (part.strip() for part in option.partition("="))
        if not equals or not name or not text:
            raise InputError(
                f"--over {shorten(repr(option))}: write it as name=value,value such as width=10,20,40"
            )
        if name in over:
            raise InputError(f"--over {name} is given twice; write all its values after one: {name}=a,b")
        parts = _split(text)
        if "" in parts:
            raise InputError(f"--over {shorten(repr(option))}: a value between two commas is missing")
        over[name] = [_parse(part) for part in parts]
        if name in ("optimizer", "optimizer.stages", "stages"):
            over[name] = [
                value.replace("+", ",") if isinstance(value, str) else value for value in over[name]
            ]
    return over


def _split(text: str) -> list[str]:
    """The parts between commas, except for those within quotes and brackets."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        depth += 0 if quote else (letter in "[{") - (letter in "]}")
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _parse(text: str) -> Any:
    try:
        return tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        return text


def _values(name: str, values: Iterable[Any]) -> list[Any]:
    found = [values] if isinstance(values, str) else list(values)
    if not found:
        raise InputError(f"{name}: there are no values to go over")
    for number, value in enumerate(found):
        if value in found[:number]:
            raise InputError(f"{name}: the value {value!r} is there twice")
    return found


def _check_places(places: Mapping[str, Place]) -> None:
    for name, where in places.items():
        same = [other for other, found in places.items() if found == where]
        if len(same) > 1:
            raise InputError(f"{name}: {listed(same)} are the same setting")


def _check_jobs(jobs: Sequence[Job]) -> None:
    """Jobs that differ in name must differ in what they do: else a setting has no effect, which nobody means."""
    names: dict[str, str] = {}
    for job in jobs:
        other = names.setdefault(job.key, job.name)
        if other != job.name:
            raise InputError(
                f"{other} and {job.name} are the same run: a setting that is varied has no effect here (explicit "
                "hidden widths win over width and depth, for one)"
            )
    if len({job.name for job in jobs}) < len(jobs):
        raise InputError(
            "names of runs are not different: values are too much alike in their letters and digits"
        )


def _label(where: Place, value: Any) -> str:
    """A setting as a part of a run's name: w10, mlp, nu0.01."""
    text = "x".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if isinstance(value, str):
        return _slug(text)
    text = _slug(f"minus{text[1:]}" if text.startswith("-") else text)
    return _LETTERS.get(where, _slug(where[-1])) + text


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._+=]+", "-", text).strip("-._+=") or "x"
