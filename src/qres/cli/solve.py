"""`qres solve` and `qres resume`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qres.runtime.errors import InputError

from ._app import app
from ._interrupt import INTERRUPTED

if TYPE_CHECKING:
    from qres.results import Result
    from qres.solution import Solution

Preset = Annotated[str | None, typer.Option(help="Settings that the file has a name for, e.g. `paper`.")]
NetworkKind = Annotated[
    str | None, typer.Option("--network", help="qres, mlp (or pinn), apinn, isc, qsc, qdn.")
]
Width = Annotated[int | None, typer.Option(help="Neurons in each hidden layer.")]
Depth = Annotated[int | None, typer.Option(help="Hidden layers.")]
Stages = Annotated[
    str | None,
    typer.Option(
        "--optimizer",
        help="Stages in a row, e.g. `ssbroyden` or `adam:5000@0.01,lbfgs` (iterations, Adam's rate).",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Of weights and points; same seed, same result.")]
Points = Annotated[
    int | None, typer.Option(help="Points at which the equations are asked to hold, at the most.")
]
Noise = Annotated[
    float | None,
    typer.Option(help="Noise added to the measurements, relative to their standard deviation: 0.01 is 1 %."),
]
DataPoints = Annotated[
    int | None,
    typer.Option("--data-points", help="How many of the measurements are used, drawn by the seed."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="Stop training after so many seconds, compiling included."
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        help="`train`, `least-squares` on random features, or `auto`: least squares where that is enough.",
    ),
]
Iterations = Annotated[
    int | None, typer.Option("--iterations", help="Stop the last optimizer after so many iterations.")
]
Windows = Annotated[
    str | None,
    typer.Option(
        help="Time windows, solved one after the other: a number, or `auto` to let the error choose."
    ),
]
Estimate = Annotated[
    bool,
    typer.Option(
        "--estimate/--no-estimate", help="Whether to estimate the error at the end, which takes some seconds."
    ),
]
Out = Annotated[
    Path | None, typer.Option(metavar="DIR", help="The run folder; by default a new one below runs/.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Any other key of the file: `nu=0.1` (a constant), `sampling.method=sobol`, `problem.domain.x=[0,2]`.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="End standard output with one JSON object: the result.")]


def chosen_settings(
    network: str | None, width: int | None, depth: int | None, optimizer: str | None, points: int | None,
    settings: list[str] | None,
) -> dict[str, Any]:  # fmt: skip
    """The values of the file that options replace, by name; those of --set count most."""
    named = {
        "network.kind": network, "network.width": width, "network.depth": depth, "optimizer.stages": optimizer,
        "sampling.points": points,
    }  # fmt: skip
    return {name: value for name, value in named.items() if value is not None} | parse_settings(
        settings or []
    )


def parse_settings(settings: list[str]) -> dict[str, Any]:
    """`["width=20", "sampling.method=sobol"]` as values: numbers, true and false, lists, else text."""
    parsed: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip():
            raise InputError(
                f"--set {setting!r}: write it as key=value, such as width=20 or sampling.method=sobol"
            )
        try:
            parsed[name.strip()] = tomllib.loads(f"v = {text.strip()}")["v"]
        except tomllib.TOMLDecodeError:
            parsed[name.strip()] = text.strip()
    return parsed


@app.command()
def solve(
    problem: Annotated[
        str, typer.Argument(metavar="NAME_OR_FILE", help="A built-in problem (`qres list`) or a TOML file.")
    ],
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
    method: Method = None,
    windows: Windows = None,
    out: Out = None,
    settings: Settings = None,
    estimate: Estimate = True,
    as_json: Json = False,
) -> None:
    """Solve a problem: progress, error, and a run folder with a report page.

    Without options the default recipe is used, which needs no tuning. Ctrl-C stops cleanly and keeps everything;
    `qres resume` goes on from there.
    """
    from qres.runs import read_specification, run_folder
    from qres.training import solve as run

    chosen = chosen_settings(network, width, depth, optimizer, points, settings)
    if windows is not None:
        chosen["time.windows"] = int(windows) if windows.isdecimal() else windows
    specification = read_specification(problem, preset, settings=chosen)
    specification = specification.measured(points=data_points, noise=noise)
    limits = {"iterations": iterations, "time_limit": time_limit}
    with run_folder(out, specification.problem.name) as folder:
        found = run(specification, seed=seed, run=folder, method=method, estimate=estimate, **limits)
    finish(found, as_json=as_json)


@app.command()
def resume(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run that was cut off, or is to go on.")
    ],
    time_limit: TimeLimit = None,
    iterations: Iterations = None,
    estimate: Estimate = True,
    as_json: Json = False,
) -> None:
    """Resume a run from its last checkpoint, exactly as if it had not been interrupted.

    Limits count from the run's beginning; give a new one to let a finished run go on.
    """
    from qres.training import resume as go_on

    found = go_on(run, iterations=iterations, time_limit=time_limit, estimate=estimate)
    finish(found, as_json=as_json)


def to_json(result: Result) -> str:
    """The result as one line; what only inverse problems have is left out elsewhere."""
    from qres.results import dumps

    plain = result.to_dict()
    left_out = ("versions", *(name for name in ("correlation", "noise") if not plain[name]))
    return dumps({name: value for name, value in plain.items() if name not in left_out})


def finish(solution: Solution, *, as_json: bool) -> None:
    """Print the result, of several processes on the first one only.

    A numerical failure is exit status 1, a run that was interrupted 130, as a shell has it after Ctrl-C.
    """
    from qres.results import Stop
    from qres.runtime.processes import is_first

    from ._summary import print_result

    if as_json and is_first():
        typer.echo(to_json(solution.result))
    elif is_first():
        print_result(solution.result)
    if solution.result.stopped.reason is Stop.NOT_FINITE:
        raise typer.Exit(1)
    if solution.result.stopped.reason is Stop.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
