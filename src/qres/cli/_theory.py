"""Output of `qres theory`: tables of what architectures can express, and of where the paper's propositions hold."""

from __future__ import annotations

from dataclasses import asdict
from typing import cast, get_args

import typer
from rich import box
from rich.console import Console
from rich.table import Column, Table

from qres.results import dumps
from qres.runtime.errors import InputError
from qres.theory import CHECKS, Analysis, Architecture, Check, Kind, Last, analyse
from qres.theory import check as compute_check


def parse_widths(text: str, name: str) -> tuple[int, ...]:
    """Widths from the command line: `2,10,10,1`.

    Args:
        text: whole numbers with commas.
        name: of the argument, for the message.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) < 2 or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise InputError(
            f"{name}={text!r}: two or more whole numbers from 1 on, with commas, such as 2,10,10,1"
        )
    return tuple(map(int, parts))


def _allowed(value: str, name: str, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not among the choices."""
    if value not in choices:
        raise InputError(f"{name}={value!r}: one of {', '.join(choices)}")


def _numbers(values: tuple[int, ...] | None) -> str:
    """Numbers with commas, or a dash."""
    return ",".join(map(str, values)) if values else "-"


def _sized(widths: tuple[int, ...] | None, parameters: int | None) -> str:
    """Widths and parameters, or a dash."""
    return f"{_numbers(widths)} ({parameters} parameters)" if widths else "-"


def _quantities(result: Analysis) -> dict[str, str]:
    """What the table shows of an analysis, by heading."""
    return {
        "last layer": result.last,
        "activation degree": str(result.activation),
        "leading degree": str(result.degree),
        "dimension": f"{result.dimension} of {result.ambient}",
        "filling": "yes" if result.filling else "no",
        "upper bound": f"{result.bound}, {'met: proven' if result.proven else 'not met'}",
        "ranks over two fields": ", ".join(str(rank) for _, rank in result.ranks),
        "ceiling of any width": str(result.ceiling),
        "parameters": str(result.parameters),
        "stated filling widths": _numbers(result.proposition_widths),
        "corrected filling widths": _numbers(result.corrected_widths),
        "least equal filling width": str(result.minimal_width or "-"),
        "plain depth, Theorem 1": f"{result.depth_bound:.2f}" if result.depth_bound else "-",
        "plain depth with room for it": str(result.plain_depth or "-"),
        "width ratios, Theorem 2": _numbers(result.width_ratio),
        "narrowest as expressive": _sized(result.least_widths, result.least_parameters),
        "other kind, as expressive": _sized(result.equal_widths, result.equal_parameters),
        "notes": "; ".join(result.notes) or "-",
    }


def _print_analyses(console: Console, results: list[Analysis]) -> None:
    """One column an analysis."""
    table = Table(
        "", *(f"{result.kind} {_numbers(result.widths)}" for result in results), box=box.SIMPLE_HEAD
    )
    columns = [_quantities(result) for result in results]
    for heading in columns[0]:
        table.add_row(heading, *(column[heading] for column in columns))
    console.print(table)


def _column(heading: str) -> Column:
    """A column that folds long cells and never cuts them."""
    return Column(heading, overflow="fold")


def _print_check(console: Console, result: Check) -> None:
    """A claim, its table, the verdict and what is true instead."""
    table = Table(
        *map(_column, result.marked_columns()), title=f"{result.name}: {result.claim}", box=box.SIMPLE_HEAD
    )
    for row in result.marked_rows():
        table.add_row(*row)
    console.print(table)
    console.print(
        f"{result.name}: {result.verdict}." + (f" Corrected: {result.corrected}." if result.corrected else "")
    )


def check_all(console: Console, as_json: bool) -> None:
    """Every table, each printed as soon as it is computed; or all as one JSON object."""
    if not as_json:
        for name in CHECKS:
            _print_check(console, compute_check(name))
        return
    results = {name: compute_check(name) for name in CHECKS}
    extra = {
        name: {"verdict": r.verdict, "counterexamples": r.counterexamples} for name, r in results.items()
    }
    typer.echo(dumps({name: asdict(result) | extra[name] for name, result in results.items()}))


def _compare(networks: list[tuple[str, str, str]], degree: int, last: str) -> list[Analysis]:
    """Analyse networks given as on the command line.

    Args:
        networks: name of the argument, kind and widths of each.
        degree: of the activation.
        last: the output layer of quadratic ones.
    """
    # All is read before anything is computed, so that a mistake shows at once.
    _allowed(last, "last", get_args(Last))
    for _, kind, _ in networks:
        _allowed(kind, "kind", get_args(Kind))
    read = [
        Architecture(parse_widths(text, name), degree, cast("Kind", kind), cast("Last", last))
        for name, kind, text in networks
    ]
    return [analyse(net.widths, net.activation, net.kind, net.last) for net in read]


def show_analyses(
    widths: str, degree: int, kind: str, last: str, against: str | None, against_kind: str, *, as_json: bool
) -> None:
    """Print what the architecture, its counterpart of the other kind, and one to compare with can express."""
    other = "plain" if kind == "qres" else "qres"
    networks = [("widths", kind, widths), ("widths", other, widths)]
    if against is not None:
        networks.append(("against", against_kind, against))
    results = _compare(networks, degree, last)
    if as_json:
        names = ("", other, "against")
        extra = {name: asdict(result) for name, result in zip(names, results, strict=False) if name}
        typer.echo(dumps(asdict(results[0]) | extra))
    else:
        _print_analyses(Console(), results)
