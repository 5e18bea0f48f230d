"""The page `docs/accuracy.md`: what is between its markers is made from `accuracy.json` and others in `results`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import balance_table
import compare_picture
import compare_table
import marked
import numpy as np
import points_table
from accuracy_cases import CASES, Case, figures, runs_of, says_it_failed
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter
from recording import Run, record

from qres import plots
from qres.results import loads
from qres.runtime.files import replace_file

_HEAD = "| problem | figures | within | took | parameters | seeds | median | worst | must | aim | paper | best public |"
_NATIVE = "2026-11-17T03:08"  # from when on networks run as native code


def update(results: Path, docs: Path) -> None:
    """Draw the curves and put the tables into the page."""
    accuracy, compare, balance, points = (
        _runs(results / f"{name}.json") for name in ("accuracy", "compare", "balance", "points")
    )
    pictures = docs / "images"
    pictures.mkdir(parents=True, exist_ok=True)
    for case in _longest(accuracy):
        plots.save(plots.compose([[curve_panel(case, accuracy)]]), pictures / picture_name(case))
    if panels := compare_picture.panels(compare):
        plots.save(plots.compose([panels]), pictures / compare_picture.NAME)
    page = docs / "accuracy.md"
    replace_file(page, filled(page.read_text(), accuracy, compare, balance, points).encode())


def record_each(jobs: dict[str, list[str]], out: Path, command: str, describe: Callable[[Run], str]) -> None:
    """Record runs, one at a time on each core, and put them into the page where they are the project's own."""
    record(jobs, out, command, describe, cores=sorted(os.sched_getaffinity(0)))
    if out.parent == Path("results"):
        update(out.parent, Path("docs"))


def _runs(path: Path) -> dict[str, Run]:
    return loads(path.read_text())["runs"] if path.exists() else {}


def filled(
    text: str,
    accuracy: dict[str, Run],
    compare: dict[str, Run],
    balance: dict[str, Run],
    points: dict[str, Run],
) -> str:
    """The page with the tables of these runs."""
    shown = [f"![{case.title}](images/{picture_name(case)})" for case in _longest(accuracy)]
    parts = {
        "table": table(accuracy),
        "curves": "\n".join(shown) or "None are recorded yet.",
        "sources": sources(),
        "picture": f"![QRes and plain networks](images/{compare_picture.NAME})" if compare else "None yet.",
        "summary": compare_table.summary(compare),
        "comparison": compare_table.table(compare),
        "balance": balance_table.table(balance),
        "points": points_table.table(points, compare),
    }
    return marked.filled(text, parts)


def table(runs: dict[str, Run]) -> str:
    """A row a case: median and worst over the seeds, what is asked for, and what others have."""
    rows = [_HEAD, "|" + "---|" * (_HEAD.count("|") - 1)]
    ordered = sorted(CASES, key=lambda case: (_first(case.title), case.minutes))
    rows += [_row(case, runs_of(case, runs)) for case in ordered]
    return "\n".join(rows)


def _first(title: str) -> int:
    titles = sorted({case.title for case in CASES})
    return titles.index(title)


def _row(case: Case, runs: list[Run]) -> str:
    names = list(case.wanted)
    values = [[figures(run)[name] for run in runs] for name in names]
    middle = _joined([float(np.median(one)) for one in values]) if runs else "not run yet"
    worst = _joined([max(one) for one in values]) if runs else ""
    if any(max(one) > 10 * np.median(one) for one in values if one):
        said = all(says_it_failed(run) for run in runs if _stands_off(run, runs, names))
        worst += " (over 10 × the median; the run says so)" if said else " (**over 10 × the median**)"
    met = runs and all(
        np.median(one) <= asked for one, asked in zip(values, case.wanted.values(), strict=True)
    )
    cells = [
        f"`{case.title}`", " / ".join(f"{n} (%)" if n.startswith("lambda") else n for n in names),
        f"{case.minutes:g} min", _took(runs), str(runs[0]["parameters"]) if runs else "", str(len(runs)),
        f"**{middle}**" if met else middle, worst, _joined(case.wanted.values()), _joined(case.aim),
        _joined(case.paper), _joined(case.public),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _took(runs: list[Run]) -> str:
    """The median time, with marks where some of the runs were without native code, or before points adapted."""
    if not runs:
        return ""
    older = "*" if any(run["date"] < _NATIVE for run in runs) else ""
    fixed = "†" if any("adaptive" not in run["specification"]["sampling"] for run in runs) else ""
    return f"{np.median([run['curve'][-1]['seconds'] for run in runs]):.0f} s{older}{fixed}"


def _stands_off(run: Run, runs: list[Run], names: list[str]) -> bool:
    return any(figures(run)[n] > 10 * np.median([figures(one)[n] for one in runs]) for n in names)


def _joined(values: Any) -> str:
    return " / ".join(f"{value:.2g}" if 1e-2 <= value < 100 else f"{value:.1e}" for value in values)


def sources() -> str:
    """Whose the best public figures are, by problem."""
    found = {case.problem: case.source for case in CASES if case.source}
    return "\n".join(f"- `{problem}`: {source}." for problem, source in sorted(found.items()))


def _longest(runs: dict[str, Run]) -> list[Case]:
    """For each problem, the case of the longest time that has runs."""
    found = {case.title: case for case in sorted(CASES, key=lambda case: case.minutes) if runs_of(case, runs)}
    return sorted(found.values(), key=lambda case: case.title)


def picture_name(case: Case) -> str:
    """The file of a case's curves."""
    return f"accuracy-{case.title.replace(' --', '-').replace(' ', '-')}.png"


def curves(run: Run, names: list[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Seconds, and each figure then; of an unknown, the percentage that it is off."""
    records = [r for r in run["curve"] if r.get("errors") or r.get("unknowns")]

    def value(record: Run, name: str) -> float:
        if name in run["unknowns"]:
            return 100 * abs(record["unknowns"][name] / run["unknowns"][name]["true"] - 1)
        return record["errors"][name]

    seconds = np.array([record["seconds"] for record in records])
    return seconds, {name: np.array([value(record, name) for record in records]) for name in names}


def curve_panel(case: Case, runs: dict[str, Run]) -> plots.Panel:
    """Each figure against time: the median of the seeds, and a band from the best to the worst."""
    names = list(case.wanted)
    found = [curves(run, names) for run in runs_of(case, runs)]

    def paint(axes: Axes) -> None:
        first, last = max(s[0] for s, _ in found), min(s[-1] for s, _ in found)
        times = np.geomspace(max(first, 1e-2), last, 200)
        for number, name in enumerate(names):
            lines = np.array([np.exp(np.interp(times, s, np.log(v[name]))) for s, v in found])
            colour = plots.SERIES[number % len(plots.SERIES)]
            label = f"{name}, %" if name in runs_of(case, runs)[0]["unknowns"] else name
            axes.fill_between(
                times, lines.min(axis=0), lines.max(axis=0), color=colour, alpha=0.2, linewidth=0
            )
            axes.plot(times, np.median(lines, axis=0), color=colour, linewidth=1.4, label=label)
            for values, style in ((case.paper, "--"), (case.public, ":")):
                if number < len(values):
                    axes.axhline(values[number], color=colour, linewidth=0.8, linestyle=style)
        axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="relative error")
        axes.set_title(case.title, loc="left", y=1.08)
        axes.xaxis.set_minor_formatter(NullFormatter())
        plots.add_grid(axes)
        plots.style_axes(axes)
        plots.add_legend(axes)

    return plots.Panel(paint, f"error against time, {case.title}", plots.WIDE, 3.0)
