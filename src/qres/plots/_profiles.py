"""The size of each residual along each coordinate: where in the domain an equation is met worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from ._labels import label, plain
from ._panel import Panel, Row
from ._style import FULL, MIDDLE, WIDE, add_grid, add_legend, series_colours, style_axes


@dataclass(frozen=True)
class Profile:
    """The middles of the parts of a coordinate's interval, and the root mean square of each residual in them."""

    coordinate: str
    middles: Float[np.ndarray, " parts"]
    sizes: Mapping[str, Float[np.ndarray, " parts"]]


def profile_rows(profiles: list[Profile]) -> list[Row]:
    """A panel for each coordinate, two or three a row.

    Args:
        profiles: one for each coordinate.
    """
    width = MIDDLE if len(profiles) == 3 else WIDE
    panels = [
        Panel(partial(_draw, profile=one), f"residuals over {one.coordinate}", width, 2.5) for one in profiles
    ]
    a_row = int(FULL / width)
    return [panels[first : first + a_row] for first in range(0, len(panels), a_row)]


def _draw(axes: Axes, profile: Profile) -> None:
    axes.set_yscale("log")
    for (name, sizes), colour in zip(profile.sizes.items(), series_colours(), strict=False):
        shown = np.where(np.isfinite(sizes) & (sizes > 0), sizes, np.nan)
        if np.isfinite(shown).any():
            axes.plot(profile.middles, shown, color=colour, linewidth=1.4, label=plain(name))
    if not axes.lines:
        axes.set_ylim(1e-17, 1e-16)
    axes.set(xlabel=label(profile.coordinate), ylabel="residual (RMS, relative)")
    style_axes(axes)
    add_grid(axes)
    add_legend(axes)
