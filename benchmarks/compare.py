"""QRes against the plain network at equal parameter counts, under each optimizer: 60 seconds of one core a run.

Run: `make compare`, or `python benchmarks/compare.py [--only burgers kdv] [--optimizers adam lm] [--seeds 5]`. Each
core runs one at a time. It goes on where it was; all of it takes about five hours on two cores.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from itertools import product

import jax
from accuracy_cases import source_of
from accuracy_page import record_each
from compare_table import KINDS, OPTIMIZERS, PROBLEMS, figure
from recording import Run, options, parsed

from qres.loss import discretize
from qres.networks import Architecture
from qres.runs import read_specification

_WIDEST = 400


def plain_width(problem: str) -> int:
    """The width of the plain network, of the same depth, whose number of parameters is nearest to that of QRes."""
    specification = read_specification(source_of(problem)).measured()
    domain = specification.problem
    if specification.time is not None:
        scheme, _ = discretize(domain, specification.time, specification.sampling, specification.seed)
        domain = scheme.domain(specification.problem)

    def count(architecture: Architecture) -> int:
        return replace(architecture, fourier_from="random").build(domain, key=jax.random.key(0)).parameters

    wanted = count(replace(specification.architecture, kind="qres"))
    plain = replace(specification.architecture, kind="mlp", hidden=None)
    above = bisect_left(range(_WIDEST), wanted, lo=2, key=lambda width: count(replace(plain, width=width)))
    return min((above - 1, above), key=lambda width: abs(count(replace(plain, width=width)) - wanted))


def time_alone(seconds: float) -> list[str]:
    """Options of a run that only the clock limits: iterations cost each network and optimizer another time."""
    return ["--time-limit", f"{seconds:g}", "--set", "optimizer.pace=1e9", "--no-estimate"]


def main() -> None:
    """All runs, as many at a time as there are cores."""
    parser = options(__doc__, PROBLEMS, seeds=5, out="results/compare.json")
    parser.add_argument("--optimizers", nargs="*", default=OPTIMIZERS, choices=OPTIMIZERS)
    parser.add_argument("--time-limit", type=float, default=60.0)
    asked = parsed(parser, "time_limit")
    widths = {problem: plain_width(problem) for problem in asked.only}
    # All have as many points and draw them as often, but for Levenberg-Marquardt, whose few iterations would never see
    # others.
    limits, fixed = time_alone(asked.time_limit), ["--set", "sampling.adaptive=false"]
    # Seed by seed, so that what was cut off has something of every problem.
    jobs = {
        f"{problem}, {kind}, {optimizer}, seed {seed}": [
            source_of(problem), "--network", kind, *(["--width", str(widths[problem])] if kind == "mlp" else []),
            "--optimizer", f"{optimizer}:*", "--seed", str(seed), *limits, *(fixed if optimizer != "lm" else []),
        ]
        for seed in range(asked.seeds)
        for problem, optimizer, kind in product(asked.only, asked.optimizers, KINDS)
    }  # fmt: skip

    def describe(run: Run) -> str:
        return f"{figure(run):.2e} after {run['iterations']} iterations, {run['parameters']} parameters"

    record_each(jobs, asked.out, "python benchmarks/compare.py", describe)


if __name__ == "__main__":
    main()
