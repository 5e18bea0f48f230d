"""The result of a run as text for the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from qres.results import Result, UnknownEstimate


def print_result(result: Result) -> None:
    """What was found, how well, how long it took, and where it is."""
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    widths = ", ".join(map(str, result.widths))
    table.add_row("problem", escape(result.problem))
    table.add_row("network", f"{result.network} ({widths}), {result.parameters} parameters")
    table.add_row("optimizer", f"{result.optimizer}, {result.iterations} iterations, seed {result.seed}")
    table.add_row("time", f"{result.seconds:.1f} s ({result.cpu_seconds:.1f} s of all cores)")
    table.add_row("stopped", escape(result.stopped.message))
    table.add_row("loss", f"{result.loss:.3e}")
    for name, error in result.errors.items():
        table.add_row(f"error of {name}", f"[bold]{error:.2e}[/bold]  (relative L2)")
    if not result.errors:
        table.add_row("error", "not known: the problem has neither an exact solution nor a reference")
    if result.estimate is not None:
        table.add_row("estimate", escape(result.estimate.verdict))
        for warning in result.estimate.warnings:
            table.add_row("warning", f"[yellow]{escape(warning)}[/yellow]")
    for name, found in result.unknowns.items():
        table.add_row(name, _unknown(found))
    for name, spread in result.bootstrap.items():
        errors = ", ".join(f"{1.96 * e:.2g}" for e in _each(spread["stderr"]))
        table.add_row(f"{name}, bootstrap", f"± {errors}  (95 %, from {len(spread['values'])} fits)")
    for name, level in result.noise.items():
        table.add_row(f"noise of {name}", f"{level:.3g}  (standard deviation, estimated)")
    if result.run:
        table.add_row("run folder", escape(result.run))
        table.add_row("report", escape(str(Path(result.run) / "report.html")))
    Console(highlight=False).print(table)


def _unknown(found: UnknownEstimate) -> str:
    values = _each(found.value)
    errors = [None] * len(values) if found.stderr is None else _each(found.stderr)
    texts = [
        f"{v:.6g}" + (f" ± {1.96 * e:.2g}" if e is not None else "")
        for v, e in zip(values, errors, strict=True)
    ]
    text = "[bold]" + ", ".join(texts) + "[/bold]" + ("  (95 %)" if errors[0] is not None else "")
    if found.true is not None:
        text += "  true " + ", ".join(f"{v:.6g}" for v in _each(found.true))
    if found.percent is not None:
        text += "  off by " + ", ".join(f"{v:.3g} %" for v in _each(found.percent))
    return text


def _each(value: Any) -> list[Any]:
    """One value or several, as a list."""
    return value if isinstance(value, list | tuple) else [value]  # pyright: ignore[reportReturnType]
