"""A run's summary for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table


def print_summary(summary: Mapping[str, Any]) -> None:
    """What was found, how well, how long it took, and where it is."""
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    widths = ", ".join(map(str, summary["widths"]))
    table.add_row("problem", escape(str(summary["problem"])))
    table.add_row("network", f"{summary['network']} ({widths}), {summary['parameters']} parameters")
    table.add_row(
        "optimizer", f"{summary['optimizer']}, {summary['iterations']} iterations, seed {summary['seed']}"
    )
    table.add_row("time", f"{summary['seconds']:.1f} s ({summary['cpu_seconds']:.1f} s of all cores)")
    table.add_row("stopped", str(summary["stopped"]))
    table.add_row("loss", f"{summary['loss']:.3e}")
    for name, error in summary["errors"].items():
        table.add_row(f"error of {name}", f"[bold]{error:.2e}[/bold]  (relative L2)")
    if not summary["errors"]:
        table.add_row("error", "not known: the problem has neither an exact solution nor a reference")
    if estimate := summary.get("estimate"):
        table.add_row("estimate", escape(estimate["verdict"]))
        for warning in estimate["warnings"]:
            table.add_row("warning", f"[yellow]{escape(warning)}[/yellow]")
    for name, found in summary["unknowns"].items():
        table.add_row(name, _unknown(found))
    for name, spread in summary.get("bootstrap", {}).items():
        errors = ", ".join(f"{1.96 * e:.2g}" for e in _each(spread["stderr"]))
        table.add_row(f"{name}, bootstrap", f"± {errors}  (95 %, from {len(spread['values'])} fits)")
    for name, level in summary.get("noise", {}).items():
        table.add_row(f"noise of {name}", f"{level:.3g}  (standard deviation, estimated)")
    if summary.get("run"):
        table.add_row("run folder", escape(summary["run"]))
        table.add_row("report", escape(str(Path(summary["run"]) / "report.html")))
    Console(highlight=False).print(table)


def _unknown(found: Mapping[str, Any]) -> str:
    values = _each(found["value"])
    errors = [None] * len(values) if found.get("stderr") is None else _each(found["stderr"])
    texts = [
        f"{v:.6g}" + (f" ± {1.96 * e:.2g}" if e is not None else "")
        for v, e in zip(values, errors, strict=True)
    ]
    text = "[bold]" + ", ".join(texts) + "[/bold]" + ("  (95 %)" if errors[0] is not None else "")
    if found.get("true") is not None:
        text += "  true " + ", ".join(f"{v:.6g}" for v in _each(found["true"]))
    if found.get("percent") is not None:
        text += "  off by " + ", ".join(f"{v:.3g} %" for v in _each(found["percent"]))
    return text


def _each(value: Any) -> list[Any]:
    """One value or several, as a list."""
    return value if isinstance(value, list | tuple) else [value]  # pyright: ignore[reportReturnType]
