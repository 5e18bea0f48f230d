"""What of a run goes into drawing points anew and into records with their errors, start-up and compiling included."""

from __future__ import annotations

import time
from functools import wraps
from typing import Any

import qres
from bench.jobs import answer, arguments
from qres.training.loop._loop import Loop


def main() -> None:
    spent = {name: _timed(name) for name in ("_resample", "_record")}
    asked = arguments()
    found = qres.solve(asked["problem"], time_limit=asked["time_limit"], progress=False, estimate=False)
    seconds = found.result.seconds
    shares = {name.strip("_"): sum(times) / seconds for name, times in spent.items()}
    answer({"seconds": seconds, "iterations": found.result.iterations, **shares})


def _timed(name: str) -> list[float]:
    """The seconds of every call of a method of the loop, from now on."""
    method, times = getattr(Loop, name), []

    @wraps(method)
    def timed(*arguments: Any, **options: Any) -> Any:
        begun = time.perf_counter()
        try:
            return method(*arguments, **options)
        finally:
            times.append(time.perf_counter() - begun)

    setattr(Loop, name, timed)
    return times


if __name__ == "__main__":
    main()
