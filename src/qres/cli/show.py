"""`qres show` and `qres list`: the result of a run, and the built-in problems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qres.runtime.errors import InputError, printable

from ._app import app
from .solve import Json, to_json


@app.command()
def show(
    run: Annotated[
        Path, typer.Argument(metavar="RUN_OR_FILE", help="A run folder, or a file of a saved solution.")
    ],
    as_json: Json = False,
    cite: Annotated[
        bool, typer.Option("--cite", help="What to cite for this run, with BibTeX entries.")
    ] = False,
) -> None:
    """What a run found; or, while it is under way, how far it is."""
    from qres.results import dumps
    from qres.runs import RunFolder

    from ._summary import print_result
    from .predict import open_solution

    if run.is_dir() and not (folder := RunFolder.open(run)).solution_file.exists():
        records = folder.history()
        if not records:
            raise InputError(f"{run}: this run has recorded nothing yet")
        typer.echo(
            dumps(records[-1].to_dict())
            if as_json
            else f"{run}: not finished. Last record:\n{printable(str(records[-1]))}"
        )
        return
    solution = open_solution(run)
    if cite:
        from qres.report import citation

        typer.echo(f"{citation(solution)}\n\n{citation(solution).bibtex}")
        return
    result = solution.result
    if as_json:
        typer.echo(to_json(result))
    else:
        print_result(result)


@app.command("list")
def list_problems() -> None:
    """The built-in problems."""
    from rich.console import Console
    from rich.table import Table

    from qres.problems import library, read_toml

    table = Table("problem", "equations", "coordinates", box=None, pad_edge=False)
    for name in library.names():
        problem = read_toml(library.path(name))["problem"]
        equations = problem["equations"]
        text = "\n".join([equations] if isinstance(equations, str) else equations)
        table.add_row(name, text, ", ".join(problem["domain"]))
    Console(highlight=False).print(table)
