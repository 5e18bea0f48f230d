"""Atomic writing of files."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_PART = ".part"


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A temporary name beside a file's place, to write it under; it takes the place when all is on the disk.

    Args:
        path: in an existing folder.
    """
    temporary = path.with_name(f".{_short(path.name)}.{os.urandom(6).hex()}{_PART}")
    try:
        yield temporary
        _flush(temporary, os.O_RDWR)  # else a power cut may leave the new name with nothing behind it
        temporary.replace(path)
        with contextlib.suppress(OSError):  # not every file system has folders that can be flushed
            _flush(path.parent, os.O_RDONLY)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _short(name: str) -> str:
    """As much of a name as leaves room for what is added to it: most file systems have 255 bytes."""
    return name.encode()[:200].decode(errors="ignore")


def _flush(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, content: bytes, *, private: bool = False) -> Path:
    """Write a whole file; a private one nobody else can read or write, whatever the umask is."""
    with atomic_write(path) as temporary:
        if private:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        else:
            temporary.write_bytes(content)
    return path


def remove_unfinished(folder: Path) -> None:
    """Remove what `atomic_write` had begun in a folder when a process was killed; nobody else may be writing there."""
    for file in folder.glob(f".*{_PART}"):
        with contextlib.suppress(OSError):
            file.unlink()
