"""`qres identify`: the unknown numbers of an equation, from measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._app import app
from .solve import Estimate, Iterations, Json, Out, Seed, Settings, TimeLimit, finish, parse_settings


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
    seed: Seed = None,
    time_limit: TimeLimit = None,
    iterations: Iterations = None,
    out: Out = None,
    settings: Settings = None,
    estimate: Estimate = True,
    as_json: Json = False,
) -> None:
    """Find the unknown numbers in an equation from measurements, with 95 % intervals.

    The columns of the data are named after the problem's coordinates and fields. Fitting stops by itself at the noise
    level; what the data cannot determine is said.
    """
    from dataclasses import replace

    from qres.training import bootstrap as resample
    from qres.training import default_folder, read_specification, solve

    specification = read_specification(problem, data=data or ())
    specification = specification.with_settings(parse_settings(settings or []))
    if not specification.problem.unknowns:
        raise ValueError(f"{problem}: nothing to identify: the problem has no [problem.unknowns]")
    if not specification.problem.data:
        raise ValueError(f"{problem}: no measurements: give --data points.csv, or [problem.data] in the file")
    if robust or holdout is not None:
        chosen = specification.holdout if holdout is None else holdout
        specification = replace(specification, robust=robust or specification.robust, holdout=chosen)
    folder = out if out is not None else default_folder(specification.problem.name)
    limits = {"iterations": iterations, "time_limit": time_limit}
    solution = solve(specification, seed=seed, run=folder, estimate=estimate, **limits)
    if bootstrap is not None:
        solution.summary["bootstrap"] = resample(specification, bootstrap, seed=seed or 0, **limits)
        solution.save(folder / "solution.qres")
    finish(solution, as_json=as_json)
