"""`qres identify`: unknown parameters of an equation, from measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qres.runtime.errors import InputError, whole_number

from ._app import app
from .solve import (
    DataPoints,
    Depth,
    Estimate,
    Iterations,
    Json,
    NetworkKind,
    Noise,
    Out,
    Points,
    Preset,
    Seed,
    Settings,
    Stages,
    TimeLimit,
    Width,
    chosen_settings,
    finish,
)


@app.command()
def identify(
    problem: Annotated[
        str, typer.Argument(metavar="FILE", help="A TOML file with [problem.unknowns], or a built-in one.")
    ],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="CSV",
            help="Measurements, instead of the file's own; may be given again. Also NPZ, NetCDF, MAT.",
        ),
    ] = None,
    holdout: Annotated[
        float | None, typer.Option(help="The share of the measurements to compare with only.")
    ] = None,
    robust: Annotated[bool, typer.Option("--robust", help="Give outliers less weight.")] = False,
    bootstrap: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Also fit N times to resampled measurements: slow, but assumes nothing."
        ),
    ] = None,
    preset: Preset = None,
    network: NetworkKind = None,
    width: Width = None,
    depth: Depth = None,
    optimizer: Stages = None,
    seed: Seed = None,
    points: Points = None,
    noise: Noise = None,
    data_points: DataPoints = None,
    time_limit: TimeLimit = None,
    iterations: Iterations = None,
    out: Out = None,
    settings: Settings = None,
    estimate: Estimate = True,
    as_json: Json = False,
) -> None:
    """Find the unknown numbers in an equation from measurements, with 95 % intervals.

    The columns of the data are named after the problem's coordinates and fields. Fitting stops by itself at the noise
    level; parameters that the data do not determine are reported.
    """
    from dataclasses import replace

    from qres.runs import read_specification, run_folder, with_options
    from qres.runtime.processes import is_first
    from qres.training import bootstrap as resample
    from qres.training import solve

    chosen = chosen_settings(network, width, depth, optimizer, points, settings)
    specification = read_specification(problem, preset, data or (), chosen)
    if not specification.problem.unknowns:
        raise InputError(f"{problem}: nothing to identify: the problem has no [problem.unknowns]")
    if not specification.problem.data:
        raise InputError(f"{problem}: no measurements: give --data points.csv, or [problem.data] in the file")
    if bootstrap is not None:
        whole_number(bootstrap, 2, "--bootstrap")
    specification = with_options(specification, seed=seed).measured(points=data_points, noise=noise)
    if robust or holdout is not None:
        chosen = specification.holdout if holdout is None else holdout
        specification = replace(specification, robust=robust or specification.robust, holdout=chosen)
    limits = {"iterations": iterations, "time_limit": time_limit}
    with run_folder(out, specification.problem.name) as folder:
        solution = solve(specification, run=folder, estimate=estimate, **limits)
    if bootstrap is not None:
        found = resample(specification, bootstrap, seed=specification.seed, **limits)
        solution.result = replace(solution.result, bootstrap=found)
        if is_first():
            solution.save(folder / "solution.qres")
    finish(solution, as_json=as_json)
