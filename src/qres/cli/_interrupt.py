"""Ctrl-C during imports: one line instead of a traceback, or a crash of libraries that are half loaded."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

INTERRUPTED = 130  # as a shell has it: 128 + SIGINT


def handle_interrupts() -> None:
    """From now on; what another has installed, or a shell asked to ignore, stays."""
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)


def is_program() -> bool:
    """Whether this process is the command, not a program of somebody else's that imports it."""
    program = Path(sys.argv[0])
    return program.name in ("qres", "qres.exe") or program.parts[-2:] == ("qres", "__main__.py")


def _interrupted(number: int, frame: FrameType | None) -> None:
    at = frame
    while at is not None:
        if at.f_code.co_filename.startswith("<frozen importlib"):
            os.write(2, b"qres: interrupted\n")
            os._exit(INTERRUPTED)  # nothing was begun, and no half-loaded library gets to clean up
        at = at.f_back
    raise KeyboardInterrupt
