"""A run as one self-contained HTML page."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from string import Template

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from qres import plots
from qres.problems import Problem
from qres.results import Result, sentence
from qres.results.display import name
from qres.runtime.files import replace_file

from ._figures import Gallery
from ._sections import (
    estimate_section,
    extra_section,
    problem_section,
    residuals_section,
    solution_section,
    specification_section,
    tiles_section,
    training_section,
    unknowns_section,
    usage_section,
)
from ._verdict import verdict_section, warnings_section

_PACKAGES = ("qres-pde", "jax", "equinox", "numpy", "scipy")


def write_report(
    path: str | os.PathLike[str],
    *,
    problem: Problem,
    result: Result,
    prediction: xr.Dataset | None,
    reference: xr.Dataset | None,
    history: plots.History,
    specification: str,
    warnings: Sequence[str] = (),
    extra_figures: Mapping[str, Figure | plots.Rows] | None = None,
    measured: Sequence[Mapping[str, np.ndarray]] = (),
    profiles: Sequence[plots.Profile] = (),
) -> Path:
    """Write a run's report: the problem, the result, figures, training, and how to run it again.

    Args:
        path: the page; an existing one is replaced, when the new one is complete.
        problem: what was solved.
        result: what `qres solve --json` prints.
        prediction: the solution on a grid.
        reference: the true solution on the same grid, where known.
        history: the records of the training.
        specification: the run's TOML.
        warnings: what the reader should know before trusting the result.
        extra_figures: more figures, or rows of panels, by caption.
        measured: tables of measurements, drawn with the solution.
        profiles: of the residuals, one for each coordinate.
    """
    gallery = Gallery()
    sections = [
        verdict_section(result),
        warnings_section(warnings, result),
        tiles_section(result),
        problem_section(problem, result),
        unknowns_section(gallery, result, history),
        solution_section(gallery, prediction, reference, measured),
        estimate_section(result),
        residuals_section(gallery, profiles),
        extra_section(gallery, extra_figures or {}),
        training_section(gallery, history),
        usage_section(problem, result),
        specification_section(specification, result.run or ""),
    ]
    page = Template(_resource("page.html")).substitute(
        title=escape(problem.name),
        style=_resource("style.css"),
        subject=f"{', '.join(map(name, problem.fields))} of {', '.join(map(name, problem.coordinates))}",
        date=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        sentence=sentence(result),
        body="\n".join(section for section in sections if section),
        versions=_versions(result),
    )
    return replace_file(Path(path), page.encode())


def _resource(file: str) -> str:
    return (files("qres.report") / file).read_text(encoding="utf-8")


def _versions(result: Result) -> str:
    """Those the run was made with where it says so, else those that are here."""
    found = dict(result.versions)
    for package in () if found else _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    packages = ", ".join(f"{package} {number}" for package, number in found.items())
    return escape(f"Made with {packages}; Python {platform.python_version()} on {platform.system()}.")
