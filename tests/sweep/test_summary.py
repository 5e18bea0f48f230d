"""Summaries: median and spread, as tables and as a picture."""

import csv
import json
import math
from dataclasses import replace

import pytest
from matplotlib.image import imread

from qres.results import Result, UnknownEstimate
from qres.sweep import Outcome, cells, grid, summarize, write_summary

ERRORS = {("qres", 2): [1e-3, 3e-3, 2e-3], ("qres", 3): [4e-4, 2e-4, math.nan], ("mlp", 2): [5e-3, 7e-3]}


def summary_of(kind, width, error):
    unknowns = {"k": UnknownEstimate([1.1, 2.0], percent=[10.0, 0.0]), "m": UnknownEstimate(4.0)}
    return Result(
        network=kind,
        parameters=10 * width,
        errors={"u": error},
        loss=error**2,
        seconds=2.0,
        unknowns=unknowns,
    )


@pytest.fixture
def outcomes(decay, tmp_path):
    found = []
    for (kind, width), errors in ERRORS.items():
        jobs = grid(decay, {"network": [kind], "width": [width]}, seeds=3)
        for job, error in zip(jobs, errors, strict=False):
            found.append(Outcome(job, summary_of(kind, width, error), tmp_path / job.name))
    lost = grid(decay, {"network": ["mlp"], "width": [2]}, seeds=3)[-1]
    return [*found, Outcome(lost, None, tmp_path, "the machine burnt down")]


def test_median_and_range(outcomes):
    summary = summarize(outcomes)
    assert [row.settings for row in summary.rows] == [
        {"network": "qres", "width": 2}, {"network": "qres", "width": 3}, {"network": "mlp", "width": 2},
    ]  # fmt: skip
    first, second, third = summary.rows
    assert first.median_and_range("error u") == (2e-3, 1e-3, 3e-3)
    assert second.median_and_range("error u") == (
        4e-4,
        2e-4,
        math.inf,
    )  # what is not a number is no small error
    assert third.median_and_range("error u") == (6e-3, 5e-3, 7e-3)
    assert (third.failed, third.seeds, third.parameters) == (1, (0, 1), 20)
    assert summary.quantities == ("error u", "k[0] off %", "k[1] off %", "m", "loss", "seconds")
    assert summary.accuracies == ("error u", "k[0] off %", "k[1] off %")
    assert first.median_and_range("m") == (4.0, 4.0, 4.0)
    assert first.median_and_range("nothing") is None


def test_files(outcomes, tmp_path):
    files = write_summary(summarize(outcomes), tmp_path)
    assert [file.name for file in files] == [
        "summary.csv", "summary.md", "summary.json", "error-against-parameters.png",
    ]  # fmt: skip
    with files[0].open() as stream:
        rows = list(csv.DictReader(stream))
    assert float(rows[0]["error u median"]) == 2e-3
    assert (rows[2]["network"], rows[2]["runs"], rows[2]["failed"]) == ("mlp", "2", "1")
    text = files[1].read_text()
    assert "| qres | 2 | 20 | 3 | 2.0e-03 (1.0e-03–3.0e-03) |" in text
    assert "2 (1 failed)" in text
    data = json.loads(files[2].read_text())
    assert data["rows"][0]["quantities"]["error u"]["values"] == [1e-3, 3e-3, 2e-3]
    picture = imread(files[3])
    blue, orange = (0.18, 0.49, 0.88), (0.88, 0.54, 0.18)
    for colour in (blue, orange):  # one a kind of network
        assert (abs(picture[..., :3] - colour) < 0.02).all(axis=-1).sum() > 50


def test_a_single_setting_and_nothing_known(decay, tmp_path):
    (job,) = grid(decay, {})
    summary = replace(summary_of("qres", 2, 0.1), errors={}, unknowns={})
    found = summarize([Outcome(job, summary, tmp_path)])
    headings, rows = cells(found)
    assert headings == ["problem", "parameters", "runs", "loss", "seconds"]
    assert rows == [[decay, "20", "1", "1.0e-02", "2.0"]]
    assert len(write_summary(found, tmp_path)) == 3  # no picture


def test_all_failed(decay, tmp_path):
    jobs = grid(decay, {"width": [3, 4]})
    found = summarize([Outcome(job, None, tmp_path, "no") for job in jobs])
    assert cells(found)[1] == [["3", "-", "0 (1 failed)"], ["4", "-", "0 (1 failed)"]]
    assert len(write_summary(found, tmp_path)) == 3
