"""Where qres keeps what it may compute again: compiled programs and reference solutions."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder named by `QRES_CACHE`, or `qres` under the user's cache folder."""
    if named := os.environ.get("QRES_CACHE"):
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "qres"
