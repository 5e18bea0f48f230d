"""Pictures of the benchmark, in the style of all figures of qres."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from qres.plots import MIDDLE, SERIES, WIDE, Panel, add_grid, add_legend, compose, save, style_axes

from .parts import error, growth
from .store import Store


def draw(store: Store, folder: Path) -> dict[str, tuple[str, str]]:
    """File name and description of each picture, by the part that it belongs to."""
    drawn = {}
    if curves := growth.curves(store):
        panels = [_growth_panel(axis, named) for axis, named in curves.items()]
        save(compose([panels[:3], panels[3:]]), folder / "bench-growth.svg")
        drawn["growth"] = (
            "bench-growth.svg",
            "Milliseconds of a loss + gradient by points, width, depth, order, coefficients",
        )
    if any(error.runs(store, name) for name in error.RECIPES):
        save(
            compose([[Panel(lambda axes: _errors(axes, store), "errors", 2 * WIDE, 3.4)]]),
            folder / "bench-error.svg",
        )
        drawn["error"] = ("bench-error.svg", "Error by seconds for qres and its peers on Burgers' equation")
    return drawn


def _growth_panel(axis: str, named: dict[str, list[tuple[int, float]]]) -> Panel:
    def panel(axes: Axes) -> None:
        for (name, line), colour in zip(named.items(), SERIES, strict=False):
            axes.plot(
                *zip(*line, strict=True), color=colour, marker="o", markersize=3, linewidth=1.3, label=name
            )
        axes.set(xscale="log", yscale="log", xlabel=axis, ylabel="milliseconds")
        values = [value for value, _ in named["qres"]]
        axes.set_xticks(values, [f"{value}" for value in values])
        axes.minorticks_off()
        style_axes(axes)
        add_grid(axes)
        if axis == "points":
            axes.legend(frameon=False, fontsize=6.5)

    return Panel(panel, axis, MIDDLE, 2.4)


def _errors(axes: Axes, store: Store) -> None:
    for name, colour in zip(error.RECIPES, SERIES, strict=False):
        for number, run in enumerate(error.runs(store, name)):
            times, errors = zip(*[(line[0], line[2]) for line in run["history"]], strict=True)
            label = name if number == 0 else None
            axes.plot(
                times, errors, color=colour, linewidth=1.2, alpha=1 if number == 0 else 0.45, label=label
            )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="seconds from the start of the process",
        ylabel="relative error of u",
    )
    style_axes(axes)
    add_grid(axes)
    add_legend(axes)
