"""The comparison of `make compare` as a picture: a panel an optimizer, a line a problem, a mark each network."""

from __future__ import annotations

from functools import partial

from compare_table import KINDS, OPTIMIZERS, PROBLEMS, Pair, figure, medians, pairs, unit
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator
from recording import Run

from qres import plots

NAME = "compare.png"
_LOOKS = {"qres": ("QRes", plots.SERIES[0], "o"), "mlp": ("plain", plots.SERIES[1], "D")}
_NAMES = {
    "adam": "Adam", "lbfgsb": "L-BFGS-B", "bfgs": "BFGS", "ssbroyden": "SSBroyden", "lm": "Levenberg–Marquardt",
}  # fmt: skip


def panels(runs: dict[str, Run]) -> list[plots.Panel]:
    """One for each optimizer that has runs, the first with the problems' names."""
    compared = pairs(runs)
    problems = [problem for problem in PROBLEMS if any(name == problem for name, _ in compared)]
    optimizers = [optimizer for optimizer in OPTIMIZERS if any(name == optimizer for _, name in compared)]
    return [
        plots.Panel(
            partial(_paint, compared=compared, problems=problems, optimizer=optimizer, first=not number),
            f"errors of QRes and of the plain network under {_NAMES[optimizer]}",
            plots.FULL / len(optimizers),
            0.9 + 0.21 * len(problems),
        )
        for number, optimizer in enumerate(optimizers)
    ]


def _paint(
    axes: Axes, compared: dict[tuple[str, str], Pair], problems: list[str], optimizer: str, first: bool
) -> None:
    for place, problem in enumerate(problems):
        if (pair := compared.get((problem, optimizer))) is not None:
            _draw_pair(axes, place, pair)
    axes.set(xscale="log", xlim=(1e-8, 20), ylim=(len(problems) - 0.4, -0.6))
    axes.set_title(_NAMES[optimizer], y=1.07)
    plots.add_grid(axes)
    plots.style_axes(axes)
    axes.set_yticks(range(len(problems)), problems if first else [""] * len(problems))
    axes.xaxis.set_major_locator(FixedLocator([1e-8, 1e-6, 1e-4, 1e-2, 1]))
    axes.xaxis.set_minor_locator(NullLocator())
    if first:
        axes.set_xlabel("relative error")
        plots.add_legend(axes)


def _draw_pair(axes: Axes, place: int, pair: Pair) -> None:
    scale = 100 if unit(pair) else 1  # percentages stand as relative errors
    middle, _ = medians(pair)
    for kind, runs, value, shift in zip(KINDS, pair, middle, (-0.17, 0.17), strict=True):
        name, colour, mark = _LOOKS[kind]
        ends = [min(map(figure, runs)) / scale, max(map(figure, runs)) / scale]
        axes.plot(ends, [place + shift] * 2, color=colour, linewidth=1.2, alpha=0.5)
        axes.plot(
            value / scale, place + shift, mark, color=colour, markersize=4, markeredgewidth=0,
            label=name if place == 0 else None,
        )  # fmt: skip
