"""Execution of a job in this process: its run folder is completed, from a checkpoint where there is one."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax

from qres.results import Stop
from qres.runs import RunFolder, RunFolderLocked, now
from qres.runtime.errors import InputError
from qres.runtime.files import replace_file
from qres.solution import Solution
from qres.training import resume

from ._outcome import is_finished, write_result

DONE, BUSY, FAILED, INTERRUPTED = "done", "busy", "failed", "interrupted"
ERROR = "error.txt"
DEVICES = ".devices"
Answer = dict[str, Any]


def perform(path: str, job: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Answer:
    """Bring a run folder that holds a specification to its end; only one process does so at a time.

    Args:
        path: the run folder.
        job: as `describe` has it; goes into the result file.
        options: of `resume`: objects that no file holds.

    The answer is plain data: a status, and why where it failed. A folder at which another process is at work is "busy".
    """
    folder = RunFolder(Path(path))
    try:
        with folder.locked():
            if is_finished(folder.path, job["key"]):
                return {"status": DONE}
            return _finish(folder, job, options or {})
    except RunFolderLocked:
        return {"status": BUSY}
    except Exception as error:
        return _failed(folder.path, error)


def _finish(folder: RunFolder, job: Mapping[str, Any], options: Mapping[str, Any]) -> Answer:
    begun = time.perf_counter()
    solution = _resume(folder, options)
    if solution.result.stopped.reason is Stop.INTERRUPTED:
        return {"status": INTERRUPTED}
    write_result(folder.path, job, solution.result, now(), time.perf_counter() - begun)
    (folder.path / ERROR).unlink(missing_ok=True)
    return {"status": DONE}


def _resume(folder: RunFolder, options: Mapping[str, Any]) -> Solution:
    """Go on from the checkpoint; one that cannot be used is put aside, and the run is restarted."""
    checkpoint = folder.checkpoint_file
    if not checkpoint.exists():
        replace_file(folder.path / DEVICES, str(jax.device_count()).encode())
        return resume(folder.path, estimate=False, progress=False, **options)
    found = checkpoint.stat().st_mtime_ns
    try:
        return resume(folder.path, estimate=False, progress=False, **options)
    except (InputError, KeyError, TypeError):  # as one that is damaged, or of another version, raises
        if checkpoint.stat().st_mtime_ns != found:  # it could be used, so that is not what is wrong
            raise
    checkpoint.replace(checkpoint.with_suffix(".unusable"))
    return _resume(folder, options)


def devices_of(path: Path) -> int | None:
    """How many devices a run was begun with; with as many it goes on as it would have."""
    try:
        return int((path / DEVICES).read_text())
    except (OSError, ValueError):
        return None


def _failed(path: Path, error: Exception) -> Answer:
    text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    if path.is_dir():
        replace_file(path / ERROR, "".join(traceback.format_exception(error)).encode())
    return {"status": FAILED, "error": " ".join(text.split())[:1000]}
