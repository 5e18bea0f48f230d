"""The report page as a file: complete, escaped, self-contained, and honest about what is not known."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.figure
import numpy as np
import xarray as xr

import qres
from qres import plots
from qres.problems import Problem
from qres.results import Record, Stop, Stopped, UnknownEstimate
from qres.results.display import number

Write = Callable[..., Path]
_VOID = {"meta", "link", "br", "hr", "img", "input"}


class Tree(HTMLParser):
    """Checks that what is opened is closed in order, and collects ids, headings and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value for key, value in attrs if key == "id" and value]
        assert not any(key.startswith("on") for key, _ in attrs), f"<{tag}> has a handler"
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["style"], ["script"]):
            self.text += data


def parse(page: str) -> Tree:
    tree = Tree()
    tree.feed(page)
    tree.close()
    assert not tree.open
    tree.text = re.sub(r"\s+", " ", tree.text)
    return tree


def test_the_page_is_well_formed(forward: Path):
    tree = parse(forward.read_text())
    assert len(tree.ids) == len(set(tree.ids)), "an id occurs twice"
    assert tree.tags.count("h1") == 1
    assert tree.tags.count("svg") == 8
    assert "math" in tree.tags


def test_the_page_says_what_came_out(forward: Path):
    text = parse(forward.read_text()).text
    for said in ("burgers", "2.4 × 10−6 in u", "1 min 53 s", "1,541", "the time limit of 60 s was reached"):
        assert said in text.replace("\N{NO-BREAK SPACE}", " ")
    assert 'nu = "0.01/pi"' in text
    assert "qres predict runs/burgers-1" in text
    assert "No reference" not in text
    assert re.search(r"jax \d", text)


def test_the_page_needs_nothing_else(forward: Path):
    page = forward.read_text()
    assert not re.findall(r"https?:", page)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", page)
    assert not re.findall(r"url\((?!#)|@import", page)
    assert forward.stat().st_size < 1_500_000
    assert [file.name for file in forward.parent.iterdir()] == ["report.html"], "no temporary file stays"


def test_every_picture_has_words(forward: Path):
    heads = re.findall(r"<svg[^>]*>", forward.read_text())
    assert all('role="img"' in head and re.search('aria-label="[^"]+"', head) for head in heads)


def test_what_is_not_known_is_not_claimed(tmp_path: Path, write: Write):
    text = parse(
        write(tmp_path / "r.html", prediction=None, reference=None, result={"errors": {}}).read_text()
    ).text
    assert "No reference is known, so the error is not known" in text
    assert "relative L2 error" not in text


def test_a_large_error_is_not_called_solved(tmp_path: Path, write: Write):
    nothing = {"prediction": None, "reference": None, "history": []}
    for error, verdict in ((1.1, "Not solved in"), (float("nan"), "Not solved in"), (1e-3, "Solved in")):
        page = write(tmp_path / "r.html", **nothing, result={"errors": {"u": error}})
        assert f" {verdict} 58 s." in parse(page.read_text()).text


def test_a_failed_run_is_called_so(tmp_path: Path, write: Write):
    nothing = {"prediction": None, "reference": None, "history": []}
    page = write(tmp_path / "r.html", **nothing, result={"loss": float("nan"), "errors": {}, "run": None})
    text = parse(page.read_text()).text
    assert "gave no finite solution" in text
    assert "Solved" not in text
    assert "qres predict" not in text


def test_unknowns_have_intervals(tmp_path: Path, write: Write):
    unknowns = {
        "lambda_1": UnknownEstimate(0.99981, 2.4e-4, 1.0, 0.019),
        "k": UnknownEstimate([2.5e-7, 3e6]),
    }
    page = write(
        tmp_path / "r.html", prediction=None, result={"unknowns": unknowns, "errors": {}}
    ).read_text()
    text = parse(page).text.replace("\N{NO-BREAK SPACE}", " ")
    assert "0.99934 … 1.00028" in text
    assert "2.5 × 10−7" in text
    assert text.count("not known") >= 3, "two intervals, and the error"
    assert "path of lambda_1" in page, "its path in training is shown"


def test_users_text_is_never_markup(tmp_path: Path, write: Write, hostile: str):
    problem = Problem("u_xx = 0", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
    object.__setattr__(problem, "name", hostile)  # which Problem itself would not take
    result = dict.fromkeys(("network", "optimizer", "run"), hostile)
    result |= {"stopped": Stopped(Stop.BUDGET, hostile), "errors": {hostile: 1e-3}}
    field = xr.Dataset({hostile: ("x", np.arange(5.0))}, coords={"x": np.arange(5.0)})
    history = [Record(loss=1.0, optimizer=hostile, stage=i, terms={hostile: 1.0}) for i in (0, 1)]
    page = write(
        tmp_path / "r.html", problem=problem, result=result, prediction=field, reference=None, history=history,
        specification=f"# {hostile}", warnings=[hostile],
        extra_figures={hostile: matplotlib.figure.Figure(figsize=(1, 1))},
    )  # fmt: skip
    tree = parse(page.read_text())
    assert tree.tags.count("script") == 1, "only the page's own"
    assert "img" not in tree.tags
    assert tree.text.count(hostile) >= 6


def test_python_functions_are_shown_as_mathematics_or_else_by_name(tmp_path: Path, write: Write):
    for function, shown in (
        (lambda u: 3.25 * u.xx, "3.25"),
        (lambda u, x: qres.where(~(x < 0), 0, u.xx), "<lambda>"),
    ):
        problem = Problem(function, {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"])
        page = write(tmp_path / "r.html", problem=problem, prediction=None, history=[])
        assert shown in parse(page.read_text()).text


def test_extra_figures_are_shown_whole_or_as_panels(tmp_path: Path, write: Write):
    rows = plots.data_rows({"u": np.arange(9.0)}, {"u": np.arange(9.0) + 0.1})
    figures = {"as panels": rows, "as a whole": plots.compose(rows)}
    nothing = {"prediction": None, "reference": None, "history": []}
    tree = parse(write(tmp_path / "r.html", **nothing, extra_figures=figures).read_text())
    assert tree.tags.count("svg") == 3
    assert "as panels" in tree.text and "as a whole" in tree.text
    assert len(tree.ids) == len(set(tree.ids))


def test_numbers_are_never_in_the_notation_of_programs():
    for value, shown in ((99.7, "100"), (999.6, "1,000"), (-99.7, "-100"), (0.25, "0.25"), (12.34, "12")):
        assert number(value, 2 if abs(value) < 100 else 3).replace("−", "-") == shown
