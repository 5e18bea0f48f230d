"""`qres theory`: what an architecture can express, and where the paper's propositions hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qres.runtime.errors import InputError

from ._app import app


@app.command()
def theory(
    widths: Annotated[str | None, typer.Argument(help="Input and output included: 2,10,10,1.")] = None,
    degree: Annotated[int, typer.Option(help="Degree r of the activation x -> x^r; 1 is linear.")] = 2,
    kind: Annotated[str, typer.Option(help="qres or plain.")] = "qres",
    last: Annotated[
        str, typer.Option(help="Output layer of qres: quadratic, as run, or linear.")
    ] = "quadratic",
    against: Annotated[str | None, typer.Option(help="Widths of a network to compare with.")] = None,
    against_kind: Annotated[str, typer.Option(help="Its kind, qres or plain.")] = "plain",
    check: Annotated[
        bool, typer.Option("--check", help="Test the paper's propositions over tables.")
    ] = False,
    document: Annotated[Path | None, typer.Option(help="Write these tables into a Markdown file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Compute what an architecture can express: the dimension of its leading variety, exactly."""
    if widths is None and not check and document is None:
        raise InputError("widths=None: give widths such as 2,10,10,1, or --check, or --document FILE")
    if widths is not None and (check or document is not None):
        raise InputError(
            f"widths={widths!r}: --check and --document take no widths, they have their own tables"
        )
    from rich.console import Console

    from ._theory import check_all, show_analyses

    if document is not None:
        from qres.theory import write_tables

        write_tables(document)
    if check:
        check_all(Console(), as_json)
    if widths is not None:
        show_analyses(widths, degree, kind, last, against, against_kind, as_json=as_json)
