"""Fallback storage of a solution whose run folder is full or gone."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from qres.runs import RunFolder
from qres.runtime.errors import Failure
from qres.solution import Solution


@contextlib.contextmanager
def rescue(solution: Solution, folder: RunFolder | None) -> Iterator[None]:
    """Write a run's last files; if that fails, save the solution elsewhere and raise a `Failure` naming it."""
    try:
        yield
        write_error = None if folder is None else folder.write_error
    except OSError as error:
        if folder is None:
            raise
        write_error = f"its files could not be written: {error.strerror or error}"
    if folder is None or write_error is None:
        return
    kept = _kept(solution, folder)
    where = f"the solution is in {kept}" if kept else "the solution could not be kept anywhere"
    raise Failure(f"{folder.path}: {write_error}; {where}", solution)


def _kept(solution: Solution, folder: RunFolder) -> Path | None:
    """The first place that takes the solution: its own, the current folder, the home, that of temporary files."""
    name = folder.path.absolute().name or "run"
    places = [folder.solution_file]
    with contextlib.suppress(OSError, RuntimeError):
        places += [_free(parent, name) for parent in (Path.cwd(), Path.home(), Path(tempfile.gettempdir()))]
    for place in places:
        with contextlib.suppress(OSError):
            return solution.save(place)
    return None


def _free(folder: Path, name: str) -> Path:
    """A name in a folder that nothing has yet."""
    place, number = folder / f"{name}.qres", 1
    while place.exists():
        number += 1
        place = folder / f"{name}-{number}.qres"
    return place
