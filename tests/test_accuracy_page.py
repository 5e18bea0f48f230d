"""The pages of figures say what the recorded results say."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import accuracy_page  # noqa: E402
import balance_table  # noqa: E402
import compare_picture  # noqa: E402
import compare_table  # noqa: E402
import marked  # noqa: E402
import points_table  # noqa: E402
from accuracy_cases import CASES, summarise  # noqa: E402

import estimate  # noqa: E402
from qres import plots  # noqa: E402


def recorded(name):
    file = ROOT / "results" / f"{name}.json"
    return json.loads(file.read_text())["runs"] if file.exists() else {}


def run(seed, error, verdict="holds: relative error about u 1e-05", date="2026-11-18T00:00:00Z"):
    curve = [
        {"seconds": 0.5 * 2**i, "total": 10 * i, "loss": 1.0, "errors": {"u": 10.0**-i}} for i in range(5)
    ]
    return {
        "seed": seed, "parameters": 1541, "errors": {"u": error}, "unknowns": {}, "stopped": "budget: done",
        "estimate": {"errors": {"u": error}, "verdict": verdict}, "curve": curve, "date": date,
        "specification": {"sampling": {"adaptive": True}},
    }  # fmt: skip


def test_the_page_is_up_to_date():
    page = (ROOT / "docs" / "accuracy.md").read_text()
    filled = accuracy_page.filled(page, *map(recorded, ("accuracy", "compare", "balance", "points")))
    assert filled == page, "make accuracy, or: python benchmarks/accuracy.py --draw"
    for case in accuracy_page._longest(recorded("accuracy")):
        assert (ROOT / "docs" / "images" / accuracy_page.picture_name(case)).is_file()


@pytest.mark.parametrize(
    ("case", "figure", "said"),
    [
        ("burgers 1 min", "u", 2.7e-7),
        ("burgers 20 min", "u", 4e-9),
        ("allen-cahn 2 min", "u", 1.7e-6),
        ("allen-cahn 20 min", "u", 1.5e-7),
        ("navier-stokes-inverse 10 min", "lambda_1", 0.0002),
        ("navier-stokes-inverse 10 min", "lambda_2", 0.0055),
        ("navier-stokes-inverse --noise 0.01 10 min", "lambda_1", 0.02),
        ("navier-stokes-inverse --noise 0.01 10 min", "lambda_2", 0.39),
    ],
)
def test_the_first_page_says_what_is_recorded(case, figure, said):
    assert f"{summarise(recorded('accuracy'))[case][figure]['median']:.2g}" == f"{said:.2g}"
    line = next(one for one in (ROOT / "README.md").read_text().split("\n- ") if "**Accuracy**" in one)
    assert f"{said:g}" in line.replace("e-", "e-0")


def test_the_page_of_the_estimate_is_up_to_date():
    page = (ROOT / "docs" / "estimate.md").read_text()
    assert marked.filled(page, {"table": estimate.table(recorded("estimate"))}) == page, "make estimate"
    with pytest.raises(ValueError, match="has no part between"):
        marked.filled("nothing", {"table": ""})


def test_a_seed_that_fails_is_seen():
    runs = {f"burgers 1 min, seed {seed}": run(seed, error) for seed, error in enumerate([1e-5, 2e-5, 3e-3])}
    assert summarise(runs)["burgers 1 min"]["failed silently"] == [2]
    assert "**over 10 × the median**" in accuracy_page.table(runs)
    runs["burgers 1 min, seed 2"] = run(2, 0.5, "does not hold: relative error about u 5e-01")
    assert summarise(runs)["burgers 1 min"]["failed silently"] == []
    assert "the run says so" in accuracy_page.table(runs)


def test_rows_have_all_columns():
    lines = accuracy_page.table({"burgers 1 min, seed 0": run(0, 5e-6)}).splitlines()
    assert len(lines) == 2 + len(CASES)
    assert len({line.count("|") for line in lines}) == 1
    assert any("**5.0e-06**" in line for line in lines), "a figure that meets what is asked is bold"
    assert any("| 1 min | 8 s |" in line for line in lines)
    old = accuracy_page.table({"burgers 1 min, seed 0": run(0, 5e-6, date="2026-11-16T00:00:00Z")})
    assert "| 1 min | 8 s* |" in old, "without native code"
    before = accuracy_page.table(
        {"burgers 1 min, seed 0": {**run(0, 5e-6), "specification": {"sampling": {}}}}
    )
    assert "| 1 min | 8 s† |" in before, "before points adapt"


def test_curves_are_drawn(tmp_path):
    runs = {f"burgers 1 min, seed {seed}": run(seed, 1e-4) for seed in range(3)}
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "accuracy.md"
    page.write_text((ROOT / "docs" / "accuracy.md").read_text())
    (tmp_path / "accuracy.json").write_text(json.dumps({"runs": runs}))
    accuracy_page.update(tmp_path, tmp_path / "docs")
    assert (tmp_path / "docs" / "images" / "accuracy-burgers.png").stat().st_size > 5000
    assert "![burgers](images/accuracy-burgers.png)" in page.read_text()


def test_the_comparison_names_the_better_one():
    def one(error):
        return {"parameters": 100, "errors": {"u": error, "v": error / 2}, "unknowns": {}}

    runs = {
        f"kdv, {kind}, adam, seed {s}": one(e * (1 + s))
        for kind, e in (("qres", 1e-3), ("mlp", 4e-3))
        for s in (0, 1)
    }
    row = compare_table.table(runs).splitlines()[-1]
    assert "**1.5e-03 (2.0e-03)**" in row
    assert row.endswith("| 4 |")
    assert compare_table.summary(runs).splitlines()[2:] == ["| adam | 1 | 0 | 1 | 0 | 4 (4 to 4) |"]
    failed = {name.replace("kdv", "wave-modes"): one(0.5) for name in runs}
    assert compare_table.summary(runs | failed).splitlines()[-1] == "| adam | 2 | 1 | 1 | 0 | 4 (4 to 4) |"
    assert compare_table.summary({}) == compare_table.table({}) == "Nothing is recorded yet."
    axes = plots.compose([compare_picture.panels(runs)]).axes
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["kdv"]
    marks = [line for line in axes[0].lines if line.get_label() in ("QRes", "plain")]
    assert [float(np.ravel(mark.get_xdata())[0]) for mark in marks] == [1.5e-3, 6e-3]


def test_the_table_of_balanced_conditions():
    def one(error, weight):
        return {"errors": {"u": error}, "unknowns": {}, "weights": {"equation": 1.0, "initial": weight}}

    runs = {
        balance_table.name_of("kdv", balance, seed): one(error * (1 + seed), weight)
        for balance, error, weight in (("false", 4e-3, 1.0), ("true", 1e-3, 270.0))
        for seed in (0, 1)
    }
    row = balance_table.table(runs).splitlines()[-1]
    assert row == "| `kdv` | 2 | 6.0e-03 (8.0e-03) | **1.5e-03 (2.0e-03)** | 4 | 270 |"
    assert balance_table.table({}) == "Nothing is recorded yet."


def test_the_table_of_points_that_adapt():
    def one(error, iterations):
        return {"errors": {"u": error}, "unknowns": {}, "iterations": iterations}

    compare = {f"kdv, qres, ssbroyden, seed {seed}": one(4e-3 * (1 + seed), 2800) for seed in (0, 1)}
    compare["kdv, mlp, ssbroyden, seed 0"] = compare["kdv, qres, lbfgsb, seed 0"] = one(1.0, 9)
    row = points_table.table({"kdv, seed 0": one(2e-3, 5000)}, compare).splitlines()[-1]
    assert row == "| `kdv` | 2 / 1 | 6.0e-03 (8.0e-03) | **2.0e-03 (2.0e-03)** | 3 | 2800 / 5000 |"
    assert points_table.table({}, compare) == "Nothing is recorded yet."


@pytest.mark.parametrize("problem", ["burgers", "kdv-inverse", "reaction"])
def test_the_plain_network_has_as_many_parameters(problem):
    import compare

    from qres.runs import read_specification

    assert compare.plain_width(problem) > read_specification(compare.source_of(problem)).architecture.width
