"""examples/own_objects.py with fewer iterations, in a new folder: killed, resumed to the same bits, swept."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "own_objects.py"
# Every process of the example writes records and checkpoints after every call, not after seconds.
HASTE = """
import qres.training.loop._checkpointer as checkpointer, qres.training.loop._recorder as recorder
checkpointer._SECONDS, checkpointer._SHARE = 0.0, 1e9
recorder._SECONDS, recorder._SHARE = 0.0, 1e9
"""


def test_the_example_does_what_it_says(tmp_path):
    text = EXAMPLE.read_text()
    assert sum(bool(line.strip()) for line in text.splitlines()[1:]) < 40
    text = text.replace('"run", **own', '"run", **own, estimate=False').replace(
        "burgers, **own)", "burgers, **own, estimate=False)"
    )
    (tmp_path / "own_objects.py").write_text(
        text.replace("20_000", "60").replace("width_size=10", "width_size=4")
    )
    (tmp_path / "sitecustomize.py").write_text(HASTE)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "own_objects.py"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == ["killed by signal 9", "resumed to the bit: True", "loaded: True"]
    assert [line.split("-")[1] for line in lines[3:]] == ["seed0", "seed1", "seed2"]
    assert len({line.split()[1] for line in lines[3:]}) == 3, "each seed has weights of its own"
