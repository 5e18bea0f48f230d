"""Writing files so that a reader, or a crash, never meets half of one."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def written(path: Path) -> Iterator[Path]:
    """A temporary name beside a file's place, to write it under; it takes the place when all is written.

    Args:
        path: in an existing folder.
    """
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.part")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def replace_file(path: Path, content: bytes) -> Path:
    """Write a whole file."""
    with written(path) as temporary:
        temporary.write_bytes(content)
    return path
