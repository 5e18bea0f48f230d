"""`qres sweep`: many runs that differ in some settings and in their seeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._app import app
from ._interrupt import INTERRUPTED
from .solve import Iterations, TimeLimit

if TYPE_CHECKING:
    from qres.sweep import Summary


@app.command()
def sweep(
    problem: Annotated[
        str, typer.Argument(metavar="NAME_OR_FILE", help="A built-in problem (`qres list`) or a TOML file.")
    ],
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="What differs, e.g. `width=10,20,40`; may be given again, then all combinations are run. "
            "Names: width, depth, network, activation, optimizer, points, noise, data-points, the problem's constants, "
            "any key of the file as `sampling.method`, `problem.constants.nu`. "
            "Stages of an optimizer are joined by +: `optimizer=adam:100+lbfgs,ssbroyden`; "
            "quotes and brackets keep commas together: `hidden=[10,10],[20,20]`.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(help="How many runs of each setting, with the seeds 0, 1, …")] = 1,
    preset: Annotated[
        str | None, typer.Option(help="Settings that the file has a name for, e.g. `paper`.")
    ] = None,
    time_limit: TimeLimit = None,
    iterations: Iterations = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="For run folders and summary; by default runs/PROBLEM-sweep."),
    ] = None,
    executor: Annotated[
        str, typer.Option(help="processes, or dask:ADDRESS of a running scheduler (dask:tcp://host:8786).")
    ] = "processes",
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes, each with its share of the cores; by default, and at most, one a core."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="End standard output with one JSON object: the summary.")
    ] = False,
) -> None:
    """Solve a problem many times: all combinations of settings, with several seeds, on all cores or a Dask cluster.

    The summary has median and range over the seeds; it is written as summary.csv, summary.md and summary.json, with a
    picture of the error against the number of parameters. The same command again finds what is done, goes on with what
    was cut off, and runs the rest.
    """
    from qres.sweep import grid, parse_over, run, summarize, write_summary

    limits = {"iterations": iterations, "time_limit": time_limit}
    given = {name: value for name, value in limits.items() if value is not None}
    overrides: dict[str, dict[str, Any]] = {"optimizer": given} if given else {}
    jobs = grid(problem, parse_over(over or []), seeds, preset=preset, overrides=overrides)
    folder = out if out is not None else Path("runs") / f"{Path(problem).stem}-sweep"
    try:
        outcomes = run(jobs, folder, executor=executor, workers=workers)
    except KeyboardInterrupt:
        typer.echo(f"stopped; the same command goes on from here ({folder})", err=True)
        raise typer.Exit(INTERRUPTED) from None
    summary = summarize(outcomes)
    files = write_summary(summary, folder)
    if as_json:
        from qres.results import dumps

        typer.echo(dumps({"folder": str(folder), **summary.to_dict()}))
    else:
        _print(summary, files)
    if any(outcome.error is not None for outcome in outcomes):
        raise typer.Exit(1)


def _print(summary: Summary, files: list[Path]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from qres.sweep import cells

    headings, rows = cells(summary)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in summary.settings else "right")
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False)
    console.print(table)
    console.print("Median over the seeds (least–largest).", style="dim")
    for file in files:
        console.print(str(file), soft_wrap=True)
