"""The estimate of the error in the report and in the summary on the command line."""

import io
from dataclasses import replace

from rich.console import Console

from qres.cli import _summary
from qres.results import Estimate, Result, Verdict

ESTIMATE = Estimate(
    {"u": 3.2e-5},
    {
        "equation": {"fresh": 4e-4, "training": 1e-5, "size": 1.0},
        "initial": {"fresh": 1e-6, "training": None},
    },
    verdict="holds: relative error about u 3.2e-05",
    warnings=("between the training points <b>",),
    status=Verdict.HOLDS,
)
NOTHING = {"prediction": None, "reference": None, "history": []}


def test_without_a_reference_the_estimate_is_what_is_said(tmp_path, write):
    page = write(tmp_path / "r.html", **NOTHING, result={"errors": {}, "estimate": ESTIMATE}).read_text()
    text = page.replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "No reference is known; the estimated relative L<sup>2</sup> error is 3.2 × 10<sup>−5</sup>" in text
    )
    assert "Estimate without a reference" in text
    assert "4 × 10<sup>−4</sup>" in text
    assert "–</span>" in text, "what is not known is a dash"


def test_an_estimate_that_is_large_is_no_solution(tmp_path, write):
    verdict = "does not hold: relative error about u 7.0e-01"
    wrong = replace(ESTIMATE, errors={"u": 0.7}, verdict=verdict, status=Verdict.DOES_NOT_HOLD)
    page = write(tmp_path / "r.html", **NOTHING, result={"errors": {}, "estimate": wrong}).read_text()
    assert "Not solved in 58 s." in page
    assert "<p>Does not hold." in page


def test_no_estimate_is_no_section(tmp_path, write):
    unknown = Estimate({}, verdict="not known: there are no equations")
    page = write(tmp_path / "r.html", **NOTHING, result={"estimate": unknown}).read_text()
    assert "<p>Not known. there are no equations" not in page
    assert "Not known: there are no equations." in page
    assert "Estimate without" not in write(tmp_path / "r.html", **NOTHING).read_text()


def test_the_summary_on_the_command_line(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(_summary, "Console", lambda **_: Console(file=shown, width=200))
    _summary.print_result(Result(problem="p", network="qres", loss=1e-3, estimate=ESTIMATE))
    assert "holds: relative error about u 3.2e-05" in shown.getvalue()
    assert "between the training points <b>" in shown.getvalue()
