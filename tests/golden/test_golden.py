"""Files of earlier releases give the same numbers, and files of today keep theirs when a heuristic changes."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import qres
from qres.runs import RunFolder

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*/*/solution.qres"))
CHECKPOINTS = sorted(HERE.glob("*/*/checkpoint.safetensors"))
EXPECTED = {
    folder: json.loads((folder / "expected.json").read_text()) for folder in {f.parents[1] for f in FILES}
}


def name_of(file):
    return f"{file.parents[1].name}-{file.parent.name}"


def values(solution, expected):
    at = {name: np.array(column) for name, column in expected["at"].items()}
    return {name: solution(name, **at) for name in expected["values"]}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_files_of_earlier_releases_give_the_same_numbers(file):
    expected = EXPECTED[file.parents[1]][file.parent.name]
    for name, found in values(qres.load(file), expected).items():
        wanted = np.array(expected["values"][name])
        assert np.max(np.abs(found - wanted)) <= 1e-12 * np.max(np.abs(wanted)), name


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_specifications_of_earlier_releases_can_be_read(file):
    folder = RunFolder.open(file.parent)
    assert folder.specification().problem.fields == qres.load(file).problem.fields
    assert len(folder.history()) > 0


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_files_keep_their_ansatz_when_heuristics_change(file, tmp_path, change_all):
    solution, expected = qres.load(file), EXPECTED[file.parents[1]][file.parent.name]
    before, path = values(solution, expected), solution.save(tmp_path / "today.qres")
    change_all()
    again = qres.load(path)
    after = values(again, expected)
    assert all(np.array_equal(after[name], before[name]) for name in before)
    assert {k: f.text for k, f in again.problem.transform.items()} == {
        k: f.text for k, f in solution.problem.transform.items()
    }
    assert [c.name for c in again.problem.soft_conditions] == [
        c.name for c in solution.problem.soft_conditions
    ]


def test_the_changed_heuristics_would_change_the_ansatz(change_all):
    """The test above would not see a heuristic that does nothing: each golden case depends on one."""
    change_all()
    changed = []
    for file in FILES:
        if file.parents[1].name != "0.1":
            continue
        saved = qres.load(file)  # of a format that holds no ansatz, so it is derived
        expected = EXPECTED[file.parents[1]][file.parent.name]
        now, then = values(saved, expected), expected["values"]
        if any(np.max(np.abs(now[n] - np.array(then[n]))) > 1e-9 for n in then):
            changed.append(file.parent.name)
    assert {"waves", "smoothing", "release"} <= set(changed)


@pytest.mark.parametrize("file", [f for f in FILES if f.parents[1].name != "0.1"], ids=name_of)
def test_files_that_hold_their_ansatz_are_the_same_whatever_has_changed_since(file, change_all):
    expected = EXPECTED[file.parents[1]][file.parent.name]
    before = values(qres.load(file), expected)
    transform = {k: f.text for k, f in RunFolder.open(file.parent).specification().problem.transform.items()}
    change_all()
    after = values(qres.load(file), expected)
    assert all(np.array_equal(after[name], before[name]) for name in before)
    problem = RunFolder.open(file.parent).specification().problem
    assert {k: f.text for k, f in problem.transform.items()} == transform


@pytest.mark.parametrize("file", [c for c in CHECKPOINTS if c.parents[1].name != "0.1"], ids=name_of)
def test_runs_of_earlier_releases_go_on(file, tmp_path):
    expected = EXPECTED[file.parents[1]][file.parent.name]
    run = shutil.copytree(file.parent, tmp_path / "run")
    solution = qres.resume(run, iterations=15, progress=False, estimate=False)
    assert solution.result.iterations == 15
    for name, found in values(solution, {**expected, "values": expected["resumed"]}).items():
        wanted = np.array(expected["resumed"][name])
        assert np.max(np.abs(found - wanted)) <= 1e-6 * np.max(np.abs(wanted)), name


def test_a_checkpoint_without_a_digest_is_refused_in_words(tmp_path):
    run = shutil.copytree(HERE / "0.1" / "release", tmp_path / "run")
    with pytest.raises(qres.InputError, match="no digest where one should be; delete it to restart the run"):
        qres.resume(run, iterations=15, progress=False)
