"""A run folder: specification, history, checkpoint, solution and report of one run."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tomli_w
from filelock import FileLock, Timeout

from qres.data import Data
from qres.problems import (
    Fingerprint,
    Mismatch,
    Problem,
    ReferenceFile,
    ansatz_state,
    check_given,
    difference,
    given_problem,
    read_toml,
)
from qres.results import Record, dumps, loads
from qres.runtime.errors import InputError
from qres.runtime.files import remove_unfinished, replace_file
from qres.runtime.processes import is_first
from qres.runtime.sealed import Damaged, check_seal, metadata_in, sealed, tensors_in

from ._specification import Specification
from ._start import Start

_PACKAGES = ("qres-pde", "jax", "jaxlib", "numpy", "scipy", "equinox", "optax")


CHECKPOINT = "checkpoint.safetensors"
_LOCK = ".lock"
_BEGUN = (
    ".begun"  # stands while a new folder gets its first files: a run that was killed then can be restarted
)


class _Unwritten(NamedTuple):
    """A file that could not be written, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what} could not be written: {self.why}"


class RunFolderLocked(InputError):
    """Another process is at work on a run."""


def versions() -> dict[str, str]:
    """The versions that a result may depend on."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class RunFolder:
    """The files of one run. Every write is to a temporary name first, so a crash leaves the last good file.

    Of several processes that work on one run, the first alone writes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writes = is_first()
        self.specification_file = path / "specification.toml"
        self.history_file = path / "history.jsonl"
        self.ansatz_file = path / "ansatz.safetensors"
        self.start_file = path / "start.safetensors"
        self.checkpoint_file = path / CHECKPOINT
        self.network_file = path / "network.safetensors"  # the weights that the user gave to begin with
        self.solution_file = path / "solution.qres"
        self.report_file = path / "report.html"
        self.snapshots_folder = path / "snapshots"
        self._unwritten: _Unwritten | None = None

    @staticmethod
    def new(path: Path) -> RunFolder:
        """A folder for a new run, yet to be created; one that holds a run already, or cannot be, is an error."""
        folder = RunFolder(path)
        there = next((place for place in (path, *path.absolute().parents) if place.exists()), Path())
        if folder.writes and not (there.is_dir() and os.access(there, os.W_OK)):
            raise InputError(f"{path}: the run folder cannot be written: {there} is no folder to write to")
        if folder.writes:
            folder._check_new()
            mine = [folder.history_file, folder.checkpoint_file, folder.solution_file, folder.report_file]
            mine += [folder.ansatz_file, folder.start_file, folder.network_file]
            others = [*(file for file in mine if file.exists()), *path.glob("data-*.npz")]
            if (others := [*others, *path.glob("reference.*")]) and not (path / _BEGUN).exists():
                raise InputError(
                    f"{others[0]}: the run might overwrite that file, which is no run's; choose another folder"
                )
        return folder

    def _check_new(self) -> None:
        if self.specification_file.exists():
            raise InputError(
                f"{self.path} holds a run already; choose another folder, or go on with: qres resume {self.path}"
            )

    @contextlib.contextmanager
    def locked(self, *, wait: bool = False) -> Iterator[None]:
        """Work on the run, which nobody else may do at the same time: that is an error, or waited for."""
        if not self.writes:
            yield
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path / _LOCK, is_singleton=True).acquire(timeout=-1 if wait else 0)
        except Timeout:
            raise RunFolderLocked(f"{self.path}: another process is at work on this run") from None
        except OSError as error:
            raise self._unwritable(error) from None
        with lock:
            for folder in (self.path, self.snapshots_folder):
                remove_unfinished(folder)  # which nobody is writing any more
            yield

    @contextlib.contextmanager
    def attempted(self, what: str) -> Iterator[None]:
        """Write a file that training can go on without: a full disk must not cost what was computed."""
        try:
            yield
            if self._unwritten is not None and self._unwritten.what == what:
                self._unwritten = None  # there is room again
        except OSError as error:
            if self._unwritten is None:
                self._unwritten = _Unwritten(what, str(error.strerror or error))
                print(
                    f"warning: {self.path}: {self.write_error}; training goes on", file=sys.stderr, flush=True
                )

    @property
    def write_error(self) -> str | None:
        """What could not be written on the way, and why."""
        return None if self._unwritten is None else str(self._unwritten)

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"{self.path}: the run folder cannot be written: {error.strerror or error}")

    def create(
        self,
        specification: Specification,
        network: bytes | None = None,
        terms: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        """Make the folder, with the specification, a copy of the data and the weights that were given in it.

        Args:
            specification: of the run.
            network: the arrays of a network of the user's own.
            terms: values of loss terms of the user's own (`term_fingerprints`).
        """
        if not self.writes:
            return
        self._check_new()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / _BEGUN).touch()
            if network is not None:
                replace_file(self.network_file, network)
            problem = specification.problem
            known: dict[str, Any] = {} if problem.is_text else {"fingerprint": problem.fingerprint()}
            known |= {"terms": {name: list(values) for name, values in terms.items()}} if terms else {}
            tables = specification.to_dict(functions=True)
            tables["run"] = {"date": now(), "versions": versions(), **known}
            if specification.problem.data:
                tables["problem"]["data"] = [
                    self._keep(n, d) for n, d in enumerate(specification.problem.data)
                ]
            if isinstance(reference := specification.problem.reference, ReferenceFile):
                kept = reference.to_dict() | {"file": self._copy(Path(reference.file))}
                tables["problem"]["reference"] = kept
            discrete = specification.time is not None
            state, arrays = ansatz_state(specification.problem, discrete=discrete)
            replace_file(self.ansatz_file, sealed(arrays, {"ansatz": dumps(state)}))
            replace_file(self.specification_file, tomli_w.dumps(tables).encode())
            (self.path / _BEGUN).unlink()
        except OSError as error:
            raise self._unwritable(error) from None

    def _keep(self, number: int, data: Data) -> dict[str, Any]:
        """A copy of the measurements, so that the run can go on without the file that they came from."""
        name = f"data-{number + 1}.npz"
        buffer = io.BytesIO()
        np.savez(buffer, **data.columns)  # pyright: ignore[reportArgumentType]
        replace_file(self.path / name, buffer.getvalue())
        return {"file": name} | ({"noise": dict(data.noise)} if data.noise else {})

    def _copy(self, file: Path) -> str:
        """A copy of the user's reference, for the same reason."""
        name = f"reference{file.suffix}"
        replace_file(self.path / name, file.read_bytes())
        return name

    @staticmethod
    def open(path: str | Path) -> RunFolder:
        """An existing run's folder."""
        folder = RunFolder(Path(path))
        if not folder.path.is_dir():
            raise InputError(f"{path}: there is no such folder")
        if not folder.specification_file.is_file() and (folder.path / _BEGUN).exists():
            raise InputError(
                f"{path}: the run was cut off before it began; give qres solve the same folder again"
            )
        if not folder.specification_file.is_file():
            raise InputError(f"{path}: not a run folder: it has no specification.toml")
        return folder

    def specification(self, problem: Problem | None = None) -> Specification:
        """What was run, with the ansatz that was chosen then; a folder of qres 0.1 has none.

        Of a problem with functions that could not be traced, with the user's, once it is seen to be the same.
        """
        tables = dict(read_toml(self.specification_file))
        known = tables.pop("run", {}).get("fingerprint")
        saved = self._read_sealed(
            self.ansatz_file, "ansatz", "it holds how the run's conditions are built in"
        )
        where = f"qres.resume({str(self.path)!r}, problem=…)"
        try:
            theirs = given_problem(tables["problem"], problem, known, where, folder=self.path, saved=saved)
            found = Specification.from_saved(tables, self.path, saved, theirs)
            if theirs is None:
                check_given(found.problem, problem)
        except Mismatch as error:
            raise InputError(f"{self.path}: {error}") from None
        return found

    def check_terms(self, found: Fingerprint) -> None:
        """An error where a loss term of the user's own has other values than the one that the run was begun with."""
        stored = read_toml(self.specification_file).get("run", {}).get("terms", {})
        if wrong := difference(stored, found):
            raise InputError(
                f"{self.path}: term {wrong!r}: the one that was given has other values than the run's"
            )

    def save_start(self, start: Start) -> None:
        """What was decided when the run began."""
        if self.writes:
            try:
                replace_file(self.start_file, sealed({}, {"start": dumps(start.to_dict())}))
            except OSError as error:
                raise self._unwritable(error) from None

    def load_start(self) -> Start | None:
        """What was decided when the run began; None where it has not, or was begun by qres 0.1."""
        found = self._read_sealed(self.start_file, "start", "it holds the scales that the run trains in")
        return None if found is None else Start.from_dict(found[0])

    def snapshot_file(self, iteration: int) -> Path:
        """Where the solution as it was at an iteration is kept."""
        return self.snapshots_folder / f"{iteration}.qres"

    def snapshots(self) -> dict[int, Path]:
        """The solutions that were kept on the way, by iteration."""
        files = {int(file.stem): file for file in self.snapshots_folder.glob("*.qres")}
        return dict(sorted(files.items()))

    def record(self, record: Record) -> None:
        """One more line of history."""
        if self.writes:
            with self.attempted("the history"), self.history_file.open("a") as file:
                file.write(dumps(record.to_dict()) + "\n")

    def history(self, up_to: int | None = None) -> list[Record]:
        """The records so far; a last line that a crash cut off is left out."""
        if not self.history_file.exists():
            return []
        records = []
        for line in self.history_file.read_bytes().splitlines():
            try:
                record = Record.from_dict(loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                break
            if up_to is None or record.total <= up_to:
                records.append(record)
        return records

    def rewrite_history(self, records: list[Record]) -> None:
        """Forget what came after the checkpoint that a resumed run starts from."""
        text = "".join(dumps(record.to_dict()) + "\n" for record in records)
        if self.writes:
            try:
                replace_file(self.history_file, text.encode())
            except OSError as error:
                raise self._unwritable(error) from None

    def save_checkpoint(self, arrays: Mapping[str, np.ndarray], counters: Mapping[str, Any]) -> None:
        """All that the rest of the run depends on."""
        if self.writes:
            with self.attempted("the checkpoint"):
                replace_file(self.checkpoint_file, sealed(arrays, {"counters": dumps(counters)}))

    def load_checkpoint(self) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """The last checkpoint, or None where the run had not come that far."""
        found = self._read_sealed(self.checkpoint_file, "counters", "delete it to restart the run")
        return None if found is None else (found[1], found[0])

    def _read_sealed(self, file: Path, key: str, remedy: str) -> tuple[Any, dict[str, np.ndarray]] | None:
        """What a file holds under a key, and its arrays; None where there is no such file."""
        if not file.exists():
            return None
        try:
            content = file.read_bytes()
            metadata = metadata_in(content)
            check_seal(content, metadata)
            return loads(metadata[key]), tensors_in(content)
        except (Damaged, ValueError, KeyError) as error:
            raise InputError(f"{file}: the {file.stem} is damaged: {error}; {remedy}") from None
        except OSError as error:
            raise InputError(f"{file}: the {file.stem} cannot be read: {error.strerror or error}") from None


def now() -> str:
    """The date and time, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextlib.contextmanager
def run_folder(chosen: Path | None, name: str) -> Iterator[Path]:
    """The folder chosen for a run, or a new one below `runs`, from the problem's name and the time.

    A new one is made at once, as another run may begin in the same second; it is removed if it stays empty.
    """
    if chosen is not None:
        yield chosen
        return
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)[:60] or "run"
    number, path = 1, Path("runs") / f"{safe}-{stamp}"
    while path.exists() or (is_first() and not _made(path)):
        number += 1
        path = Path("runs") / f"{safe}-{stamp}-{number}"
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.rmdir()


def _made(path: Path) -> bool:
    """Whether this process made the folder; where it cannot be made, the run will say so."""
    try:
        path.mkdir(parents=True)
    except FileExistsError:
        return False
    except OSError:
        pass
    return True
