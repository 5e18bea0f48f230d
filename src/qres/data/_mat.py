"""MAT files, read in a separate process: SciPy's reader is compiled code that a malformed file can crash."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np

from qres.runtime.errors import InputError, shorten
from qres.runtime.memory import free_memory

_READER = Path(__file__).with_name("_mat_reader.py")
_PATIENCE = 60.0  # seconds to read a file in, and one more for each
_PACE = 5_000_000  # bytes
_SHARE = 0.5  # of the memory that is free may be needed
_OVERHEAD = 1 << 30  # bytes of address space that Python and its libraries take, most of it never used


def read_apart(path: Path) -> dict[str, np.ndarray]:
    """The arrays of numbers in a MAT file, by name."""
    path.open("rb").close()  # an error of the file system is the caller's
    patience = _PATIENCE + path.stat().st_size / _PACE
    memory = _OVERHEAD + int(_SHARE * free_memory())
    command = [sys.executable, "-I", str(_READER), str(path), str(memory), str(int(patience))]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=patience, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{path}: reading it took over {patience:.0f} s; is it a MAT file?") from None
    if done.returncode:
        last_lines = done.stderr.decode(errors="replace").strip().splitlines()
        reason = (
            last_lines[-1]
            if last_lines and done.returncode == 1
            else "its reader crashed; the file is malformed"
        )
        raise InputError(f"{path}: cannot be read as .mat: {shorten(reason, 160)}")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}
