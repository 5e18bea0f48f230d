"""The specification: everything that determines a run, as plain data, from a file, a library problem or a run."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from qres.fields import Time, Windows
from qres.geometry import Sampling
from qres.networks import Architecture
from qres.optimizers import Stage, parse_stages
from qres.posed.evaluator import check_term_names
from qres.problems import SECTIONS, Problem, Saved, library, read_toml
from qres.runtime.errors import InputError, check_keys, number, one_of, shorten, whole_number
from qres.runtime.processes import is_first

from ._migrations import FORMAT, NONE, migrated
from ._preset import overlaid, with_preset
from ._settings import OPTIMIZER_KEYS, TRAINING_KEYS, overrides_from

DEFAULT_ITERATIONS = 5000  # where nothing else is said
_PACED_SECONDS = 60.0  # of a run that has a pace and no time limit

_NULLABLE = ("iterations", "time_limit", "pace", "hidden")
METHODS = ("auto", "least-squares", "train")
TRIAL = 300  # iterations that each of several starts has

_PARTS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "problem": ((Problem,), "a qres.Problem"),
    "architecture": ((Architecture,), "a qres.Architecture, such as qres.Architecture(width=20)"),
    "sampling": ((Sampling,), "a qres.Sampling, such as qres.Sampling(points=500)"),
    "weights": ((Mapping,), 'numbers by name, such as {"initial": 10}'),
    "time": ((Time, type(None)), "a qres.Time, such as qres.Time(stages=100)"),
}


@dataclass(frozen=True)
class Specification:
    """A problem, and how it is solved.

    `iterations` limits the last stage (each other one has its own number), `time_limit` the whole run in seconds;
    training also stops when the loss is below `tolerance`. A share `holdout` of the measurements is only compared with,
    never fitted; with `robust`, measurements that stand far off lose weight. With a `pace`, a run that has a time
    limit and no number of iterations makes that many for each of its seconds, and so the same bits wherever the clock
    allows it. With `time`, time is discrete; with `windows`, it is cut. `snapshots` are iterations, counted over
    all stages, at which a run folder keeps the solution as it is then. With several `starts`, as many networks
    begin with weights of their own, and the one whose loss is smallest after some iterations goes on. With
    `balance`, soft conditions without a weight of their own get one, shared by those of a kind and derivative
    order, that makes the loss as sensitive to them as to the equations. `terms` are loss terms of the user's own:
    names that are registered, and in angle brackets those of objects, which no file holds. The `method` is
    `"train"`, `"least-squares"` on random features, or `"auto"`: least squares where the problem is linear and that
    leaves small residuals, else training.
    """

    problem: Problem
    architecture: Architecture = field(default_factory=Architecture)
    stages: str = "ssbroyden"
    sampling: Sampling = field(default_factory=Sampling)
    weights: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    iterations: int | None = None
    time_limit: float | None = None
    tolerance: float = 1e-13
    holdout: float = 0.0
    robust: bool = False
    pace: float | None = None
    time: Time | None = None
    windows: Windows | None = None
    snapshots: tuple[int, ...] = ()
    starts: int = 1
    balance: bool = True
    terms: tuple[str, ...] = ()
    method: str = "auto"

    def __post_init__(self) -> None:
        one_of(self.method, METHODS, "method")
        for name, (kind, example) in _PARTS.items():
            _check_part(name, getattr(self, name), kind, example)
        parse_stages(self.stages)
        if whole_number(self.seed, 0, "seed") >= 2**63:
            raise InputError(f"seed must be below 2^63, not {self.seed!r}")
        if self.iterations is not None:
            whole_number(self.iterations, 1, "iterations")
        if self.time_limit is not None:
            number(self.time_limit, "time limit (seconds)", above=0)
        number(self.tolerance, "tolerance", least=0)
        whole_number(self.starts, 1, "starts")
        if self.pace is not None:
            number(self.pace, "pace (iterations a second)", above=0)
        if number(self.holdout, "holdout", least=0) >= 1:
            raise InputError(f"holdout must be a share of the data below 1, not {self.holdout!r}")
        for name, value in (("robust", self.robust), ("balance", self.balance)):
            if not isinstance(value, bool):
                raise InputError(f"{name} must be true or false, not {value!r}")
        if self.robust and self.sampling.resample_every == 0:
            raise InputError(
                "robust = true needs resample_every above 0: outliers are reweighted when points are resampled"
            )
        if self.holdout and self.sampling.resample_every == 0:
            raise InputError(
                "holdout needs resample_every above 0: held-out measurements are compared when points are resampled"
            )
        if not isinstance(self.snapshots, list | tuple):
            raise InputError(f"snapshots must be a list of iterations, not {self.snapshots!r}")
        for iteration in self.snapshots:
            whole_number(iteration, 1, "each of the snapshots")
        object.__setattr__(self, "snapshots", tuple(sorted(set(self.snapshots))))
        object.__setattr__(self, "terms", check_term_names(self.terms))
        if self.windows is not None:
            self._check_windows()
        if self.terms and self.time is not None:
            raise InputError("terms are for continuous time; with [time], leave them out")
        if self.starts > 1 and (first := min(self.snapshots, default=TRIAL + 1)) <= TRIAL:
            raise InputError(f"snapshots: with several starts the first may be at {TRIAL + 1}, not {first}")

    def _check_windows(self) -> None:
        if self.time is not None:
            raise InputError("[time] windows and stages exclude each other: leave one out")
        for name, is_asked in (
            ("terms", self.terms),
            ("snapshots", self.snapshots),
            ("starts", self.starts > 1),
        ):
            if is_asked:
                raise InputError(f"{name}: a run with [time] windows has none; leave {name} out")

    @staticmethod
    def from_dict(tables: Mapping[str, Any], folder: Path = Path()) -> Specification:
        """A specification from the tables of a file, of any format; its data are relative to the folder."""
        return Specification._read(migrated(tables)[0], folder)

    @staticmethod
    def from_saved(
        tables: Mapping[str, Any], folder: Path, ansatz: Saved | None, problem: Problem | None = None
    ) -> Specification:
        """A specification from what a run folder holds.

        Args:
            tables: as they were written.
            folder: the run's.
            ansatz: the one that was chosen then; None where the folder has none, and it is derived again.
            problem: stands in place of the one in the tables, where these do not hold it whole.
        """
        return Specification._read(migrated(tables, saved=True)[0], folder, ansatz, problem)

    @staticmethod
    def _read(
        tables: Mapping[str, Any], folder: Path, ansatz: Saved | None = None, problem: Problem | None = None
    ) -> Specification:
        check_keys(tables, ("format", *SECTIONS), "the file")
        if "problem" not in tables:
            raise InputError("the file has no [problem]")
        for section in SECTIONS:
            if not isinstance(tables.get(section, {}), Mapping):
                raise InputError(f"[{section}] must be a table of keys and values")
        stated = {section: _with_null(tables.get(section, {})) for section in SECTIONS}
        if "method" not in stated["training"] and is_explicit(stated):
            stated["training"] = {**stated["training"], "method": "train"}
        return Specification(
            Problem.from_dict(tables["problem"], folder, ansatz) if problem is None else problem,
            Architecture.from_dict(stated["network"]),
            sampling=Sampling.from_dict(stated["sampling"]),
            weights=stated["weights"],
            **_time(stated["time"] if "time" in tables else None),
            **check_keys(stated["optimizer"], OPTIMIZER_KEYS, "[optimizer]"),
            **check_keys(stated["training"], TRAINING_KEYS, "[training]"),
        )

    def to_dict(self, *, functions: bool = False) -> dict[str, Any]:
        """Plain tables, as in a file, with all defaults: when these change, what was written does not.

        Functions that could not be traced are an error, or with `functions` are named where they stand.
        """
        optimizer = {name: getattr(self, name) for name in OPTIMIZER_KEYS}
        training = {name: getattr(self, name) for name in TRAINING_KEYS}
        return {
            "format": FORMAT,
            "problem": self.problem.to_dict(functions=functions),
            "network": _without_null(self.architecture.to_dict()),
            "optimizer": _without_null(optimizer),
            "training": training | {"snapshots": list(self.snapshots), "terms": list(self.terms)},
            "sampling": self.sampling.to_dict(),
            "weights": dict(self.weights),
        } | ({} if (stated := self.time or self.windows) is None else {"time": stated.to_dict()})

    def limits(self, stages: Sequence[Stage]) -> tuple[int | None, ...]:
        """How many iterations each stage may make, None where only the clock says; the run's limit is the last's."""
        unlimited = DEFAULT_ITERATIONS if self.time_limit is None else None
        if self.pace is not None:
            unlimited = max(1, round(self.pace * (self.time_limit or _PACED_SECONDS)))
        own = [stage.iterations or unlimited for stage in stages]
        for stage, most in zip(stages[:-1], own, strict=False):
            if most is None:
                raise InputError(
                    f"optimizer: {stage.name} comes before another, and under a time limit needs a number of "
                    f"iterations, such as {stage.name}:2000"
                )
        return (*own[:-1], self.iterations or own[-1])

    def measured(self, *, points: int | None = None, noise: float | None = None) -> Specification:
        """The same with measurements drawn by its seed, as many and as noisy as asked.

        Without measurements, the known values are those of the conditions, and `points` is how many each has.
        """
        if self.problem.data:
            return replace(self, problem=self.problem.measured(self.seed, points=points, noise=noise))
        if noise:
            raise InputError(
                f"noise {noise:g}: problem {self.problem.name!r} has no measurements to add noise to"
            )
        if points is None:
            return self
        key = "condition_points" if self.time is None else "points"
        return replace(self, sampling=replace(self.sampling, **{key: points}))


def _check_part(name: str, value: Any, kinds: tuple[type, ...], example: str) -> None:
    """An error where a part of a specification is something else, such as a number in place of a `Sampling`."""
    if not isinstance(value, kinds):
        raise InputError(f"{name} must be {example}, not {shorten(repr(value))}")


def is_explicit(stated: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a file says how a network is trained: then it is, and no other method comes in its place."""
    keys = {*stated["optimizer"]} & {"stages", "iterations", "pace"}
    training = {*stated["training"]} & {"holdout", "robust", "snapshots", "starts", "balance"}
    return bool(keys or training or stated["network"] or stated["weights"] or stated["time"])


