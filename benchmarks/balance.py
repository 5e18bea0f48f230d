"""Soft conditions with equal weights, and with weights that balance themselves: the same iterations, the same starts.

Run: `make balance`, or `python benchmarks/balance.py [--only wave kdv] [--seeds 3]`. Each core runs one at a time. It
goes on where it was; all of it takes about an hour on two cores. Besides problems of the library and examples, it has
the textbook problems in `benchmarks/textbook`: flows, elasticity, beams, waves, Schrödinger, reactions with diffusion.
"""

from __future__ import annotations

from itertools import product

from accuracy_page import record_each
from balance_table import ITERATIONS, PROBLEMS, WEIGHTS, file_of, name_of
from compare_table import figure
from recording import options, parsed


def main() -> None:
    """All runs, as many at a time as there are cores."""
    parser = options(__doc__, PROBLEMS, seeds=3, out="results/balance.json")
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    asked = parsed(parser, "iterations")
    limits = ["--iterations", str(asked.iterations), "--set", "tolerance=0", "--no-estimate"]
    jobs = {
        name_of(problem, balance, seed): [
            file_of(problem), "--set", "hard=false", "--set", f"balance={balance}", "--seed", str(seed), *limits,
        ]
        for seed in range(asked.seeds)
        for problem, balance in product(asked.only, WEIGHTS)
    }  # fmt: skip

    record_each(jobs, asked.out, "python benchmarks/balance.py", lambda run: f"{figure(run):.2e}")


if __name__ == "__main__":
    main()
