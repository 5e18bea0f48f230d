"""The sections of the page as HTML; empty where they do not apply."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from qres import plots
from qres.problems import Problem
from qres.results import Result, estimated, residuals_table, unknown_parts, unknowns_table
from qres.results.display import name, number

from ._correlation import correlation_table
from ._figures import Gallery
from ._result import facts, tiles

_SOLUTION_FILE = "solution.qres"


def tiles_section(result: Result) -> str:
    """The most important numbers."""
    return f'<dl class="tiles">{tiles(result)}</dl>'


def problem_section(problem: Problem, result: Result) -> str:
    """The problem as mathematics, beside what solved it."""
    mathematics = (
        f'<div class="scroll" tabindex="0" role="group" aria-label="The problem">{problem.mathml()}</div>'
    )
    notes = "".join(f"<p>{escape(note)}</p>" for note in problem.notes)
    return _section(
        "Problem", f'<div class="columns">{mathematics}<dl class="facts">{facts(result)}</dl></div>{notes}'
    )


def unknowns_section(gallery: Gallery, result: Result, history: plots.History) -> str:
    """The unknowns with their intervals, and their path during training."""
    table = unknowns_table(result.unknowns)
    rows = plots.unknown_rows(
        history, unknown_parts(result.unknowns, "true"), unknown_parts(result.unknowns, "stderr")
    )
    caption = "Each unknown during training. The band is the 95 % interval of the final value."
    shown = table + correlation_table(result.correlation) + (gallery.rows(rows, caption) if rows else "")
    return _section("Unknowns", shown) if table else ""


def solution_section(
    gallery: Gallery,
    prediction: xr.Dataset | None,
    reference: xr.Dataset | None,
    measured: Sequence[Mapping[str, np.ndarray]] = (),
) -> str:
    """The fields, against their reference where it is known, with measurements where there are any."""
    if prediction is None:
        return ""
    rows = plots.field_rows(prediction, reference, measured=measured)
    caption = "The network’s solution. No reference on a grid is known to compare it with."
    if reference is not None:
        caption = (
            "The network’s solution, and how far it is from the reference. Curves: the network solid, "
            "the reference dashed. Errors are absolute, on a logarithmic scale."
        )
    if measured:
        caption += " Rings are measurements: on curves their values, on maps their places."
    return _section("Solution", gallery.rows(rows, caption))


def residuals_section(gallery: Gallery, profiles: Sequence[plots.Profile]) -> str:
    """How large the residuals are along each coordinate."""
    caption = (
        "Root mean square of each equation’s residual in parts of each coordinate’s interval, relative to the largest "
        "term of the equation, at points that were not trained on: where a curve is high, the equation is met worst."
    )
    return _section("Residuals", gallery.rows(plots.profile_rows([*profiles]), caption)) if profiles else ""


def estimate_section(result: Result) -> str:
    """How far off the solution is, as far as that can be summary without a reference."""
    estimate = result.estimate
    if estimate is None:
        return ""
    parts = [f"{number(error, 2)} in {name(field)}" for field, error in estimated(result).items()]
    summary = escape(estimate.verdict[:1].upper() + estimate.verdict[1:])
    if parts:
        summary = f"{estimate.status.capitalize()}. The estimated relative L<sup>2</sup> error is "
        summary += ", ".join(parts)
    table = residuals_table(estimate.residuals)
    explained = (
        "<p>Residuals as shares of the terms that they are made of (root mean squares). Where they are much larger on "
        "fresh points than at the training points, the network has fitted the points and not the equation.</p>"
    )
    return _section("Estimate without a reference", f"<p>{summary}.</p>{explained + table if table else ''}")


def extra_section(gallery: Gallery, figures: Mapping[str, Figure | plots.Rows]) -> str:
    """Further figures, in their order."""
    shown = [
        gallery.full_width(figure, caption)
        if isinstance(figure, Figure)
        else gallery.rows(figure, escape(caption))
        for caption, figure in figures.items()
    ]
    return _section("More figures", "".join(shown)) if shown else ""


def training_section(gallery: Gallery, history: plots.History) -> str:
    """Loss and errors against the iterations."""
    if not history:
        return ""
    caption = "The loss and the terms it is made of"
    caption += ", and the error during the training." if any(record.errors for record in history) else "."
    return _section("Training", gallery.rows(plots.loss_rows(history), caption))


def usage_section(problem: Problem, result: Result) -> str:
    """How to use the solution, on the command line and in Python."""
    run = result.run or ""
    if not run:
        return ""
    middle = {key: f"{(low + high) / 2:.4g}" for key, (low, high) in problem.bounds.items()}
    at, grid = (
        ",".join(f"{k}={v}" for k, v in middle.items()),
        "x".join(["100" if len(middle) < 4 else "30"] * len(middle)),
    )
    place = shlex.quote(run)
    commands = [
        f"show {place}",
        f'predict {place} --at "{at}"',
        f"predict {place} --grid {grid} -o solution.nc",
    ]
    shell = "\n".join(f"qres {command}" for command in commands)
    arguments = ", ".join(f"{k}={v}" for k, v in middle.items())
    path = json.dumps(f"{run}/{_SOLUTION_FILE}", ensure_ascii=False)
    python = f"import qres\n\nsolution = qres.load({path})\nsolution({arguments})\nsolution.to_xarray()"
    return _section(
        "Use it", _code("<h3>On the command line</h3>", shell) + _code("<h3>In Python</h3>", python)
    )


def specification_section(specification: str, run: str) -> str:
    """The text that gives this run again."""
    if not specification.strip():
        return ""
    file = escape(shlex.quote(f"{run}/specification.toml" if run else "specification.toml"))
    hint = f"<p>It is in the run folder, beside its data, and gives this run again: <code>qres solve {file}</code></p>"
    folded = (
        f"<details><summary>The full specification, as TOML</summary>{_code(hint, specification)}</details>"
    )
    return _section("Run it again", folded)


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _code(head: str, text: str) -> str:
    return f'<div class="code">{head}<pre tabindex="0">{escape(text.strip())}</pre></div>'
