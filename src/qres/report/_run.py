"""The final files of a run: its solution and report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qres.plots import Rows, data_rows
from qres.runs import RunFolder
from qres.solution import Solution

from ._page import write_report
from ._profiles import residual_profiles


def write_run(solution: Solution, folder: RunFolder, warnings: Sequence[str]) -> None:
    """Solution and report, into the run folder."""
    solution.save(folder.solution_file)
    truth = solution.reference
    write_report(
        folder.report_file,
        problem=solution.problem,
        result=solution.result,
        prediction=solution.to_xarray() if truth is None else solution.on_grid_of(truth),
        reference=truth,
        history=solution.history,
        specification=folder.specification_file.read_text(),
        warnings=warnings,
        extra_figures=_data_figures(solution),
        measured=[data.columns for data in solution.problem.data],
        profiles=residual_profiles(solution),
    )


def _data_figures(solution: Solution) -> dict[str, Rows]:
    """Measurements against the fit, for each file."""
    figures: dict[str, Rows] = {}
    for data in solution.problem.data:
        points = {name: data.columns[name] for name in solution.problem.coordinates}
        names = data.measured(solution.names)
        fitted = {name: solution(name, **points) for name in names}
        caption = f"Measurements ({Path(data.source).name}) against the fit"
        if caption in figures:  # another file of that name, or other fields of one with gaps
            caption = f"Measurements ({Path(data.source).name}, {len(figures) + 1}) against the fit"
        figures[caption] = data_rows({name: data.columns[name] for name in names}, fitted)
    return figures
