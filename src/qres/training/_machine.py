"""What of this machine makes training slower than it need be: other programs at work, and no compiler."""

from __future__ import annotations

import os
from collections.abc import Sequence

from qres.fields import Model
from qres.native import lacks_compiler

_BUSY = 0.5  # programs at work for each core, besides this one


def machine_notes(model: Model) -> list[str]:
    """Warnings, a line each.

    Args:
        model: that is to be trained.
    """
    return [
        *busy_note(_load(), os.cpu_count() or 1),
        *(
            [
                "no C++ compiler is found (CXX, c++, g++, clang++): training goes through XLA alone, and is slower"
            ]
            if lacks_compiler(model.network)
            else []
        ),
    ]


def busy_note(load: float | None, count: int) -> Sequence[str]:
    """A warning where other programs keep the cores busy.

    Args:
        load: how many programs want to run, on average over the last minute; None where the system does not say.
        count: of all cores of the machine.
    """
    if load is None or load <= 1 + _BUSY * count:
        return []
    return [
        f"the machine is busy: about {load:.3g} programs at work on {count} cores; training is slower, and a time "
        "limit gives fewer iterations"
    ]


def _load() -> float | None:
    if not hasattr(os, "getloadavg"):  # on Windows
        return None
    try:
        return os.getloadavg()[0]
    except OSError:
        return None
