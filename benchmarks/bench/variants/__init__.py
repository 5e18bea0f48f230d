"""The ways to compute a loss and its gradient that are compared, one file each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from bench.case import Case


@dataclass(frozen=True)
class Timed:
    """What is timed: a call that returns when its result is there, and how many units of work it does."""

    run: Callable[[], None]
    units: int = 1
    check: Callable[[], tuple[float, np.ndarray]] | None = None  # loss and flat gradient
    counts: Callable[[], float] | None = None  # evaluations for each unit, since it was built


def build(variant: str, case: Case, **options: int) -> dict[str, Timed]:
    """What a variant offers for a case, by name."""
    return import_module(f"bench.variants.{variant}").build(case, **options)
