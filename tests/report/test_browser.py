"""The report in a real browser, at the widths of a desktop and of a phone."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path

import numpy as np
import pytest

from qres import plots
from qres.problems import Problem
from qres.results import Stop, Stopped, UnknownEstimate

Write = Callable[..., Path]
WIDTHS = (1280, 390)
_BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(
    _BROWSER is None, reason="no browser: none of chromium, chromium-browser and google-chrome is installed"
)

# A window has a least width, a frame has none: so each width is a frame that holds the page.
_FRAME = '<iframe style="width:{width}px;height:800px;border:0" srcdoc="{page}"></iframe>'
_MEASURE = """<!doctype html><link rel="icon" href="data:,">%s<script>
addEventListener("load", () => {
  const sizes = [...document.querySelectorAll("iframe")].map(({ contentDocument: page }) => ({
    wide: page.documentElement.scrollWidth, room: page.documentElement.clientWidth, title: page.title,
    sticking: [...page.querySelectorAll("body *")].filter(
      (part) => part.getBoundingClientRect().right > page.documentElement.clientWidth + 1
        && !part.closest(".scroll, pre, .full")
    ).length,
    buttons: page.querySelectorAll("button").length,
    math: page.querySelector("math").getBoundingClientRect().height,
  }));
  document.body.textContent = "measured" + JSON.stringify(sizes) + "end";
});
</script>"""


def look_at(page: str, folder: Path) -> tuple[list[dict], list[str]]:
    """What the browser measures at each width, and what it writes to its console."""
    frames = "".join(_FRAME.format(width=width, page=escape(page)) for width in WIDTHS)
    outer = folder / "outer.html"
    outer.write_text(_MEASURE % frames)
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
               "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--enable-logging=stderr",
               f"--user-data-dir={folder / 'profile'}", "--window-size=1400,900", "--dump-dom"]  # fmt: skip
    assert _BROWSER is not None
    done = subprocess.run([_BROWSER, *options, outer.as_uri()], capture_output=True, text=True, timeout=120)
    found = re.search("measured(.*?)end", done.stdout)
    assert found, done.stderr[-2000:]
    return json.loads(unescape(found[1])), [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def check(sizes: list[dict]) -> None:
    assert [size["room"] for size in sizes] == [pytest.approx(width, abs=20) for width in WIDTHS]
    for size in sizes:
        assert size["wide"] <= size["room"], "the page overflows"
        assert size["sticking"] == 0, "something sticks out"
        assert size["math"] > 20, "the problem is not laid out as mathematics"


def test_a_report_opens_without_error_and_fits(tmp_path: Path, forward: Path):
    sizes, console = look_at(forward.read_text(), tmp_path)
    assert console == []
    check(sizes)
    assert {size["buttons"] for size in sizes} == {3}


def test_long_and_hostile_content_fits_too(tmp_path: Path, write: Write, hostile: str):
    long = "+".join(f"a_{i}*sin({i}*pi*x)" for i in range(60))
    problem = Problem(
        f"u_xx = {long}", {"x": (0, 1)}, ["u(0) = 0", "u(1) = 1"], name="n" * 80,
        constants={f"a_{i}": i for i in range(60)},
    )  # fmt: skip
    object.__setattr__(problem, "name", hostile)  # which Problem itself would not take
    unknowns = {f"a_{i}": UnknownEstimate(1.23456789e-9, 1e-15, 1.0, 0.1) for i in range(3)}
    rows = plots.data_rows({"u": np.arange(9.0)}, {"u": np.arange(9.0) + 0.1})
    path = write(
        tmp_path / "report.html", problem=problem, warnings=["w" * 500], history=[], prediction=None,
        result={
            "unknowns": unknowns, "stopped": Stopped(Stop.BUDGET, "s" * 300),
            "run": "/folder" * 60, "widths": (10,) * 50,
        },
        specification="x" * 5000, extra_figures={"c" * 300: plots.compose(rows)},
    )  # fmt: skip
    sizes, console = look_at(path.read_text(), tmp_path)
    assert console == []
    check(sizes)
    assert all(size["title"].startswith("<script>") for size in sizes), "the name is text"


def test_an_error_in_the_console_would_be_seen(tmp_path: Path):
    broken = "<math><mi>x</mi></math><script>undefined_name()</script>"
    _, console = look_at(broken, tmp_path)
    assert any("undefined_name is not defined" in line for line in console)
