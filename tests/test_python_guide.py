"""The code of docs/python.md runs, section by section, names every public name, and refuses what the page says."""

import math
import re
from pathlib import Path

import pytest

import qres

PAGE = (Path(__file__).parents[1] / "docs" / "python.md").read_text()


def sections():
    """By title, the section's Python blocks as one program, each line at the number that it has in the page."""
    programs: dict[str, list[str]] = {}
    title, is_code = "", False
    for number, line in enumerate(PAGE.splitlines()):
        if line.startswith("## "):
            title = line.removeprefix("## ")
        if is_code := is_code and line != "```":
            program = programs.setdefault(title, [])
            program += [""] * (number - len(program)) + [line]
        is_code = is_code or line == "```python"
    return {title: "\n".join(lines) for title, lines in programs.items()}


PROGRAMS = sections()
# What the text around the code says of what comes out.
OUTCOMES = {
    "A problem, a solution": lambda of: (
        of["solution"].errors["u"] < 1e-3
        and of["again"].names == ("u",)
        and abs(of["content"][2] - 2 / math.pi * math.exp(-0.1 * math.pi**2)) < 1e-3
        and abs(of["hottest"].at["x"] - 0.5) < 0.02
    ),
    "Equations as functions": lambda of: of["solution"].result.loss < 1e-2,
    "Measurements and unknowns": lambda of: of["low"] < 1.5 < of["high"] and of["spread"]["k"]["stderr"] > 0,
    "Networks": lambda of: of["network"].parameters == 261 and of["further"].errors["y"] < 1e-3,
    "Least squares and time windows": lambda of: (
        abs(of["stiff"]("b", t=1.0) / (math.exp(-1) / 9999) - 1) < 1e-5
    ),
    "Optimizers, points, callbacks": lambda of: of["solution"].history[-1].optimizer == "ssbroyden",
    "Runs, and how wrong a solution is": lambda of: (
        of["errors"]["y"] < 1e-3 and of["estimate"].verdict.startswith("holds")
    ),
    "In a notebook": lambda of: (
        abs(of["left_over"]).max() < 1e-2 and list(of["table"]) == ["t", "y", "slope"] and of["figure"].axes
    ),
    "Discrete time": lambda of: of["solution"].errors["u"] < 5e-2,
    "Which frequencies a network learns": lambda of: (
        of["spectrum"].learnt_at(of["bias"]) == {1: 100, 8: 1000}
    ),
}


def test_every_section_with_code_is_run():
    assert set(PROGRAMS) == set(OUTCOMES)


@pytest.mark.parametrize("title", OUTCOMES)
def test_a_section_runs_by_itself(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "guide"}
    exec(compile(PROGRAMS[title], "docs/python.md", "exec"), names)
    assert OUTCOMES[title](names)


def test_every_public_name_is_on_the_page():
    words = set(re.findall(r"\w+", PAGE))
    assert not [name for name in qres._WHERE if name not in words]


def test_what_the_page_refuses_is_refused():
    with pytest.raises(qres.InputError, match="1 to 4 coordinates"):
        qres.Problem("u_a = u_e", dict.fromkeys("abcde", (0, 1)))
    with pytest.raises(qres.InputError, match="positive inside, not a comparison"):
        qres.Problem("u_xx + u_yy = 1", dict.fromkeys("xy", (0, 1)), inside=lambda x, y: x < y)
