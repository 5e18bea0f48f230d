"""A report of a run that looks like a real one."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from qres.problems import Problem, library, read_toml
from qres.reference import cole_hopf
from qres.report import write_report
from qres.results import Record, Result, Stop, Stopped

HOSTILE = """<script>document.title = "owned"</script><img src=x onerror="alert(1)">'"&amp;-->]]>$title"""

_RESULT = Result(
    problem="burgers", network="qres", widths=(2, *[10] * 8, 1), parameters=1541, optimizer="adam:200,ssbroyden",
    iterations=1000, seconds=58.3, cpu_seconds=113.2, loss=4.21e-9, errors={"u": 2.4e-6}, run="runs/burgers-1",
    stopped=Stopped(Stop.TIME_LIMIT, "the time limit of 60 s was reached"),
)  # fmt: skip


def solutions() -> tuple[xr.Dataset, xr.Dataset]:
    """Burgers' solution with a smooth error, and without."""
    t, x = np.linspace(0, 1, 21), np.linspace(-1, 1, 64)
    exact = xr.Dataset({"u": (("t", "x"), cole_hopf(t, x))}, coords={"t": t, "x": x})
    return exact + 1e-6 * exact.t * np.sin(7 * exact.x), exact


def history() -> list[Record]:
    """Two stages, with the path of an unknown."""
    return [
        Record(
            total=10 * i, stage=int(i > 20), optimizer=("adam", "ssbroyden")[i > 20], loss=10.0 ** (-i / 12),
            terms={"equation": 10.0 ** (-i / 11), "initial": 10.0 ** (-i / 13)},
            errors={"u": 10.0 ** (-i / 20)}, unknowns={"lambda_1": 1 - 2.0**-i},
        )
        for i in range(100)
    ]  # fmt: skip


def write_run(path: Path, result: dict[str, Any] | None = None, **changes: Any) -> Path:
    """The report of a run on Burgers' equation, but for what is said otherwise."""
    file = library.path("burgers")
    prediction, reference = solutions()
    given = {
        "problem": Problem.from_dict(read_toml(file)["problem"]), "prediction": prediction,
        "reference": reference, "history": history(), "specification": file.read_text(), "warnings": [],
    }  # fmt: skip
    return write_report(path, result=replace(_RESULT, **(result or {})), **given | changes)


@pytest.fixture(scope="session")
def write() -> Callable[..., Path]:
    """Writes a report: `write(path, result={"loss": nan}, history=[])`."""
    return write_run


@pytest.fixture(scope="session")
def forward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a forward problem with everything in it."""
    return write_run(tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="session")
def hostile() -> str:
    """What a user must not be able to say."""
    return HOSTILE
