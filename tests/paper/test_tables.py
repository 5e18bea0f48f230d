"""Tables: medians, ranges and ratios are right, in every format."""

import csv
import io
import math

import pytest
from rich.console import Console

from qres.paper import Line, Table

TABLE = Table(
    ("model", "quantity"),
    [
        Line(("QRes", "error u"), (2e-3, 1e-3, 4e-3), 1e-3),
        Line(("PINN|50 %", "error λ₂"), (0.0312,), 0.003, "percent"),
        Line(("PINN", "error v"), (), 1.2e-3),
        Line(("PINN", "epochs"), (1234.4, math.inf, math.inf), None, "count"),
    ],
)


def test_numbers_of_a_line():
    first, second, third, fourth = TABLE.lines
    assert (first.median, first.ratio, first.is_far) == (2e-3, 2.0, False)
    assert second.is_far and second.ratio == pytest.approx(10.4)
    assert (third.median, third.ratio, third.is_far) == (None, None, False)
    assert fourth.median == math.inf


def test_cells():
    assert TABLE.columns == (
        "model",
        "quantity",
        "median",
        "lowest … highest",
        "seeds",
        "paper",
        "ours / paper",
    )
    assert TABLE.rows == [
        ("QRes", "error u", "2.00e-03", "1.00e-03 … 4.00e-03", "3", "1.00e-03", "2"),
        ("PINN|50 %", "error λ₂", "0.0312 %", "", "1", "0.003 %", "10"),
        ("PINN", "error v", "not run", "", "0", "1.20e-03", ""),
        ("PINN", "epochs", "never", "1,234 … never", "3", "", ""),
    ]
    assert Table(("model",), [Line(("QRes",), (1.0,))]).columns == (
        "model",
        "median",
        "lowest … highest",
        "seeds",
    )


def test_text_is_aligned():
    lines = TABLE.text().splitlines()
    assert len(lines) == 5
    assert lines[0].split("  ")[0] == "model"
    assert lines[1].endswith("2") and lines[0].endswith("ours / paper")
    assert len(lines[0]) == len(lines[1])


def test_a_narrow_terminal_loses_columns_and_says_so():
    narrow = Console(file=io.StringIO(), width=55, highlight=False, color_system=None)
    narrow.print(TABLE.rich(narrow.width))
    assert isinstance(narrow.file, io.StringIO)
    shown = narrow.file.getvalue()
    assert "lowest …" not in shown.splitlines()[0] and "too narrow for: lowest … highest, seeds" in shown
    assert "ours / paper" in shown and "2.00e-03" in shown and "PINN|50 %" in shown
    assert TABLE.rich(400).caption is None


def test_markdown_marks_what_is_far():
    lines = TABLE.markdown().splitlines()
    assert lines[1] == "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    assert lines[3] == "| PINN\\|50 % | error λ₂ | 0.0312 % |  | 1 | 0.003 % | **10** |"


def test_latex_has_no_raw_special_letters():
    latex = TABLE.latex()
    assert latex.startswith("\\begin{tabular}{llrrrrr}\n\\toprule\n")
    assert "$2.00\\times 10^{-3}$" in latex
    assert "PINN$|$50 \\%" in latex and "$\\lambda$$_2$" in latex
    assert "\\dots{}" in latex
    assert latex.isascii()


def test_csv_has_full_precision():
    rows = list(csv.DictReader(io.StringIO(TABLE.csv())))
    assert [float(value) for value in rows[0]["values"].split()] == [2e-3, 1e-3, 4e-3]
    assert float(rows[0]["median"]) == 2e-3 and float(rows[1]["ratio"]) == pytest.approx(10.4)
    assert rows[2]["median"] == "" and rows[2]["seeds"] == "0"


def test_four_files(tmp_path):
    assert {path.name for path in TABLE.save(tmp_path, "t")} == {"t.txt", "t.md", "t.tex", "t.csv"}
