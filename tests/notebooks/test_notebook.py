"""A real notebook, executed by a real kernel: what the cells display."""

import re

import nbclient
import nbformat
import pytest

CELLS = {
    "setup": """
import numpy as np, pandas as pd, qres
t = np.linspace(0, 2, 12)
df = pd.DataFrame({"t": t, "y": np.exp(-1.5 * t) + 0.01 * np.cos(40 * t)}, index=range(100, 112))
small = dict(network=qres.Architecture(width=4, depth=1), sampling=qres.Sampling(points=40))
""",
    "problem": """
unknowns = {"kappa": qres.Positive(1.0, true=1.5)}
problem = qres.Problem("y_t + kappa*y = 0", {"t": (0, 2)}, data=df, unknowns=unknowns, name="decay")
problem
""",
    "data": "problem.data[0]",
    "solve": "solution = qres.solve(problem, iterations=60, **small)",
    "solution": "solution",
    "unknowns": "solution.unknowns",
    "estimate": "solution.estimate()",
    "plot": "solution.plot()",
    "loss": "solution.plot_loss()",
    "predict": "solution.predict(df, 'y', 'speed = abs(y_t)')",
    "frame": "solution.to_dataframe((5,))",
    "quiet": "_ = qres.solve(problem, iterations=2, progress=False, **small)",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """By name of the cell, its outputs as nbformat has them."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS.values()])
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return dict(zip(CELLS, (cell.outputs for cell in notebook.cells), strict=True))


def html(outputs):
    (shown,) = (output.data["text/html"] for output in outputs if "text/html" in output.get("data", {}))
    return shown


def test_progress_is_one_display_that_ends_as_a_line(outputs):
    (shown,) = outputs["solve"]
    assert shown.output_type == "display_data"
    page = shown.data["text/html"]
    assert "<progress" not in page
    assert re.search(r"decay: 60 iterations in 0:\d\d  ssbroyden 60  loss .*kappa 1\.\d+", page)
    assert outputs["quiet"] == []


def test_a_problem_is_shown_as_mathematics(outputs):
    page = html(outputs["problem"])
    assert page.index("decay") < page.index("<math") < page.index("12 rows of t, y")
    assert "<mi>κ</mi>" in page


def test_data_are_shown_as_the_head_of_a_table(outputs):
    page = html(outputs["data"])
    assert page.count("<tr>") == 1 + 5
    assert "… 7 more rows" in page


def test_a_solution_is_shown_with_its_result_and_a_picture(outputs):
    page = html(outputs["solution"])
    assert "Estimated <i>κ</i> = 1." in page
    assert "data:image/png;base64,iVBOR" in page
    table = html(outputs["unknowns"])
    assert table in page
    assert re.search(r"95 % interval\"><span>1\.\d+ … 1\.\d+</span>", table)
    assert "off by, %" in table


def test_an_estimate_is_shown_with_its_verdict(outputs):
    page = html(outputs["estimate"])
    assert page.startswith("<p><b>")
    assert "on fresh points" in page


@pytest.mark.parametrize("name", ["plot", "loss"])
def test_a_plot_without_a_path_is_a_picture(outputs, name):
    (shown,) = outputs[name]
    assert shown.data["image/png"].startswith("iVBOR")


def test_points_and_values_are_data_frames(outputs):
    (shown,) = outputs["predict"]
    assert re.split(r"\s+", shown.data["text/plain"].splitlines()[0].strip()) == ["t", "y", "speed"]
    assert shown.data["text/plain"].splitlines()[1].startswith("100")
    (shown,) = outputs["frame"]
    assert len(shown.data["text/plain"].splitlines()) == 1 + 5
