"""Progress, with the time since the start."""

from __future__ import annotations

import time

_BEGUN = time.perf_counter()


def progress(text: str) -> None:
    """One line, at once."""
    seconds = int(time.perf_counter() - _BEGUN)
    print(f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}  {text}", flush=True)
