"""Learnt frequencies as a map: epochs across, frequencies of the target up."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qres.plots import FULL, Colours, Panel, compose, draw_map, style_axes

from ._bias import target_frequencies


def spectral_bias_figure(bias: xr.Dataset) -> Figure:
    """The share of each frequency's amplitude that the network has, against the epochs.

    Args:
        bias: what `spectral_bias` found.
    """
    return compose([[spectral_bias_panel(bias, "amplitude of the fit / of the target")]])


def spectral_bias_panel(bias: xr.Dataset, title: str, *, width: float = FULL) -> Panel:
    """The panel of `spectral_bias_figure`."""
    frequencies = target_frequencies(bias)
    share = (bias["amplitude"] / bias["target_amplitude"]).sel(frequency=frequencies).values.T
    height = 1.0 + 0.26 * min(max(len(frequencies), 4), 12)

    def draw(axes: Axes) -> None:
        # Rows are equally high whatever their frequencies, and nearer epochs are drawn where they lie.
        epochs, rows = np.asarray(bias["epoch"], dtype=float), np.arange(len(frequencies), dtype=float)
        draw_map(axes, np.log10(epochs), rows, share, Colours("viridis", 0.0, 1.0))
        axes.set(xlabel="epoch", ylabel="frequency", title=title, ylim=(-0.5, len(frequencies) - 0.5))
        style_axes(axes, frame=True)
        shown = rows[:: -(-len(rows) // 12)]
        axes.set_yticks(shown, [str(frequencies[int(row)]) for row in shown])
        powers = np.arange(np.ceil(np.log10(epochs[0])), np.floor(np.log10(epochs[-1])) + 1)
        axes.set_xticks(powers, [f"{10**power:,.0f}" for power in powers])

    return Panel(draw, "share of each frequency's amplitude that is learnt, over the epochs", width, height)
