"""A process that waits to be asked, builds variants and times them: `python -m bench.worker`.

Requests and answers are lines of JSON, on standard input and on the channel that standard output was at the start;
what libraries print goes to standard error.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

from bench.case import Case
from bench.variants import Timed, build
from qres.results import dumps, loads


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    known: dict[str, Timed] = {}
    for line in sys.stdin:
        try:
            answer = _answer(loads(line), known)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(dumps(answer) + "\n")
        answers.flush()


def _answer(request: dict[str, Any], known: dict[str, Timed]) -> Any:
    if request["do"] == "prepare":
        found = build(request["variant"], Case(**request["case"]), **request["options"])
        known.update({f"{request['label']}/{name}": timed for name, timed in found.items()})
        return {name: _first(timed, request["gradient"]) for name, timed in found.items()}
    if request["do"] == "count":
        return {name: timed.counts() for name, timed in known.items() if timed.counts is not None}
    return measure(known[request["name"]], request["seconds"], request["least"])


def _first(timed: Timed, gradient: str) -> dict[str, Any]:
    """The first call, which compiles; the gradient goes into a file."""
    begun = time.perf_counter()
    timed.run()
    first = {"first_seconds": time.perf_counter() - begun}
    if timed.check is None:
        return first
    loss, grad = timed.check()
    path = f"{gradient}-{time.monotonic_ns()}.npy"
    np.save(path, grad)
    return first | {"loss": loss, "gradient": path}


def measure(timed: Timed, seconds: float, least: int) -> list[float]:
    """Milliseconds a unit of work, call by call, for some seconds and at least some calls."""
    found: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(found) < least:
        begun = time.perf_counter()
        timed.run()
        found.append(1e3 * (time.perf_counter() - begun) / timed.units)
    return found


if __name__ == "__main__":
    main()
