"""What `make accuracy` runs: problems, times, the figures asked for, and what others have published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from recording import Run

from qres.results import Result, Stop, Verdict

EXAMPLES = Path(__file__).parent.parent / "examples"
_FEW = 10  # minutes from which on three seeds are enough
_FAILS = 10.0  # times the median: a seed that is worse failed


def source_of(problem: str) -> str:
    """What `qres solve` is given: the file of an example, or the name of a built-in problem."""
    example = EXAMPLES / f"{problem}.toml"
    return str(example) if example.exists() else problem


@dataclass(frozen=True)
class Case:
    """A problem, how long it may take, and the figures asked for: error by field, percent by unknown.

    `paper` and `public` are the figures of the paper (Bu and Karpatne 2021) and the best published ones, where there
    are any, in the order of `wanted`; `source` says whose.
    """

    problem: str
    minutes: float
    wanted: dict[str, float]
    options: tuple[str, ...] = ()
    aim: tuple[float, ...] = ()
    paper: tuple[float, ...] = ()
    public: tuple[float, ...] = ()
    source: str = ""

    @property
    def title(self) -> str:
        """The problem and its options, without the time."""
        return " ".join([self.problem, *self.options])

    @property
    def name(self) -> str:
        """Of the problem, its options and its time."""
        return f"{self.title} {self.minutes:g} min"

    @property
    def seeds(self) -> int:
        """How many, where nobody says otherwise."""
        return 3 if self.minutes >= _FEW else 5

    def arguments(self, seed: int) -> list[str]:
        """Of `qres solve`."""
        return [
            source_of(self.problem),
            *self.options,
            "--seed",
            str(seed),
            "--time-limit",
            f"{60 * self.minutes:g}",
        ]


_BURGERS = {
    "paper": (3.4e-3,), "public": (5.4e-9,),
    "source": "arXiv 2509.14198: SSBroyden and residual weights, 2251 parameters, about 36 min on a GPU; "
    "DSGNAR (2607.02194) states 8e-14 with 11,285 parameters on an H100, its public code solves nu = 0.01",
}  # fmt: skip
_SCHRODINGER = {"paper": (1.06e-3,), "source": "none better than the paper's found on [-5, 5]"}
_ALLEN_CAHN = {
    "public": (9.4e-7,),
    "source": "arXiv 2501.16371; below 1e-5 the usual public reference is itself wrong, ours is not",
}  # fmt: skip
_DISCRETE = {"paper": (3.58e-3,), "source": "none better than the paper's found"}
_INVERSE = "none better than the paper's found"
_FAILURES = {
    "aim": (1e-6,),
    "source": "of PINNsFormer (arXiv 2307.11833), RoPINN (2405.14369), ProPINN (2502.00803), where QRes fails",
}
CASES = (
    Case("kdv-inverse", 1, {"lambda_1": 0.005, "lambda_2": 0.005}, (), (1e-4, 1e-4), (0.009, 0.009), (), _INVERSE),
    Case("allen-cahn-discrete", 2, {"u": 1e-3}, **_DISCRETE),
    Case("allen-cahn", 2, {"u": 5e-4}, **_ALLEN_CAHN),
    Case("schrodinger", 2, {"h": 1e-3}, **_SCHRODINGER),
    Case("convection", 5, {"u": 1e-3}, **_FAILURES),
    Case("reaction", 5, {"u": 1e-3}, **_FAILURES),
    Case("wave-modes", 5, {"u": 1e-3}, **_FAILURES),
    Case(
        "navier-stokes-inverse", 10, {"lambda_1": 0.04, "lambda_2": 2.0, "p": 0.02},
        (), (0.005, 0.05), (0.043, 4.281), (), _INVERSE,
    ),
    Case("burgers", 1, {"u": 1e-5}, **_BURGERS),
    Case("burgers-inverse", 1, {"lambda_1": 5e-4, "lambda_2": 1e-2}, (), (1e-5, 1e-4), (0.027, 0.379), (), _INVERSE),
    Case("kdv", 3, {"u": 1e-3}, (), (), (), (), "none found"),
    Case("kdv", 5, {"u": 1e-4}, (), (1e-6,), (), (), "none found"),
    Case(
        "navier-stokes-inverse", 10, {"lambda_1": 0.05, "lambda_2": 4.0},
        ("--noise", "0.01"), (), (0.050, 4.942), (), _INVERSE,
    ),
    Case("burgers", 5, {"u": 5e-7}, **_BURGERS),
    Case("allen-cahn-discrete", 10, {"u": 2e-4}, aim=(1e-5,), **_DISCRETE),
    Case("schrodinger", 20, {"h": 2e-4}, aim=(1e-5,), **_SCHRODINGER),
    Case("allen-cahn", 20, {"u": 5e-5}, aim=(1e-6,), **_ALLEN_CAHN),
    Case("burgers", 20, {"u": 3e-8}, aim=(1e-9,), **_BURGERS),
)  # fmt: skip


def figures(run: Run) -> dict[str, float]:
    """Errors of the fields, and of the unknowns in percent."""
    return {**run["errors"], **{name: found["percent"] for name, found in run["unknowns"].items()}}


def runs_of(case: Case, runs: dict[str, Run]) -> list[Run]:
    """The runs of a case, one a seed."""
    return [run for name, run in runs.items() if name.startswith(f"{case.name}, seed")]


def summarise(runs: dict[str, Run]) -> dict[str, Any]:
    """Median and worst over the seeds, beside what is asked for, and the seeds that failed without saying so."""
    summary: dict[str, Any] = {}
    for case in CASES:
        mine = runs_of(case, runs)
        if not mine:
            continue
        found = [figures(run) for run in mine]
        medians = {name: median(one[name] for one in found) for name in case.wanted}
        failed = [
            run["seed"]
            for run, one in zip(mine, found, strict=True)
            if any(not one[name] <= _FAILS * medians[name] for name in case.wanted)
            and not says_it_failed(run)
        ]
        summary[case.name] = {
            name: {"median": medians[name], "worst": max(one[name] for one in found), "asked": asked}
            for name, asked in case.wanted.items()
        } | {"seeds": len(found), "failed silently": failed}
    return summary


def says_it_failed(run: Run) -> bool:
    """Whether a run says itself that its answer does not hold, or that it cannot tell."""
    result = Result.from_dict(run)
    doubted = (Verdict.DOES_NOT_HOLD, Verdict.CANNOT_TELL)
    return result.stopped.reason is Stop.NOT_FINITE or (
        result.estimate is not None and result.estimate.status in doubted
    )