def _time(table: Mapping[str, Any] | None) -> dict[str, Time | Windows]:
    """Discrete time, or windows, whichever a file's `[time]` is about."""
    if table is None:
        return {}
    if "windows" in table:
        return {"windows": Windows.from_dict(table)}
    return {"time": Time.from_dict(table)}


def _without_null(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: NONE if value is None else value for key, value in table.items()}


def _with_null(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: None if key in _NULLABLE and value == NONE else value for key, value in table.items()}


def file_of(source: str | Path) -> Path:
    """The TOML file of a built-in problem, or of a user."""
    text, path = str(source), Path(source)
    is_file = text not in library.names() and (path.suffix == ".toml" or path.exists() or "/" in text)
    return path if is_file else library.path(text)  # raises, with the names there are


def read_tables(file: Path) -> dict[str, Any]:
    """The sections of a user's file as today's format has them; old names in it are said, in one line."""
    tables, old = migrated(read_toml(file))
    if old:
        _deprecate(file, old)
    return tables


@lru_cache
def _deprecate(file: Path, old: Sequence[str]) -> None:
    """Once for a file, which a sweep reads many times."""
    if is_first():
        moved = ", ".join(name.replace("optimizer.", "training.") for name in old)
        print(f"warning: {file}: deprecated: {', '.join(old)}; write {moved}", file=sys.stderr, flush=True)


