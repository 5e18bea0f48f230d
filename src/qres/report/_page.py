"""One run as one HTML page that needs nothing else."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from qres import plots
from qres.problems import Problem

from ._figures import Gallery
from ._result import Summary, sentence, tiles, unknowns_table

_PACKAGES = ("qres-pde", "jax", "equinox", "numpy", "scipy")


def write_report(
    path: str | os.PathLike[str],
    *,
    problem: Problem,
    summary: Summary,
    prediction: xr.Dataset | None,
    reference: xr.Dataset | None,
    history: Sequence[Mapping[str, Any]],
    specification: str,
    warnings: Sequence[str] = (),
    extra_figures: Mapping[str, Figure | plots.Rows] | None = None,
) -> Path:
    """Write a run's report: the problem, the result, figures, training, and how to run it again.

    Args:
        path: the page; an existing one is replaced, when the new one is complete.
        problem: what was solved.
        summary: what `qres solve --json` prints.
        prediction: the solution on a grid.
        reference: the true solution on the same grid, where known.
        history: the records of the training.
        specification: the run's TOML.
        warnings: what the reader should know before trusting the result.
        extra_figures: more figures, or rows of panels, by caption.
    """
    gallery = Gallery()
    parts = {
        "title": escape(problem.name),
        "style": _resource("style.css"),
        "subject": escape(f"{', '.join(problem.fields)} of {', '.join(problem.coordinates)}"),
        "date": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        "sentence": sentence(summary),
        "tiles": tiles(summary),
        "warnings": _warnings(warnings),
        "mathematics": problem.mathml(),
        "unknowns": _unknowns(gallery, summary, history),
        "solution": _solution(gallery, prediction, reference),
        "extra": "".join(_extra(gallery, caption, shown) for caption, shown in (extra_figures or {}).items()),
        "training": _training(gallery, history),
        "specification": escape(specification),
        "usage": _usage(problem, summary),
        "versions": _versions(),
    }
    page = Template(_resource("page.html")).substitute(parts)
    return plots.replace_file(Path(path), page.encode())


def _resource(file: str) -> str:
    return (files(__package__) / file).read_text(encoding="utf-8")
