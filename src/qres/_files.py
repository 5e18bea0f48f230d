"""Writing files so that a reader, or a crash, never meets half of one."""

import os
from pathlib import Path


def replace_file(path: Path, content: bytes) -> Path:
    """Write a file under a temporary name beside its place, then rename it.

    Args:
        path: in an existing folder.
        content: of the whole file.
    """
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.part")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
