"""`qres reproduce`: the tables and figures of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._app import app

if TYPE_CHECKING:
    from rich.console import Console

    from qres.paper import Reproduction, Scale


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME…|all", help="Tables and figures, e.g. `table-3`; `--list` has them."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="What there is, and how long it takes.")] = False,
    seeds: Annotated[
        int | None, typer.Option(help="How many, from 0 on; 5 by default, 1 at the short scale.")
    ] = None,
    scale: Annotated[
        str,
        typer.Option(help="`paper`, or `short`: the same networks for seconds each, to see that all works."),
    ] = "paper",
    executor: Annotated[
        str, typer.Option(metavar="WHERE", help="`processes`, or `dask:ADDRESS` of a scheduler that runs.")
    ] = "processes",
    workers: Annotated[int | None, typer.Option(help="How many runs at once; by default one a core.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Where all goes: by default `reproduction`, or `reproduction-short`.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Start only runs with this in their names; may be given again."),
    ] = None,
    run: Annotated[
        bool, typer.Option("--run/--no-run", help="Start what is missing, or draw only what is there.")
    ] = True,
    record: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the record of each run here too, e.g. `results/paper`."),
    ] = None,
    document: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the page of all that `--record` holds.")
    ] = None,
) -> None:
    """Reproduce the paper: run what is missing, and draw tables and figures with the paper's numbers beside ours.

    Runs are recorded one by one and found again, so that a command that was cut off goes on where it was; experiments
    share runs.
    """
    from rich.console import Console

    from qres import paper
    from qres.runtime.errors import InputError, one_of

    console = Console(highlight=False)
    length = paper.SCALES[one_of(scale, paper.SCALES, "scale")]
    folder = out or Path("reproduction" if length is paper.PAPER else f"reproduction-{scale}")
    if listed:
        _list(console, length, length.seeds if seeds is None else seeds)
        return
    if document is not None and (record is None or length is not paper.PAPER):
        raise InputError(
            f"--document {document}: it shows what --record DIR holds, at the scale of the paper"
        )
    if names or document is None:
        made = paper.reproduce(
            names or [], folder, scale=length, seeds=seeds, executor=executor, workers=workers, only=only or (),
            run=run, record=record,
            notify=lambda text: console.print(f"{text}. All goes to {folder}/.", soft_wrap=True),
        )  # fmt: skip
        _show(console, made, folder)
    if document is not None:
        assert record is not None
        console.print(f"{paper.write_document(record, document)}: written")


def _show(console: Console, made: Reproduction, folder: Path) -> None:
    """Every table, where every figure is, and what failed; a failure is exit status 1."""
    for experiment in made.experiments:
        console.print(f"\n[bold]{experiment.title}[/bold]")
        console.print(experiment.table(made.records).rich(console.width))
        figure = folder / "figures" / f"{experiment.name}.png"
        if figure.is_file():
            console.print(f"figure: {figure}", soft_wrap=True)
    for name, why in made.failed.items():
        console.print(f"[red]failed:[/red] {name}: {why}", soft_wrap=True)
    console.print(f"\nall of it: {made.page}", soft_wrap=True)
    if made.failed:
        raise typer.Exit(1)


def _list(console: Console, scale: Scale, seeds: int) -> None:
    """What there is, and how long it takes."""
    from rich.table import Table

    from qres.paper import EXPERIMENTS, duration

    table = Table("name", "what", "runs", "one core takes", box=None, pad_edge=False)
    for experiment in EXPERIMENTS.values():
        seconds = seeds * sum(variant.expected_seconds(scale) for variant in experiment.variants)
        runs = seeds * len(experiment.variants)
        table.add_row(experiment.name, experiment.title, str(runs), f"about {duration(seconds)}")
    console.print(table)
    console.print(f"{scale.name} scale, {seeds} seed{'s'[: seeds > 1]}; what experiments share is run once")
