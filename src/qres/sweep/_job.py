"""A job: one run of a sweep, as a problem and its overrides."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from qres.problems import Problem
from qres.results import dumps
from qres.runs import OVERRIDDEN, Specification, file_of, overlaid, read_tables, with_preset
from qres.runtime.errors import InputError, check_keys, shorten

from ._own import Own

MEASURED = "measured"  # not of the file: how many of its measurements are seen, and the noise added to them
SECTIONS = (*OVERRIDDEN, MEASURED)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,150}")


@dataclass(frozen=True)
class Job:
    """One run: what to solve, and everything that differs from its file.

    `overrides` are sections that are laid over the file's own, key by key, as those of a preset are:
    `{"network": {"kind": "pinn"}, "optimizer": {"stages": "adam:7000"}}`; a table inside one, such as
    `{"problem": {"data": {...}}}`, is replaced as a whole. One more section, `{"measured": {"points": 500, "noise":
    0.01}}`, is `--data-points` and `--noise` of `qres solve`.

    Args:
        name: of the run, which its folder's name begins with; letters, digits and `._+=-`.
        problem: a built-in problem, a TOML file, or a `qres.Problem`.
        seed: of weights, points and measurements; what the file says does not count.
        preset: one of the file's presets.
        overrides: by section.
        own: objects that no file holds.
    """

    name: str
    problem: str | Problem
    seed: int = 0
    preset: str | None = None
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    own: Own = field(default_factory=Own, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise InputError(
                f"job name {shorten(repr(self.name))}: it names a folder; only letters, digits and ._+=- are "
                "allowed, at most 151, a letter or digit first"
            )
        if isinstance(self.problem, Problem):
            object.__setattr__(self, "own", replace(self.own, problem=self.problem))
        else:
            object.__setattr__(self, "problem", str(self.problem))
        for section, table in check_keys(self.overrides, SECTIONS, "overrides").items():
            if not isinstance(table, Mapping):
                raise InputError(f"overrides[{section!r}] must be a table, not {shorten(repr(table))}")
        check_keys(self.overrides.get(MEASURED, {}), ("points", "noise"), f"overrides[{MEASURED!r}]")

    @cached_property
    def _source(self) -> tuple[dict[str, Any], Path]:
        """The tables of the file with preset, overrides and seed laid over them, and the file's folder."""
        if isinstance(self.problem, Problem):
            if self.preset is not None:
                raise InputError(f"preset {self.preset!r}: only a built-in problem or a file has presets")
            tables, folder = Specification(self.problem).to_dict(functions=True), Path()
        else:
            file = file_of(self.problem)
            tables, folder = with_preset(read_tables(file), self.preset), file.parent
        overrides = {section: table for section, table in self.overrides.items() if section != MEASURED}
        for more in (self.own.overrides(), overrides, {"training": {"seed": self.seed}}):
            tables = overlaid(tables, more)
        return tables, folder

    @property
    def problem_name(self) -> str:
        """The built-in problem, the file, or the name of the object."""
        return self.problem.name if isinstance(self.problem, Problem) else self.problem

    def tables(self) -> dict[str, Any]:
        """The sections of the file as this job has them."""
        return self._source[0]

    @cached_property
    def _specification(self) -> Specification:
        tables, folder = self._source
        measured = self.overrides.get(MEASURED, {})
        if isinstance(self.problem, Problem) and "problem" not in self.overrides:
            specification = Specification.from_saved(tables, folder, None, self.problem)
        elif isinstance(self.problem, Problem) and (self.problem.data or not self.problem.is_text):
            raise InputError(
                f"overrides['problem']: problem {self.problem.name!r} has functions or data, which are not varied"
            )
        else:
            specification = Specification.from_dict(tables, folder)
        return specification.measured(**measured) if measured else specification

    def specification(self) -> Specification:
        """All that determines the run; raises where something in it is wrong."""
        return self._specification

    def to_dict(self) -> dict[str, Any]:
        """The specification as plain tables, with what its measurements are; a file of them counts by its content."""
        tables, folder = self._source
        described = self.specification().to_dict(functions=True)
        if own := self.own.fingerprint(self.specification().problem, self.seed):
            described["own"] = own
        if not described["training"]["terms"]:
            del described["training"]["terms"]  # so that keys are those of versions without
        if self.own.network is not None:
            del described["network"]  # it says nothing
        elif self.specification().architecture.hidden is not None:  # then width and depth say nothing
            described["network"] = {
                k: v for k, v in described["network"].items() if k not in ("width", "depth")
            }
        if "data" in tables["problem"]:
            data = tables["problem"]["data"]
            described["problem"]["data"] = [
                _described(table, folder) for table in (data if isinstance(data, list) else [data])
            ]
        if isinstance(reference := described["problem"].get("reference"), Mapping):
            described["problem"]["reference"] = _described(reference, folder)
        if self.overrides.get(MEASURED):
            described[MEASURED] = dict(self.overrides[MEASURED])
        return described

    @cached_property
    def key(self) -> str:
        """A hash of the specification, the same on every machine; the job's own name is not in it."""
        text = dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def folder_name(self) -> str:
        """The name of the run's folder within a sweep's."""
        return f"{self.name}-{self.key[:8]}"


def _described(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A table of `[problem.data]` with the content of its files in place of their names."""
    files = table.get("file")
    if files is None:
        return dict(table)
    names = [files] if isinstance(files, str) else files
    contents = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names]
    return {**table, "file": contents}
