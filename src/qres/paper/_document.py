"""`docs/results.md`: all recorded results on one generated page."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qres.plots import save
from qres.results import loads
from qres.runtime.errors import InputError, check_keys
from qres.runtime.files import replace_file

from ._catalogue import EXPERIMENTS
from ._page import sections
from ._record import Records
from ._scale import PAPER

REMARKS = "remarks.toml"
IMAGES = "images"
OTHERS = ("examples.json", "inverse.json")
_HEAD = """# Results

This page is generated from the files in `results/`, by
`qres reproduce --record results/paper --document docs/results.md`; a test checks that it is up to date. What people
have to say about it is in `results/paper/remarks.toml`.

The experiments are those of J. Bu, A. Karpatne, *Quadratic Residual Networks*, SDM 2021, run as the paper describes
them: its networks, points, optimizers and epochs (`qres reproduce NAME --scale paper`). The paper shows single runs.
Here every number is the median over seeds, with the lowest and the highest; each seed has its own weights, points
and measurements. **Bold** ratios are more than three times the paper's number, or less than a third of it.
"""


def document(records: Path, page: Path) -> str:
    """The text of the page.

    Args:
        records: the folder of the paper's recorded runs; the other recorded files are in the folder above it.
        page: where it will stand, with `images/` beside it.
    """

    def picture(name: str) -> str | None:
        return f"{IMAGES}/{name}.png" if (page.parent / IMAGES / f"{name}.png").is_file() else None

    found = Records.read(records, PAPER.name)
    return (
        _HEAD
        + sections(list(EXPERIMENTS.values()), found, picture, _read_remarks(records))
        + _others(records.parent)
    )


def write_document(records: Path, page: Path) -> Path:
    """Draw every figure of the recorded runs, and write the page.

    Args:
        records: the folder of the recorded runs.
        page: a Markdown file; figures go into `images/` beside it.
    """
    if not records.is_dir():
        raise InputError(f"{records}: there is no such folder")
    found = Records.read(records, PAPER.name)
    try:
        (page.parent / IMAGES).mkdir(parents=True, exist_ok=True)
        for experiment in EXPERIMENTS.values():
            drawn = experiment.figure(found) if experiment.figure and experiment.is_begun(found) else None
            if drawn is not None:
                save(drawn, page.parent / IMAGES / f"{experiment.name}.png")
        return replace_file(page, document(records, page).encode())
    except OSError as error:
        raise InputError(f"{page}: cannot be written: {error.strerror or error}") from None


def _read_remarks(records: Path) -> dict[str, str]:
    """What people wrote about experiments: `table-identification = "…"`."""
    file = records / REMARKS
    if not file.is_file():
        return {}
    try:
        remarks = tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: {error}") from None
    return {name: str(text) for name, text in check_keys(remarks, list(EXPERIMENTS), str(file)).items()}


def _others(folder: Path) -> str:
    """The runs of `benchmarks/`, which are recorded beside the paper's: one table a file."""
    text = ""
    for file in (folder / name for name in OTHERS):
        if not file.is_file():
            continue
        recorded = loads(file.read_text())
        text += f"\n## Beyond the paper: `results/{file.name}`\n\n`{recorded['command']}`\n\n"
        text += "| run | date | network | optimizer | seconds | errors and unknowns |\n"
        text += "| --- | --- | --- | --- | ---: | --- |\n"
        text += "".join(_row(name, run) for name, run in recorded["runs"].items())
    return text + _coverage(folder / "coverage.json")


def _coverage(file: Path) -> str:
    """How often the intervals of unknowns hold the truth."""
    if not file.is_file():
        return ""
    recorded = loads(file.read_text())
    inside = ", ".join(f"{name} in {count}" for name, count in recorded["inside"].items())
    return (
        f"\n## Do the 95 % intervals hold? `results/{file.name}`\n\n`{recorded['command']}`, {recorded['date'][:10]}: "
        f"logistic growth with noise of its own in each of {recorded['sets']} data sets. "
        f"The truth is inside the interval for {inside} of them.\n"
    )


def _row(name: str, run: Mapping[str, Any]) -> str:
    found = [f"{field} {error:.1e}" for field, error in run["errors"].items()]
    for unknown, value in run["unknowns"].items():
        percent = value.get("percent")
        if isinstance(percent, float):
            found.append(f"{unknown} off by {percent:.2g} %")
    network = f"{run['network']}, {run['parameters']:,} parameters"
    shown = (name, run["date"][:10], network, run["optimizer"], f"{run['seconds']:.0f}", ", ".join(found))
    return f"| {' | '.join(shown)} |\n"
