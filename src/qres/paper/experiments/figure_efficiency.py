"""Figure 4 of the paper: 28 architectures of each kind on Burgers' equation."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, median

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres.plots import MIDDLE, Panel, add_grid, add_legend, compose, style_axes

from .._curves import colour
from .._experiment import Experiment, Variant
from .._record import Records
from .._table import Line, Table
from .table_architectures import LBFGSB_VARIANTS, burgers

DEPTHS = (2, 4, 6, 8)
WIDTHS = {"PINN": (10, 15, 20, 25, 30, 35, 40), "QRes": (7, 10, 14, 17, 21, 24, 28)}
_PAPER = {"PINN": 4.77e-2, "QRes": 1.07e-2}  # means, of the authors' own sweep; and QRes' best
_PAPER_BEST = {"QRes": 2.9e-4}


def _grid(model: str) -> dict[tuple[int, int], Variant]:
    """Variants by width and depth; those of Table 4 are the same runs."""
    shared = {variant.name: variant for variant in LBFGSB_VARIANTS}
    grid = {}
    for width in WIDTHS[model]:
        for depth in DEPTHS:
            variant = burgers(model.lower(), width, depth, model)
            grid[width, depth] = shared.get(variant.name, variant)
    return grid


GRIDS = {model: _grid(model) for model in WIDTHS}


Errors = dict[tuple[int, int], dict[int, float]]


def _errors(records: Records, model: str) -> Errors:
    """Errors by architecture and seed, of what was run."""
    found = {
        place: {record.seed: record.result.errors["u"] for record in records[variant.name]}
        for place, variant in GRIDS[model].items()
    }
    return {place: seeds for place, seeds in found.items() if seeds}


def table(records: Records) -> Table:
    """Mean and best over the 28 architectures, and means of each depth: of each seed that all were run with."""
    lines = []
    for model in GRIDS:
        errors = _errors(records, model)
        lines.append(Line((model, "all 28", "mean error u"), _over(errors, DEPTHS, fmean), _PAPER[model]))
        lines.append(
            Line((model, "all 28", "best error u"), _over(errors, DEPTHS, min), _PAPER_BEST.get(model))
        )
        lines += [
            Line((model, f"depth {d}, 7 widths", "mean error u"), _over(errors, (d,), fmean)) for d in DEPTHS
        ]
    return Table(("model", "architectures", "quantity"), lines)


def _over(
    errors: Errors, depths: tuple[int, ...], reduce: Callable[[list[float]], float]
) -> tuple[float, ...]:
    """One number a seed, from the architectures of some depths; of seeds with which all of them were run."""
    chosen = [seeds for (_, depth), seeds in errors.items() if depth in depths]
    if len(chosen) < len(depths) * len(WIDTHS["PINN"]):
        return ()
    common = sorted(set.intersection(*map(set, chosen)))
    return tuple(reduce([seeds[seed] for seeds in chosen]) for seed in common)


def figure(records: Records) -> Figure | None:
    """Errors against parameters, width and depth: medians over seeds, with the median and range over the others."""
    errors = {model: _errors(records, model) for model in GRIDS}
    if not any(errors.values()):
        return None
    points = {
        model: {place: median(seeds.values()) for place, seeds in found.items()}
        for model, found in errors.items()
    }

    def sizes(axes: Axes) -> None:
        axes.set_xscale("log")
        for model, found in points.items():
            counts = [records[GRIDS[model][place].name][0].result.parameters for place in found]
            axes.scatter(counts, list(found.values()), s=14, color=colour(model), alpha=0.8, label=model)
        _finish(axes, "parameters")

    def along(axis: int, name: str) -> Panel:
        return Panel(lambda axes: _draw_band(axes, points, axis, name), f"error against {name}", MIDDLE, 2.6)

    return compose(
        [[Panel(sizes, "error against parameters", MIDDLE, 2.6), along(0, "width"), along(1, "depth")]]
    )


def _draw_band(axes: Axes, points: dict[str, dict[tuple[int, int], float]], axis: int, name: str) -> None:
    for model, found in points.items():
        values: dict[int, list[float]] = {}
        for place, error in found.items():
            values.setdefault(place[axis], []).append(error)
        at = np.array(sorted(values))
        middle, low, high = (np.array([f(values[p]) for p in at]) for f in (median, min, max))
        shade = colour(model)
        marker = "o" if len(at) == 1 else None
        axes.plot(at, middle, color=shade, linewidth=1.6, marker=marker, markersize=3, label=model)
        axes.fill_between(at, low, high, color=shade, alpha=0.15, linewidth=0)
    _finish(axes, name)


def _finish(axes: Axes, name: str) -> None:
    axes.set_yscale("log")
    axes.set(xlabel=name, ylabel="relative $L^2$ error of $u$")
    style_axes(axes)
    add_grid(axes)
    add_legend(axes)


EXPERIMENT = Experiment(
    "figure-efficiency",
    "Figure 4: accuracy against size, on Burgers' equation",
    "Depths 2, 4, 6, 8 and seven widths: 10 to 40 for PINN (the paper prints 15 twice; 25 is meant), 7 to "
    "28 for QRes; L-BFGS-B. The paper's numbers are those of the authors' own sweep, a single run each. "
    "In the figure: medians over seeds; lines and shades are the median and the range over depths, or "
    "over widths.",
    tuple(variant for grid in GRIDS.values() for variant in grid.values()),
    table,
    figure,
)
