"""`solve`: from a problem to a Solution; and `resume`, which continues an interrupted run."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qres.fields import Model, Time, Windows
from qres.geometry import Sampling
from qres.networks import Architecture, count_parameters, initialized
from qres.optimizers import (
    MissingOptimizer,
    Optimizer,
    Stage,
    as_stage,
    fit_to_memory,
    name_stages,
    parse_stages,
)
from qres.posed.evaluator import Term, Terms, find_terms, name_terms
from qres.problems import Problem, term_fingerprints
from qres.runs import RunFolder, Specification, Start, read_specification, with_options
from qres.runtime.clock import Clock
from qres.runtime.errors import InputError, shorten
from qres.runtime.jax_config import configure
from qres.runtime.processes import is_first
from qres.runtime.random import seed_key
from qres.solution import Solution, network_bytes, read_network
from qres.training.loop import Callback, Loop

from ._assembly import build_model, describe_waves, other_starts
from ._ending import intervals_within
from ._finish import finish
from ._least_squares import attempted, with_method
from ._machine import machine_notes
from ._progress import ProgressBar
from .windows import resume_windows, solve_windows

Stages = str | Optimizer | Sequence[Optimizer]


def solve(
    problem: str | Path | Problem | Specification,
    network: Any = None,
    *,
    optimizer: Stages | None = None,
    sampling: Sampling | None = None,
    weights: Mapping[str, float] | None = None,
    terms: Terms | None = None,
    preset: str | None = None,
    time: Time | None = None,
    windows: int | str | Windows | None = None,
    seed: int | None = None,
    iterations: int | None = None,
    time_limit: float | None = None,
    run: str | Path | None = None,
    snapshots: Sequence[int] | None = None,
    method: str | None = None,
    estimate: bool = True,
    progress: bool = True,
    callbacks: Sequence[Callback] = (),
) -> Solution:
    """Solve a problem.

    Args:
        problem: a built-in problem's name, a TOML file, a Problem, or a Specification.
        network: a network, a function of `key` that creates one, an Architecture, a kind such as `"mlp"`, or None for
            the default.
        optimizer: `"adam:5000,lbfgs"`, an optimizer, or several in a row: any object that follows
            `qres.extend.Optimizer`.
        sampling: how many points, where, and how often they are resampled.
        weights: of the terms of the loss, by name (`{"initial": 10}`).
        terms: loss terms of your own by name, objects that follow `qres.extend.Term`; or names that are registered.
        preset: one of the file's presets, such as `"paper"`.
        time: steps of a Runge–Kutta method, for an evolution equation in discrete time.
        windows: how many time windows, or `"auto"`, for an evolution that is solved piece by piece.
        seed: of weights and points; the same seed on the same machine gives the same result.
        iterations: of the last stage.
        time_limit: of training, in seconds, compiling included.
        run: a new folder for the specification, history, checkpoints, solution and report.
        snapshots: iterations, counted over all stages, at which the run folder keeps the solution as it is then.
        method: `"train"`, `"least-squares"` on random features, or `"auto"`, the default where nothing is said of how
            to train: least squares where that leaves small residuals, else training.
        estimate: whether a run folder gets an estimate of the error at the end, which takes some seconds.
        progress: whether to show any.
        callbacks: each is called with a `RunView` for every record, and ends the run by returning a `Stop`.
    """
    configure()
    specification = _specified(problem, preset, network, sampling, weights)
    specification = with_options(
        specification,
        time=time,
        windows=None if windows is None else Windows.of(windows),
        seed=seed,
        iterations=iterations,
        time_limit=time_limit,
        snapshots=snapshots,
    ).measured()
    chosen = (network, optimizer, preset, weights, time, iterations, snapshots)
    specification = with_method(specification, method, explicit=any(one is not None for one in chosen))
    if specification.windows is not None:
        return solve_windows(specification, run, estimate=estimate, progress=progress, callbacks=callbacks)
    stages = _stages(optimizer, specification)
    named = specification.terms if terms is None else name_terms(terms)
    specification = dataclasses.replace(specification, stages=name_stages(stages), terms=named)
    own_terms = find_terms(named, terms)
    folder, is_described = None, network is None or isinstance(network, Architecture | str)
    if not is_described and not callable(network):
        raise InputError(
            f"network must be a network, an Architecture or a kind, not {shorten(repr(network))}"
        )
    if callable(callbacks) or not isinstance(callbacks, Sequence) or not all(map(callable, callbacks)):
        raise InputError(f"callbacks must be a list of functions, [function], not {shorten(repr(callbacks))}")
    if run is not None and not isinstance(run, str | Path):
        raise InputError(f"run must be the name of a folder, not {shorten(repr(run))}")
    if specification.snapshots and run is None:
        raise InputError("snapshots need a run folder to be kept in: give one")
    if run is not None:
        specification.to_dict(functions=True)  # an error where it cannot be written
        folder = RunFolder.new(Path(run))
    own = None if is_described else network
    others = other_starts(specification, own, None)
    return _run(
        specification,
        build_model(specification, own),
        stages,
        folder,
        estimate=estimate,
        progress=progress,
        callbacks=callbacks,
        terms=own_terms,
        others=others,
        given=not is_described,
    )


def resume(
    run: str | Path,
    *,
    problem: Problem | None = None,
    network: Any = None,
    optimizer: Stages | None = None,
    terms: Terms | None = None,
    iterations: int | None = None,
    time_limit: float | None = None,
    estimate: bool = True,
    progress: bool = True,
    callbacks: Sequence[Callback] = (),
) -> Solution:
    """Continue a run from its last checkpoint; new limits replace the old, and count from the run's beginning.

    Args:
        run: its folder.
        problem: the one that was given to `solve`, where it has functions that could not be traced.
        network: one like that which was given to `solve`, where one was; its weights are those of the run.
        optimizer: where the run's were objects that are not registered, the same again.
        terms: where the run's were objects that are not registered, the same again.
        iterations: of the last stage.
        time_limit: of training, in seconds.
        estimate: as for `solve`.
        progress: as for `solve`.
        callbacks: as for `solve`.
    """
    configure()
    folder = RunFolder.open(run)
    with folder.locked():
        specification = with_options(
            folder.specification(problem), iterations=iterations, time_limit=time_limit
        )
        if specification.windows is not None:
            return resume_windows(
                specification, folder, estimate=estimate, progress=progress, callbacks=callbacks
            )
        start, own_terms = folder.load_start(), find_terms(specification.terms, terms)
        folder.check_terms(term_fingerprints(specification.problem, own_terms))
        others = [] if folder.checkpoint_file.exists() else other_starts(specification, network, start)
        return _run(
            specification,
            build_model(specification, _begun_with(folder, network), start),
            _stages_again(optimizer, specification),
            folder,
            terms=own_terms,
            others=others,
            estimate=estimate,
            progress=progress,
            callbacks=callbacks,
            go_on=True,
            start=start,
        )


def _begun_with(folder: RunFolder, network: Any) -> Any:
    """The network that a run began with, where it was given; None where it was described."""
    if folder.network_file.exists():
        like = initialized(network, seed_key(0))
        return read_network(folder.network_file, like, f"qres.resume({str(folder.path)!r}, network=…)")
    if network is not None:
        raise InputError(f"{folder.path}: the run describes its network: leave network= out")
    return None


def _specified(
    problem: str | Path | Problem | Specification,
    preset: str | None,
    network: Any,
    sampling: Sampling | None,
    weights: Mapping[str, float] | None,
) -> Specification:
    if preset is not None and isinstance(problem, Problem | Specification):
        raise InputError(f"preset {preset!r}: only a built-in problem or a file has presets")
    if isinstance(problem, Problem):
        specification = Specification(problem)
    elif isinstance(problem, Specification):
        specification = problem
    elif isinstance(problem, str | Path):
        specification = read_specification(problem, preset)
    else:
        raise InputError(
            f"problem must be a qres.Problem, a built-in problem's name or a TOML file, not {shorten(repr(problem))}"
        )
    architecture = network if isinstance(network, Architecture) else getattr(network, "architecture", None)
    if isinstance(network, str):
        architecture = dataclasses.replace(specification.architecture, kind=network)
    return with_options(specification, architecture=architecture, sampling=sampling, weights=weights)


def _stages(optimizer: Stages | None, specification: Specification) -> tuple[Stage, ...]:
    if optimizer is None or isinstance(optimizer, str):
        stages = parse_stages(specification.stages if optimizer is None else optimizer)
        for stage in stages:
            if isinstance(stage, MissingOptimizer):
                stage.refuse()
        return stages
    found: tuple[Any, ...] = tuple(optimizer) if isinstance(optimizer, list | tuple) else (optimizer,)
    return tuple(as_stage(stage) for stage in found)


def _stages_again(optimizer: Stages | None, specification: Specification) -> tuple[Stage, ...]:
    """The stages to go on with: those of the run, where objects have to be given again."""
    stages = _stages(optimizer, specification)
    begun, given = ([stage.name for stage in of] for of in (parse_stages(specification.stages), stages))
    if begun != given:
        raise InputError(
            f"optimizer: the run was begun with {specification.stages}, and goes on with no other stages, such as "
            f"{name_stages(stages)}"
        )
    return stages


def _run(
    specification: Specification,
    model: Model,
    stages: tuple[Stage, ...],
    folder: RunFolder | None,
    *,
    estimate: bool,
    progress: bool,
    callbacks: Sequence[Callback],
    terms: Mapping[str, Term],
    others: Sequence[np.ndarray],
    go_on: bool = False,
    start: Start | None = None,
    given: bool = False,
) -> Solution:
    specification.limits(stages)  # an error where one would never end
    stages, memory_note = fit_to_memory(stages, count_parameters(model))
    with (
        contextlib.ExitStack() as claims,
        ProgressBar(specification.problem.name, visible=progress and is_first()) as bar,
    ):
        for warning in (*specification.problem.warnings, *([memory_note] if memory_note else [])):
            bar.log(f"warning: {warning}")
        for line in (
            *specification.problem.notes,
            *describe_waves(specification, model),
            *machine_notes(model),
        ):
            bar.log(line)
        is_new, only_trains = folder is not None and not go_on, specification.method == "train"

        def begin_folder() -> None:
            assert folder is not None
            claims.enter_context(folder.locked())
            folder.create(
                specification,
                network_bytes(model.network) if given else None,
                term_fingerprints(specification.problem, terms),
            )

        if is_new and not only_trains:
            begin_folder()
        clock = Clock()
        if (
            start is None
            and (solution := attempted(specification, bar, folder, callbacks, terms)) is not None
        ):
            finish(solution, folder, bar, specification.problem.warnings, estimate=estimate)
            return solution
        loop = Loop(specification, model, stages, folder=folder, bar=bar, callbacks=callbacks, terms=terms)
        loop.budget.clock.set(clock.seconds, clock.cpu_seconds)
        if is_new and only_trains:  # once the loop stands: a mistake leaves no folder behind
            begin_folder()
        if start is not None:
            loop.objective.sizes = start.sizes_of(loop.objective.sizes)
        elif folder is not None:
            folder.save_start(Start.of(model, loop.objective.sizes, specification.architecture))
        if folder is not None and go_on and not loop.checkpointer.restore():
            folder.rewrite_history([])  # of a run that was cut off before its first checkpoint
            go_on = False
        if not go_on:
            loop.begin(others)
        stopped = loop.run()
        spent = loop.budget.clock.cpu_seconds
        intervals = intervals_within(loop.objective, loop.theta, loop.points.batch, spent, bar)
        for warning in intervals.warnings:
            bar.log(f"warning: {warning}")
        solution = loop.solution(stopped, intervals)
        notes = [
            *specification.problem.warnings,
            *([memory_note] if memory_note else []),
            *intervals.warnings,
        ]
        finish(solution, folder, bar, notes, estimate=estimate)
    return solution
