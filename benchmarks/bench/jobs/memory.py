"""The most memory that a run with very many collocation points takes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import qres
from bench.jobs import answer, arguments
from qres.runs import read_specification


def main() -> None:
    asked = arguments()
    specification = read_specification("burgers")
    sampling = dataclasses.replace(
        specification.sampling, points=asked["points"], resample_every=asked["resample_every"]
    )
    found = qres.solve(specification, sampling=sampling, iterations=asked["iterations"], progress=False)
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    answer(
        {
            "peak_mib": peak / 1024,
            "iterations": found.result.iterations,
            "seconds": found.result.seconds,
        }
    )


if __name__ == "__main__":
    main()
