"""Full disks, vanished folders, damaged checkpoints, and runs that were killed while their folder was made."""

import json
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

import qres
from qres.runs import RunFolder
from qres.runtime.errors import Failure, InputError
from qres.training.loop import _checkpointer

SMALL = qres.Architecture(width=5, depth=1)
FEW = qres.Sampling(points=60, condition_points=2, resample_every=15)


def decay(**options):
    return qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"], exact={"u": "exp(-x)"}, **options)


def solve(run, **options):
    defaults = {"iterations": 40, "sampling": FEW, "progress": False, "estimate": False}
    return qres.solve(decay(), SMALL, run=run, **{**defaults, **options})


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The current folder, in which a solution that has lost its own finds a place."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def test_a_run_folder_that_vanishes_does_not_cost_the_solution(tmp_path, elsewhere):
    def vanish(record):
        shutil.rmtree(tmp_path / "run", ignore_errors=True)

    with pytest.raises(
        Failure, match=r"run: .* could not be written: .*; the solution is in .*run\.qres"
    ) as caught:
        solve(tmp_path / "run", callbacks=[vanish])
    kept = qres.load(elsewhere / "run.qres")
    assert kept(x=1.0) == caught.value.solution(x=1.0)
    assert "\n" not in str(caught.value)


LIMITED = """
import resource, sys
from qres.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
sys.argv[0] = "qres"
main()
"""


def test_a_disk_that_takes_no_checkpoint_takes_the_solution(tmp_path, elsewhere):
    """Files of over 200 kB cannot be written, as on a disk with that much left."""
    command = ["solve", "burgers", "--iterations", "3", "--out", "run", "--no-estimate"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *command], cwd=elsewhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "could not be written" in done.stderr.splitlines()[-1]
    assert "the solution is in run/solution.qres" in done.stderr.splitlines()[-1]
    assert qres.load(elsewhere / "run" / "solution.qres").result.iterations == 3


@pytest.mark.parametrize("seed", range(20))
def test_one_flipped_bit_of_a_checkpoint_is_found(tmp_path, seed):
    folder = RunFolder(tmp_path)
    folder.save_checkpoint({"a": np.arange(20.0), "b": np.zeros((2, 3))}, {"total": 3})
    content = bytearray(folder.checkpoint_file.read_bytes())
    place = int(np.random.default_rng(seed).integers(len(content)))
    content[place] ^= 1 << (seed % 8)
    folder.checkpoint_file.write_bytes(content)
    with pytest.raises(InputError, match=r"the checkpoint is damaged: .*; delete it to restart the run"):
        folder.load_checkpoint()


@pytest.mark.parametrize(
    "change",
    [
        {"stages": None}, {"stages": {}}, {"stages": {"index": 99}}, {"noise": {"watch": 3}}, {"format": 1},
        {"budget": {"seconds": "x"}}, {"stages": {"index": -7}}, {"points": {"draw": [1]}},
        {"weighing": {"balance": [1]}}, {"noise": {"stopped": {"reason": "tired", "message": ""}}},
    ],
)  # fmt: skip
def test_counters_that_make_no_sense_are_one_line(tmp_path, change):
    solve(tmp_path / "run")
    folder = RunFolder.open(tmp_path / "run")
    arrays, counters = folder.load_checkpoint() or ({}, {})
    changed = {
        part: counters[part] | own if isinstance(own, dict) and own else own for part, own in change.items()
    }
    folder.save_checkpoint(arrays, counters | changed)
    with pytest.raises(InputError, match="checkpoint"):
        qres.resume(tmp_path / "run", iterations=50, progress=False, estimate=False)


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"3\n[]\nnull\n", b'{"total": "x"}\n', b'{"total": 1}\n']
)
def test_a_history_that_is_none_is_passed_over(tmp_path, content):
    solution = solve(tmp_path / "run")
    (tmp_path / "run" / "history.jsonl").write_bytes(content)
    assert RunFolder.open(tmp_path / "run").history() == []
    again = qres.resume(tmp_path / "run", progress=False, estimate=False)
    assert again.result.loss == solution.result.loss


KILLED = """
import os, signal, sys
import qres.runs._run_folder as f
from pathlib import Path
import numpy as np, qres
write, left = f.replace_file, [int(sys.argv[2])]
def killed(path, content):
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    return write(path, content)
f.replace_file = killed
data = qres.Data({"x": np.linspace(0, 2, 5), "u": np.exp(-np.linspace(0, 2, 5))})
problem = qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"], data=[data, data])
f.RunFolder.new(Path(sys.argv[1])).create(qres.Specification(problem))
"""


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_run_killed_while_its_folder_is_made_can_be_begun_anew(tmp_path, after):
    run = tmp_path / "run"
    done = subprocess.run([sys.executable, "-c", KILLED, run, str(after)], check=False)
    assert done.returncode == -signal.SIGKILL
    with pytest.raises(InputError, match="cut off before it began; give qres solve the same folder again"):
        qres.resume(run, progress=False)
    solve(run)
    assert qres.load(run / "solution.qres").errors["u"] < 1
    assert not (run / ".begun").exists()


def test_what_was_begun_to_be_written_is_removed(tmp_path):
    solve(tmp_path / "run")
    left = tmp_path / "run" / ".checkpoint.safetensors.0123.part"
    left.write_bytes(b"half")
    qres.resume(tmp_path / "run", progress=False, estimate=False)
    assert not left.exists()


INTERRUPTED = """
import os, signal, sys
sys.argv[0] = "qres"
class Finder:  # Ctrl-C just as JAX is imported
    def find_spec(self, name, *rest):
        if name == "jax":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from qres.cli import main
main()
"""


def test_ctrl_c_while_importing_is_one_line(tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, "solve", "burgers"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "qres: interrupted\n")


def test_a_resumed_run_ends_at_the_same_bits_after_a_full_disk(tmp_path, monkeypatch):
    """A checkpoint that could not be written is no checkpoint: the one before it stands."""
    whole = solve(tmp_path / "whole")
    monkeypatch.setattr(_checkpointer, "_SECONDS", 0.0)
    monkeypatch.setattr(_checkpointer, "_SHARE", 1e9)
    save, count = RunFolder.save_checkpoint, iter(range(100))

    def full(self, arrays, counters):
        if next(count) > 2:
            self.checkpoint_file = self.path / "no such folder" / "checkpoint"
        save(self, arrays, counters)

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "save_checkpoint", full)
        with pytest.raises(Failure, match="the checkpoint could not be written"):
            solve(tmp_path / "cut")
    again = qres.resume(tmp_path / "cut", progress=False, estimate=False)
    assert json.dumps(again.result.errors) == json.dumps(whole.result.errors)
