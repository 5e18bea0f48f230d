"""Bootstrap standard errors of the unknowns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qres.problems import Problem
from qres.runs import Specification
from qres.runtime.errors import InputError, whole_number
from qres.runtime.random import generator_for, seed_for

from ._solve import solve


def bootstrap(
    problem: Problem | Specification, count: int = 20, *, seed: int = 0, **options: Any
) -> dict[str, dict[str, Any]]:
    """The standard deviation of the unknowns over fits to bootstrap resamples of the measurements (Efron 1979).

    It needs no assumption on the noise, costs `count` fits, and holds the chance of training too.

    Args:
        problem: with unknowns and data; or a specification of it.
        count: how many fits, 2 or more.
        seed: of the draws and of the networks.
        options: of `solve`.

    Returns:
        For each unknown its `values` and their standard deviation, `stderr`.
    """
    whole_number(count, 2, "bootstrap")
    specification = problem if isinstance(problem, Specification) else Specification(problem, seed=seed)
    specification = specification.measured()  # what is resampled are the measurements of this run's seed
    known = specification.problem
    if not known.unknowns or not known.data:
        raise InputError("a bootstrap needs a problem with unknowns and measurements")
    found: dict[str, list[Any]] = {name: [] for name in known.unknowns}
    for number in range(count):
        generator = generator_for(seed, "resampling", number)
        drawn = known.with_data([data.resampled(generator) for data in known.data])
        fit = solve(
            replace(specification, problem=drawn, snapshots=()),
            seed=seed_for(seed, "bootstrap", number),
            **options,
        )
        for name, values in found.items():
            values.append(fit.unknowns[name].value)
    return {name: _spread(values) for name, values in found.items()}


def _spread(values: list[Any]) -> dict[str, Any]:
    return {"values": values, "stderr": np.std(np.asarray(values), axis=0, ddof=1).tolist()}
