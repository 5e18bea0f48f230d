"""Figure 7 of the paper: where the pressure of the wake is wrong, as training goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres import reference
from qres.plots import Colours, Panel, add_grid, add_legend, compose, draw_map, style_axes, value_colours
from qres.runs import RunFolder
from qres.solution import load
from qres.sweep import Outcome

from .._curves import THIN, colour
from .._experiment import Experiment, Variant
from .._record import Records, rounded
from .._table import Line, Table

EPOCHS = (1000, 5000, 10_000, 50_000)
_SNAPSHOT = 100  # of the wake's 200, as in the authors' scripts
_EVERY = 2  # points of the wake's grid that a map is drawn from
_TRAINING = {"optimizer": {"stages": "adam:50000"}, "training": {"snapshots": list(EPOCHS)}}


def _pressure() -> tuple[dict[str, Any], Float[np.ndarray, "x y"]]:
    """Where and when, and the exact pressure without its mean."""
    wake = reference.solve("wake").isel(t=_SNAPSHOT)
    exact = wake["p"].transpose("x", "y").values
    return {name: wake[name].values for name in ("t", "x", "y")}, exact - exact.mean()


def _error_maps(outcome: Outcome) -> dict[str, Any]:
    """The mean square error of the pressure at each snapshot; of the first seed also the maps."""
    axes, exact = _pressure()
    maps = []
    for file in RunFolder.open(outcome.folder).snapshots().values():
        found = load(file).to_xarray({name: np.atleast_1d(axes[name]) for name in ("t", "x", "y")}, "p")
        pressure = found["p"].values[0]
        maps.append((pressure - pressure.mean() - exact) ** 2)
    kept = {"maps": rounded(np.stack(maps)[:, ::_EVERY, ::_EVERY], 3)} if outcome.job.seed == 0 else {}
    epochs = list(RunFolder.open(outcome.folder).snapshots())
    return {"epochs": epochs, "mean_square": rounded([m.mean() for m in maps]), **kept}


_PINN = Variant(
    "error-map-pinn", "PINN", "navier-stokes-inverse", "paper-small",
    {"network": {"kind": "pinn", "width": 20, "bias_inside": False}, **_TRAINING},
    milliseconds=25, measure=_error_maps,
)  # fmt: skip
_QRES = Variant(
    "error-map-qres", "QRes", "navier-stokes-inverse", "paper-small", _TRAINING,
    milliseconds=25, measure=_error_maps,
)  # fmt: skip
_VARIANTS = (_PINN, _QRES)


def table(records: Records) -> Table:
    """The mean square error of the pressure at each of the epochs."""
    lines = []
    for variant in _VARIANTS:
        runs = records[variant.name]
        epochs = runs[0].measured["epochs"] if runs else EPOCHS
        for number, epoch in enumerate(epochs):
            values = tuple(run.measured["mean_square"][number] for run in runs)
            lines.append(Line((variant.label, f"{epoch:,}", "mean square error p"), values))
    return Table(("model", "epoch", "quantity"), lines)


def figure(records: Records) -> Figure | None:
    """Exact pressure and error curves, then a row a network: squared errors, in the same colours at each epoch."""
    maps = {
        variant: runs[0].measured
        for variant in _VARIANTS
        if (runs := records[variant.name]) and "maps" in runs[0].measured
    }
    if not maps:
        return None
    axes, exact = _pressure()
    grid = (axes["x"][::_EVERY], axes["y"][::_EVERY])
    shown = exact[::_EVERY, ::_EVERY]
    beginnings = iter((_map(grid, shown, shown, "exact $p$", value_colours(shown)), _curves(records)))
    rows = []
    for variant, measured in maps.items():
        row = [next(beginnings)]
        for number, epoch in enumerate(measured["epochs"]):
            errors = np.asarray(measured["maps"][number])
            high = max(float(np.quantile(other["maps"][number], 0.995)) for other in maps.values())
            title = f"{variant.label}, {epoch:,}: $e_p^2$ = {measured['mean_square'][number]:.1e}"
            row.append(_map(grid, errors, shown, title, Colours("magma", 0.0, high)))
        rows.append(row)
    return compose(rows)


def _curves(records: Records) -> Panel:
    """The mean square error against the epochs, of all seeds."""

    def draw(axes: Axes) -> None:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for variant in _VARIANTS:
            for number, run in enumerate(records[variant.name]):
                width, alpha = THIN if number else (1.6, 1.0)
                axes.plot(
                    run.measured["epochs"],
                    run.measured["mean_square"],
                    color=colour(variant.label),
                    linewidth=width,
                    alpha=alpha,
                    marker="o",
                    markersize=2,
                    label=None if number else variant.label,
                )
        axes.set(xlabel="epoch", ylabel="$e_p^2$")
        style_axes(axes)
        add_grid(axes)
        add_legend(axes)

    return Panel(draw, "mean square error of the pressure against the epochs", 2.6, 1.7)


def _map(
    grid: tuple[np.ndarray, np.ndarray],
    values: np.ndarray,
    contours: np.ndarray,
    title: str,
    colours: Colours,
) -> Panel:
    def draw(axes: Axes) -> None:
        x, y = grid
        draw_map(axes, x, y, values.T, colours)
        shade = "black" if values is contours else "white"
        axes.contour(x, y, contours.T, levels=9, colors=shade, linewidths=0.5, alpha=0.5, linestyles="solid")
        axes.set(xlabel="$x$", ylabel="$y$", title=title)
        style_axes(axes, frame=True)
        axes.set_aspect("equal")

    return Panel(draw, title, 2.6, 1.7)


EXPERIMENT = Experiment(
    "figure-error-map",
    "Figure 7: where the pressure is wrong",
    "Squared error of the pressure at snapshot 100, the mean taken off, of networks with 4 layers of 20 "
    "(PINN) and of 14 (QRes), 50k epochs of Adam. The paper's text names 10k and 50k epochs; its figure "
    "is not at hand, so the other epochs are a choice. Lines are the exact pressure; colours are the same "
    "for both networks at an epoch.",
    _VARIANTS,
    table,
    figure,
)
