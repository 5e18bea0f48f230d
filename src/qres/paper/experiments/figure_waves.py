"""Figure 8 of the paper: which frequencies of a superposition of sines are learnt when."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres.plots import INK, NARROW, WIDE, Panel, compose, style_axes
from qres.sweep import Outcome
from qres.theory.spectrum import (
    amplitudes,
    bias_of_run,
    epochs_between,
    learnt_at,
    spectral_bias_panel,
    target_frequencies,
)

from .._curves import colour
from .._experiment import Experiment, Variant
from .._record import Record, Records, rounded
from .._table import Line, Table

EPOCHS = (100, 1000, 10_000, 20_000)
_TRAINING = {"snapshots": sorted({*epochs_between(10, EPOCHS[-1]), *EPOCHS})}


def _spectra(outcome: Outcome) -> dict[str, Any]:
    """Errors and amplitudes at all snapshots; of the first seed also the curves at the epochs that are shown."""
    truth = outcome.solution().reference
    assert truth is not None
    target = truth["y"].values[:-1]  # the last point is the first again
    bias = bias_of_run(outcome.folder, target)
    epochs = bias["epoch"].values
    share = epochs[-1] / EPOCHS[-1]
    shown = [int(epochs[np.argmin(np.abs(epochs - share * epoch))]) for epoch in EPOCHS]
    error = np.linalg.norm(bias["fit"] - target, axis=1) / np.linalg.norm(target)
    kept = bias.sel(frequency=target_frequencies(bias))
    curves = {"target": rounded(target), "curves": rounded(bias["fit"].sel(epoch=shown).values)}
    return {
        "epochs": epochs.tolist(), "shown": shown, "error": rounded(error),
        "frequencies": kept["frequency"].values.tolist(), "target_amplitude": rounded(kept["target_amplitude"]),
        "amplitude": rounded(kept["amplitude"].values), "missing": rounded(kept["missing"].values),
        **(curves if outcome.job.seed == 0 else {}),
    }  # fmt: skip


_DNN = Variant(
    "waves-dnn", "DNN", "waves", "paper-pinn", {"training": _TRAINING}, milliseconds=10, measure=_spectra
)
_QRES = Variant(
    "waves-qres", "QRes", "waves", "paper", {"training": _TRAINING}, milliseconds=10, measure=_spectra
)
_VARIANTS = (_DNN, _QRES)


def _bias(record: Record) -> xr.Dataset:
    """What `bias_of_run` said, of the target's frequencies."""
    measured = record.measured
    return xr.Dataset(
        {
            "amplitude": (("epoch", "frequency"), np.asarray(measured["amplitude"])),
            "missing": (("epoch", "frequency"), np.asarray(measured["missing"])),
            "target_amplitude": ("frequency", np.asarray(measured["target_amplitude"])),
        },
        coords={"epoch": measured["epochs"], "frequency": measured["frequencies"]},
    )


def table(records: Records) -> Table:
    """Errors at the epochs that are shown, and the epoch from which half of each frequency is there."""
    lines = []
    for variant in _VARIANTS:
        runs = records[variant.name]
        shown = runs[0].measured["shown"] if runs else EPOCHS
        for epoch in shown:
            at = [run.measured["error"][run.measured["epochs"].index(epoch)] for run in runs]
            lines.append(Line((variant.label, f"error y at epoch {epoch:,}"), tuple(at)))
        learnt = [learnt_at(_bias(run)) for run in runs]
        for k in runs[0].measured["frequencies"] if runs else ():
            values = tuple(math.inf if (epoch := one[k]) is None else float(epoch) for one in learnt)
            lines.append(Line((variant.label, f"half of frequency {k} learnt, epoch"), values, unit="count"))
    return Table(("model", "quantity"), lines)


def figure(records: Records) -> Figure | None:
    """Curves, spectra, and which frequencies are learnt when."""
    first = {
        variant: runs[0]
        for variant in _VARIANTS
        if (runs := records[variant.name]) and "curves" in runs[0].measured
    }
    if not first:
        return None
    rows = [
        _row(variant, record, spectrum=spectrum)
        for spectrum in (False, True)
        for variant, record in first.items()
    ]
    maps = [
        spectral_bias_panel(
            _bias(record), f"{variant.label}: amplitude of the fit / of the target", width=WIDE
        )
        for variant, record in first.items()
    ]
    return compose([*rows, maps])


def _row(variant: Variant, record: Record, *, spectrum: bool) -> list[Panel]:
    """One panel an epoch."""
    measured = record.measured
    target = np.asarray(measured["target"])
    return [
        _panel(variant.label, epoch, np.asarray(curve), target, spectrum=spectrum, first=not number)
        for number, (epoch, curve) in enumerate(zip(measured["shown"], measured["curves"], strict=True))
    ]


def _panel(
    name: str, epoch: int, curve: np.ndarray, target: np.ndarray, *, spectrum: bool, first: bool
) -> Panel:
    def draw(axes: Axes) -> None:
        shade = colour(name)
        if spectrum:
            k = np.arange(len(target) // 2 + 1)
            shown = k <= 150
            axes.plot(k[shown], amplitudes(target)[shown], color=INK, alpha=0.35, linewidth=2.2)
            axes.plot(k[shown], amplitudes(curve)[shown], color=shade, linewidth=0.9)
            axes.set(xlabel="frequency", ylabel="amplitude" if first else None)
        else:
            theta = 2 * np.pi * np.arange(len(target)) / len(target)
            axes.plot(theta, target, color=INK, alpha=0.25, linewidth=0.8)
            axes.plot(theta, curve, color=shade, linewidth=0.8)
            axes.set(xlabel=r"$\theta$", ylabel="$y$" if first else None, xlim=(0, 2 * np.pi))
        axes.set_title(f"{name}, epoch {epoch:,}")
        style_axes(axes)

    return Panel(draw, f"{'spectrum' if spectrum else 'curve'} of {name} at epoch {epoch}", NARROW, 1.6)


EXPERIMENT = Experiment(
    "figure-waves",
    "Figure 8: which frequencies are learnt when",
    "A sum of sines of frequencies 4, 8, 16, 32, 64 and 128, fitted at 1001 points of the circle by Adam "
    "for 20k epochs: a plain network of 3 layers of 128 and a quadratic one of 3 of 90. Grey is the "
    "target. A frequency counts as learnt from the epoch on from which at most half of its amplitude is "
    "missing.",
    _VARIANTS,
    table,
    figure,
)