def read_specification(
    source: str | Path,
    preset: str | None = None,
    data: Sequence[str | Path] = (),
    settings: Mapping[str, Any] | None = None,
) -> Specification:
    """The specification of a library problem by name, or of a TOML file.

    Args:
        source: the name, or the file.
        preset: one of its presets.
        data: files that take the place of those in `[problem.data]`, whose column names still count.
        settings: other values by name, `{"width": 20, "sampling.method": "sobol", "problem.constants.nu": 0.1}`.
    """
    file = file_of(source)
    tables = with_preset(read_tables(file), preset)
    if data:
        own = tables["problem"].get("data", {})
        if isinstance(own, list) and len(own) == 1:
            own = own[0]
        if isinstance(own, list) and any(key in one for one in own for key in ("columns", "axes", "noise")):
            raise InputError(
                f"{file}: several [[problem.data]] tables say what their columns are; it is not clear which of them "
                "other data follow: leave one"
            )
        kept = {
            key: own[key]
            for key in ("columns", "axes", "points", "noise")
            if isinstance(own, Mapping) and "file" in own and key in own
        }
        files = [str(Path(name).resolve()) for name in data]
        tables = {**tables, "problem": {**tables["problem"], "data": {**kept, "file": files}}}
    overrides = overrides_from(tables, settings or {})
    found = overlaid(tables, overrides)
    had, has = (bool(each["problem"].get("reference")) for each in (tables, found))
    if had and not has and not {"reference", "problem.reference"} & set(settings or {}):
        _note_dropped_reference(file, tuple(overrides["problem"].keys() - {"reference"}))
    return Specification.from_dict(found, file.parent)


@lru_cache
def _note_dropped_reference(file: Path, changed: tuple[str, ...]) -> None:
    """Once for a file and what of its problem is changed, which a sweep reads many times."""
    if is_first():
        print(
            f"warning: {file.name}: its reference is left out, since the settings change "
            f"{', '.join(f'problem.{key}' for key in sorted(changed))}; there are no errors against it",
            file=sys.stderr,
            flush=True,
        )


def with_options(specification: Specification, **options: Any) -> Specification:
    """The same with other values for what is not None."""
    return replace(specification, **{name: value for name, value in options.items() if value is not None})
