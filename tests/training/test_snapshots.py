"""Snapshots: the solution as it was at given iterations, whatever the stages, the calls and interruptions."""

import jax
import numpy as np
import pytest

import qres
from qres.runs import RunFolder, Specification, read_specification

PROBLEM = qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"], exact={"u": "exp(-x)"}, name="decay")
COMMON = {
    "sampling": qres.Sampling(points=40, condition_points=2, resample_every=15), "progress": False,
}  # fmt: skip


def solve(stages, **options):
    return qres.solve(PROBLEM, qres.Architecture(width=4, depth=1), optimizer=stages, **COMMON, **options)


def bits(solution):
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(solution.model)]


def test_a_snapshot_is_what_a_run_of_that_length_finds(tmp_path):
    solve("adam:20,ssbroyden:20", run=tmp_path / "run", snapshots=[25, 7, 40])
    kept = RunFolder.open(tmp_path / "run").snapshots()
    assert list(kept) == [7, 25, 40]
    assert bits(qres.load(kept[7])) == bits(solve("adam:7"))
    assert bits(qres.load(kept[25])) == bits(solve("adam:20,ssbroyden:5"))
    assert bits(qres.load(kept[40])) == bits(qres.load(tmp_path / "run" / "solution.qres"))
    assert qres.load(kept[7]).result.iterations == 7
    assert {7, 25, 40} <= {record.total for record in RunFolder.open(tmp_path / "run").history()}


def test_a_resumed_run_keeps_the_rest(tmp_path):
    solve("adam", iterations=10, run=tmp_path / "run", snapshots=[5, 15])
    assert list(RunFolder.open(tmp_path / "run").snapshots()) == [5]
    qres.resume(tmp_path / "run", iterations=20, progress=False)
    kept = RunFolder.open(tmp_path / "run").snapshots()
    assert list(kept) == [5, 15]
    assert bits(qres.load(kept[15])) == bits(solve("adam", iterations=15))


def test_snapshots_are_a_key_of_the_file():
    tables = {"problem": PROBLEM.to_dict(), "training": {"snapshots": [20, 10, 20]}}
    specification = Specification.from_dict(tables)
    assert specification.snapshots == (10, 20)
    assert specification.to_dict()["training"]["snapshots"] == [10, 20]
    assert "snapshots" not in read_specification("burgers").to_dict()["optimizer"]
    assert read_specification("burgers", settings={"snapshots": [3]}).snapshots == (3,)


@pytest.mark.parametrize("wrong", [7, "all", [0], [1.5]])
def test_wrong_snapshots_are_refused(wrong):
    with pytest.raises(qres.InputError, match="snapshots"):
        Specification(PROBLEM, snapshots=wrong)


def test_snapshots_need_a_folder():
    with pytest.raises(qres.InputError, match="run folder"):
        solve("adam:3", snapshots=[2])


def test_adam_is_not_stopped_for_noise(tmp_path):
    """A loss that goes up and down says nothing: all epochs are made."""
    x = np.linspace(0, 2, 8)
    problem = PROBLEM.with_data([qres.Data({"x": x, "u": np.exp(-x)})])
    found = qres.solve(
        problem,
        qres.Architecture(width=4, depth=1),
        optimizer="adam:10",
        sampling=qres.Sampling(points=8, resample_every=1, pool=1),
        weights={"equation": 0.0},
        progress=False,
    )
    assert found.result.iterations == 10
